//! Bounds of visitors that a configuration sets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bounds of the visitors of a web chat (`[channels.NAME.limits]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VisitorLimits {
    /// Most messages and reactions of one visitor in a minute.
    pub messages_per_minute: u32,
    /// Most conversations that are kept. Where all are in use, nobody new is let in; one address has a tenth of them at most.
    pub conversations: u32,
}

impl Default for VisitorLimits {
    fn default() -> Self {
        Self {
            messages_per_minute: 20,
            conversations: 1_000,
        }
    }
}
