//! The Telegram adapter against a strict server of the Bot API.

mod adapter;
mod place;
mod receive;
mod refusals;
mod server;
