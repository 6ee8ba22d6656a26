//! The Signal adapter against a strict daemon of signal-cli.

mod adapter;
mod place;
mod receive;
mod refusals;
mod server;
mod stops;
