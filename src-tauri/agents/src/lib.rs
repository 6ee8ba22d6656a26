//! Agent backends: each turns a request into a stream of steps.

mod agent;
pub mod demo;
mod emitter;
mod faulty;
mod history;
mod joiner;
mod openai;
mod script;
mod sse;
#[cfg(feature = "strict-server")]
pub mod strict_server;

pub use agent::{Accepts, Agent, AgentEvent, AgentFile, Step, StepSink, TurnRequest};
pub use faulty::Faulty;
pub use foldback_wire::Secret;
pub use history::HistoryLimits;
pub use openai::{ConfigError, OpenAiAgent, OpenAiConfig, Timeouts};
pub use script::{Act, Rule, RuleError, ScriptAgent, ScriptStep, ToolStep, When};
