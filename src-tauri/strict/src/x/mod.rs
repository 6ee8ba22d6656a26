//! The X API, version 2, as far as a bot like Foldback uses it: <https://docs.x.com/x-api>.

mod answer;
mod client;
mod methods;
mod rules;
mod server;
mod state;
mod weight;

pub use client::XClient;
pub use server::XServer;
pub use state::{Closed, Posted};
