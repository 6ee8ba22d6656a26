//! The Signal adapter against a strict daemon of signal-cli.

mod accounts;
mod adapter;
mod bench;
#[cfg(feature = "test-peers")]
mod peer;
mod place;
mod receive;
mod refusals;
mod server;
#[path = "../shared/mod.rs"]
mod shared;
mod stops;
