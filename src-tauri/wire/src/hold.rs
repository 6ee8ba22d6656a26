//! A hold of the scanner, as the journal tells it.

use foldback_directives::{HoldReason, Span};
use serde::{Deserialize, Serialize};

/// The bytes that are held back at the moment, and the rule behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Hold {
    /// The raw bytes held.
    pub span: Span,
    /// The reason.
    pub reason: HoldReason,
    /// Id of the rule that fired, such as `G3.partial`.
    pub rule: String,
    /// The rule with its inputs, in words.
    pub because: String,
    /// The event that would release it, in words.
    pub releases: String,
}
