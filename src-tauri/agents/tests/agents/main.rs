//! What every agent keeps, and what each one does.

mod contract;
mod demo;
mod faulty;
mod openai;
#[cfg(feature = "test-peers")]
mod peers;
mod script;
mod strict_server;
mod support;
