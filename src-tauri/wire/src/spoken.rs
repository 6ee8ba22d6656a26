//! The sound of a voice directive.

use crate::DirectiveRef;
use serde::{Deserialize, Serialize};

/// A voice directive whose words were made into sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SpokenDirective {
    /// The directive.
    pub at: DirectiveRef,
    /// The backend that spoke.
    pub backend: String,
    /// Time that it plays.
    pub duration_ms: u64,
    /// Size of the file.
    pub bytes: u64,
    /// The name under which the sound is kept to be heard again; none where it is not kept.
    pub kept: Option<String>,
}
