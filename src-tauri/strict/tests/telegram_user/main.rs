//! The adapter for a person's account on Telegram against a strict server of `MTProto`.

mod adapter;
mod bench;
mod calls;
#[path = "../shared/flagged.rs"]
mod flagged;
mod interrupted;
mod packets;
mod place;
mod receive;
mod server;
#[path = "../shared/mod.rs"]
mod shared;
mod sign_in;
