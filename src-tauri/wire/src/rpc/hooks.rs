//! Hooks, as an operator sees them.

use crate::{HookEnd, Seq, Timestamp};
use serde::{Deserialize, Serialize};

/// A call of a hook, as the journal has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct HookCall {
    /// The event that tells of it.
    pub seq: Seq,
    /// Its time.
    pub at: Timestamp,
    /// How it ended.
    pub end: HookEnd,
}

/// A hook of the configuration, what it is being told and was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct HookLine {
    /// Its name.
    pub name: String,
    /// The events that it is told of, as in the filter bar; empty for all.
    pub filter: String,
    /// Its program, or its address without path and query, which may hold a key.
    pub destination: String,
    /// True where what is posted is signed.
    pub signed: bool,
    /// The event that it is being told of now.
    pub calling: Option<Seq>,
    /// Events that wait, at most 64.
    pub waiting: u64,
    /// Calls that succeeded since the start of the process.
    pub done: u64,
    /// Calls that failed since the start of the process.
    pub failed: u64,
    /// Events that it is not told of since the start of the process, as too many waited.
    pub left_out: u64,
    /// Its latest call, also of an earlier start.
    pub latest: Option<HookCall>,
    /// Its latest calls that failed, the latest first, also of an earlier start; at most five.
    pub failures: Vec<HookCall>,
}
