//! What all backends share that are asked over HTTP and stream their answer as server-sent events.
//!
//! `agent` holds a backend together; `turn` asks, waits and asks again; `body` makes events of the network's
//! bytes; a [`protocol::Reader`] makes sense of an event; `answer` makes steps of that; `failure` understands
//! refusals; `history` has what is remembered where the backend keeps nothing, and `compact` summarises it; `upstream` has the runs of a server that keeps the conversation. A protocol is what it says in its
//! request and how it reads an event, nothing else.

mod agent;
pub(crate) mod answer;
pub(crate) mod ask;
mod ask_once;
mod body;
mod client;
mod compact;
pub(crate) mod config;
mod describe;
pub(crate) mod error_body;
pub(crate) mod exchange;
pub(crate) mod failure;
mod hearing;
pub(crate) mod history;
pub(crate) mod json;
pub(crate) mod protocol;
mod sse;
pub(crate) mod tools;
mod turn;
mod turn_tools;
mod upstream;

pub use agent::HttpAgent;
pub use config::{ConfigError, HttpConfig, Timeouts, is_sent_openly};
pub use history::{HistoryLimits, Memory};
pub use protocol::Api;
