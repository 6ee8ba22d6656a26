//! What became of telling a hook.

use crate::Seq;
use serde::{Deserialize, Serialize};

/// What became of telling a hook of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct HookEnd {
    /// Its name in the configuration.
    pub hook: String,
    /// The event that it was told of, or was to be told of when the bot ended.
    pub event: Seq,
    /// True where its program ended with status 0, or its address answered with a status of success.
    pub done: bool,
    /// The exit status, the status of the answer, or the error, in words.
    pub detail: String,
    /// How often it was tried; 0 where the bot ended before.
    pub attempts: u32,
    /// Milliseconds that all attempts took together, with the waits between them.
    pub took_ms: u64,
    /// Further events that passed its filter since it was told last and that it is not told of, as too many waited or the
    /// bot ended.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_out: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_none(left_out: &u64) -> bool {
    *left_out == 0
}
