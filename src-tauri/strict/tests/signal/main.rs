//! The Signal adapter against a strict daemon of signal-cli.

mod accounts;
mod adapter;
mod bench;
mod context;
mod fetch;
#[cfg(feature = "test-peers")]
mod peer;
#[cfg(feature = "test-peers")]
#[path = "../shared/peer_process.rs"]
mod peer_process;
mod place;
mod receipts;
mod receive;
mod refusals;
mod server;
#[path = "../shared/mod.rs"]
mod shared;
mod stops;
