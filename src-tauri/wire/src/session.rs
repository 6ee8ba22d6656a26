//! The beginning and the end of a session, as the journal keeps them.

use crate::{Timestamp, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// The rule by which a session ends by itself.
    pub enum ExpiryRule {
        Daily = "daily": "A new one begins every day (`session.reset.daily_at`).",
        Idle = "idle": "Nothing was said in it for too long (`session.reset.idle`).",
    }
}

/// The end of a session that nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionExpiry {
    /// The rule that ended it.
    pub rule: ExpiryRule,
    /// The time of what was last said in it.
    pub last_used: Timestamp,
    /// The time at which it ended.
    pub at: Timestamp,
}

/// A setting that a session keeps when it begins anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct KeptSetting {
    /// The setting, such as `send` or `exec.ask`.
    pub setting: String,
    /// Its value.
    pub value: String,
}
