//! The `WhatsApp` adapter against a strict server of the Cloud API.

mod adapter;
mod bench;
#[path = "../shared/elsewhere.rs"]
mod elsewhere;
mod fetch;
#[path = "../shared/front.rs"]
mod front;
mod place;
mod receipts;
mod receive;
mod refusals;
mod server;
#[path = "../shared/mod.rs"]
mod shared;
#[path = "../shared/unread.rs"]
mod unread;
mod webhooks;
