//! The Slack adapter against a strict server of its Web API, of Socket Mode and of its webhooks.

mod adapter;
mod bench;
mod commands;
mod context;
#[path = "../shared/elsewhere.rs"]
mod elsewhere;
mod fetch;
#[path = "../shared/flagged.rs"]
mod flagged;
#[path = "../shared/front.rs"]
mod front;
mod names;
mod parts;
#[cfg(feature = "test-peers")]
mod peer;
#[cfg(feature = "test-peers")]
#[path = "../shared/peer_process.rs"]
mod peer_process;
mod place;
mod refusals;
mod server;
#[path = "../shared/mod.rs"]
mod shared;
mod socket_mode;
mod stops;
#[path = "../shared/thread.rs"]
mod thread;
#[path = "../shared/unread.rs"]
mod unread;
mod webhooks;
