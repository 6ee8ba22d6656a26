//! What every agent keeps, and what each one does.

mod acp;
mod contract;
mod demo;
mod fallback;
mod faulty;
mod http;
mod openai;
#[cfg(feature = "test-peers")]
#[path = "../../../strict/tests/shared/peer_process.rs"]
mod peer_process;
#[cfg(feature = "test-peers")]
mod peers;
mod script;
mod script_levels;
mod speech;
mod strict_server;
mod support;
