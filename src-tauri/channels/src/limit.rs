//! Too many calls, as a platform tells it: for how long it wants no more, and which ones.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Longest wait that a platform is taken at its word for. No limit of theirs lasts longer, and a number far beyond it is a
/// mistake of whoever answered.
const LONGEST_WAIT: Duration = Duration::from_hours(30 * 24);

/// A wait that a platform asks for, which may be any number.
pub(crate) fn platform_wait(asked: Duration) -> Duration {
    asked.min(LONGEST_WAIT)
}

/// The calls that a rate limit counts, and that wait until it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitScope {
    /// The platform does not say: those of the route in the chat, unless others are refused at the same time.
    #[default]
    Unstated,
    /// All calls of the channel.
    Channel,
    /// Calls of the same chat.
    Chat,
    /// Calls of the same route, in every chat.
    Route,
    /// Calls of the same route in the same chat.
    RouteInChat,
}

/// A platform's word that it wants no more calls for a while, said with an answer that was none of them yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Which calls.
    pub scope: LimitScope,
    /// For how long, from the answer on. Milliseconds in JSON.
    #[serde(rename = "after_ms", with = "crate::millis::always")]
    pub after: Duration,
}
