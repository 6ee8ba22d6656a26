//! Programs that speak the Agent Client Protocol, version 1, over their standard input and output.
//!
//! Every conversation has a process of its own: an agent that hangs, floods or crashes takes nobody else with it, and
//! stopping it stops nothing else. A process that nobody needs for a while is stopped; the conversation is taken up
//! again by the next one, where the agent can (`session/load`).
//!
//! The messages are the types of the crate `agent-client-protocol`; the lines they travel on are ours
//! (docs/dependencies.md says why).

mod action_cancel;
mod action_server;
mod action_tools;
mod agent;
mod answer;
mod ask_levels;
mod config;
mod diff;
mod echo;
mod failure;
mod folder;
mod held;
mod levels;
mod line;
mod message;
mod open_runs;
mod peer;
mod permission;
mod process;
mod prompt;
mod rest;
mod tools;
mod turn;
mod words;

pub use agent::AcpAgent;
pub use config::{AcpConfig, AcpLimits};
