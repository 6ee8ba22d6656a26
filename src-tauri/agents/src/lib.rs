//! Agent backends: each turns a request into a stream of steps.

mod agent;

pub use agent::{Agent, AgentEvent, Step, StepSink, TurnRequest};
