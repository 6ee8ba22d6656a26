//! A part of a platform's data that an adapter could not read.

use crate::Platform;
use serde::{Deserialize, Serialize};

/// A part of a platform's data that an adapter could not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct UnreadablePart {
    /// Whose interface it belongs to.
    pub platform: Platform,
    /// Part of that interface, such as `message` or `gateway payload`.
    pub what: String,
    /// The reason for which it cannot be read, in words; it quotes nothing of the data.
    pub error: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its beginning, at most 4 KiB; bytes that are no text are replaced. Empty where `store.keep_unaddressed` is off.
    pub raw: String,
}
