//! The X adapter against a strict server of the API.

mod adapter;
mod bench;
#[path = "../shared/front.rs"]
mod front;
mod place;
mod receive;
mod refusals;
mod server;
#[path = "../shared/mod.rs"]
mod shared;
mod tokens;
