//! Any endpoint that speaks the chat-completions protocol of `OpenAI`, streamed
//! (<https://platform.openai.com/docs/api-reference/chat-streaming>), read as leniently as its many
//! implementations need.
//!
//! `turn` asks, waits and asks again; `body` makes chunks of the network's bytes; `collector` makes steps of
//! the chunks; `failure` understands refusals.

mod agent;
mod body;
mod chunk;
mod collector;
mod config;
mod failure;
mod request;
mod tools;
mod turn;

pub use agent::OpenAiAgent;
pub use config::{ConfigError, OpenAiConfig, Timeouts};
