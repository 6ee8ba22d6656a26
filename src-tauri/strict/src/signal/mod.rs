//! The JSON-RPC daemon of signal-cli, as far as an account that talks to people needs it:
//! <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc>. What it says is what
//! signal-cli 0.13 says.

mod account;
mod connection;
mod content;
mod methods;
mod request;
mod rules;
mod server;

pub use account::{Attached, Posted};
pub use server::{SignalServer, Start};
