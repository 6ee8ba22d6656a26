//! The Slack adapter against a strict server of its Web API, of Socket Mode and of its webhooks.

mod adapter;
#[path = "../shared/chance.rs"]
mod chance;
#[path = "../shared/checked.rs"]
mod checked;
#[cfg(feature = "test-peers")]
mod peer;
mod place;
mod refusals;
mod server;
mod socket_mode;
mod stops;
#[path = "../shared/time.rs"]
mod time;
mod webhooks;
