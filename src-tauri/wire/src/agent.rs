//! The stream of an agent, as the journal keeps it.

use crate::{ToolId, closed::closed_set};
use serde::{Deserialize, Serialize};
use std::fmt;

closed_set! {
    /// The reason for which an agent's run ended.
    pub enum StopReason {
        End = "end": "It had nothing more to say.",
        Length = "length": "The answer is as long as it may be: a limit of the model or of the chat was reached.",
        Refusal = "refusal": "The model refused.",
        Cancelled = "cancelled": "A person or the pipeline cancelled it.",
        Error = "error": "It failed.",
    }
}

closed_set! {
    /// The way by which a run came to the agent's own session.
    pub enum SessionStart {
        New = "new": "The conversation begins.",
        Resumed = "resumed": "The agent took the conversation up again.",
        Lost = "lost": "The agent does not have the conversation any more; a new one begins.",
    }
}

closed_set! {
    /// The work that a running turn does at the moment.
    pub enum RunActivity {
        Starting = "starting": "The agent was asked and has said nothing yet.",
        Thinking = "thinking": "The agent thinks.",
        Writing = "writing": "The agent writes.",
        Tool = "tool": "The agent called a tool and has not told how that ended.",
        Asking = "asking": "A request for permission waits.",
        Delivering = "delivering": "The agent is done; what it said is delivered.",
    }
}

closed_set! {
    /// The state of a tool call.
    pub enum ToolStatus {
        Pending = "pending": "Announced.",
        Running = "running": "Running.",
        Completed = "completed": "Done.",
        Failed = "failed": "Failed.",
        Unfinished = "unfinished": "The run ended without word of the call's end, or of whether it was carried out.",
    }
}

impl ToolStatus {
    /// True where nothing more is expected of the call.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Unfinished)
    }
}

closed_set! {
    /// The failure of an agent.
    pub enum AgentFault {
        Overloaded = "overloaded": "The backend has too much to do.",
        RateLimited = "rate_limited": "The backend asked to wait.",
        Unauthorized = "unauthorized": "The backend refused the credentials.",
        Unreachable = "unreachable": "No connection to the backend.",
        Disconnected = "disconnected": "The agent's stream broke off.",
        Malformed = "malformed": "The backend sent what the protocol does not allow.",
        Timeout = "timeout": "Nothing came for too long.",
        TooLarge = "too_large": "The answer was longer than is accepted.",
        NoModel = "no_model": "The backend does not have the model, or the agent.",
        Rejected = "rejected": "The backend refused the request.",
        Internal = "internal": "The backend reported an error of its own.",
    }
}

/// A tool call, as last known. Calls are upserted by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ToolCall {
    /// The agent's id for it.
    pub id: ToolId,
    /// The tool's name.
    pub name: String,
    /// Its state.
    pub status: ToolStatus,
    /// Arguments, as JSON text, as far as known.
    pub arguments: Option<String>,
    /// Result, possibly shortened.
    pub result: Option<String>,
}

impl ToolCall {
    /// The end of a call that its run, or its attempt, did not tell.
    pub const fn unfinished(id: ToolId, name: String) -> Self {
        Self {
            id,
            name,
            status: ToolStatus::Unfinished,
            arguments: None,
            result: None,
        }
    }
}

/// The backend and model that answer a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Answerer {
    /// The backend.
    pub backend: String,
    /// The model, where known.
    pub model: Option<String>,
}

impl fmt::Display for Answerer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.model {
            Some(model) => write!(f, "{} {model}", self.backend),
            None => f.write_str(&self.backend),
        }
    }
}

/// Tokens used by a run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS,
)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}
