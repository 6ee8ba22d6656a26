//! The Telegram adapter against a strict server of the Bot API.

mod adapter;
mod bench;
mod fetch;
#[path = "../shared/flagged.rs"]
mod flagged;
#[path = "../shared/front.rs"]
mod front;
mod menu;
#[cfg(feature = "test-peers")]
mod peer;
#[cfg(feature = "test-peers")]
#[path = "../shared/peer_process.rs"]
mod peer_process;
mod place;
mod receive;
mod refusals;
mod server;
#[path = "../shared/mod.rs"]
mod shared;
