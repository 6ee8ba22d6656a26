//! What is known of application commands and of their interactions.

use serde_json::Value;
use std::collections::BTreeMap;

/// The application's commands, and what became of those that somebody used.
#[derive(Debug, Default)]
pub(super) struct Commands {
    pub(super) set: Vec<Value>,
    /// Interactions that are not answered, with their tokens.
    pub(super) open: BTreeMap<u64, String>,
    /// The answers, in order.
    pub(super) answers: Vec<Value>,
}
