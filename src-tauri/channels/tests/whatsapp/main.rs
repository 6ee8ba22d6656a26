//! The `WhatsApp` adapter against a strict server of the Cloud API.

mod adapter;
#[path = "../shared/chance.rs"]
mod chance;
#[path = "../shared/checked.rs"]
mod checked;
mod place;
mod receive;
mod refusals;
mod server;
#[path = "../shared/time.rs"]
mod time;
mod webhooks;
