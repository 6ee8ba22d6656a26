//! How a channel answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The moment from which a channel shows that an answer is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TypingMode {
    /// It is never shown.
    Never,
    /// From the beginning of the turn.
    #[default]
    Instant,
    /// From the first reasoning of the agent, or its first text where it tells of none.
    Thinking,
    /// From the first text that the chat is to see; not for an answer that stays silent.
    Message,
}
