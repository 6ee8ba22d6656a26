//! The Telegram adapter against a strict server of the Bot API.

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
#[path = "../shared/time.rs"]
mod time;
