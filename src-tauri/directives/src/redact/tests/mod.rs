//! The stage as a specification: what is a secret, what is none, and how a stream of it comes out.

mod any;
mod docs;
mod linear;
mod operator;
mod stream;
mod tell;
mod vectors;
mod what;
