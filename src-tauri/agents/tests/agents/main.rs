//! What every agent keeps, and what each one does.

mod contract;
mod demo;
mod script;
mod support;
