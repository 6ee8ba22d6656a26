//! The Signal adapter against a strict daemon of signal-cli.

mod accounts;
mod adapter;
#[path = "../shared/chance.rs"]
mod chance;
#[path = "../shared/checked.rs"]
mod checked;
#[cfg(feature = "test-peers")]
mod peer;
mod place;
mod receive;
mod refusals;
mod server;
mod stops;
