//! What every agent keeps, and what each one does.

mod contract;
mod demo;
mod openai;
mod script;
mod strict_server;
mod support;
