//! Agent backends: each turns a request into a stream of steps.

mod agent;
pub mod demo;
mod emitter;
mod script;

pub use agent::{Agent, AgentEvent, Step, StepSink, TurnRequest};
pub use script::{Act, Rule, RuleError, ScriptAgent, ScriptStep, ToolStep, When};
