//! Levels that count where neither a message nor its session sets one.

use foldback_directives::inbound::{Reasoning, Verbose};
use foldback_wire::ThinkLevel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The levels of a turn where neither its message (`/think high`) nor its session sets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LevelDefaults {
    /// How much the agent thinks; its own level when absent. A backend that has no such level says so in the journal.
    pub think: Option<ThinkLevel>,
    /// How much of the agent's work the chat is told, where the channel has no `tools` of its own; `output.tools` when
    /// absent.
    pub verbose: Option<Verbose>,
    /// Whether the chat sees the agent's reasoning, where the channel has no `reasoning` of its own; `output.reasoning` when
    /// absent.
    pub reasoning: Option<Reasoning>,
}
