//! How a platform refuses, whichever platform it is.

use crate::LimitScope;
use foldback_wire::RefusalCode;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How a platform refused. Typed, so that nobody matches on error texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{code}: {detail}")]
pub struct Refusal {
    /// Which kind.
    pub code: RefusalCode,
    /// What the platform said, in words, without secrets.
    pub detail: String,
    /// How long to wait, for `rate_limited`. Milliseconds in JSON.
    #[serde(rename = "retry_after_ms", with = "crate::millis")]
    pub retry_after: Option<Duration>,
    /// Which calls are to wait, for `rate_limited`.
    #[serde(default)]
    pub scope: LimitScope,
    /// As in [`crate::Ack::bucket`].
    #[serde(default)]
    pub bucket: Option<String>,
    /// The call never left this machine: no name was found, no connection made. Never together with `maybe_done`.
    #[serde(default)]
    pub unsent: bool,
    /// Whether the platform may have done it all the same (a time-out, a connection lost after sending).
    pub maybe_done: bool,
    /// A front end answered in the platform's place, with 502, 503 or 504 and no word of the platform's own: it almost
    /// never has passed the call on. Only together with `maybe_done`.
    #[serde(default)]
    pub by_front_end: bool,
}

impl Refusal {
    /// A refusal that certainly changed nothing on the platform.
    pub fn new(code: RefusalCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            retry_after: None,
            scope: LimitScope::Unstated,
            bucket: None,
            unsent: false,
            maybe_done: false,
            by_front_end: false,
        }
    }

    /// What [`crate::ChannelAdapter::fetch`] answers about a file without a handle: older journals have none, and some
    /// platforms none for some things.
    pub(crate) fn no_handle() -> Self {
        Self::new(
            RefusalCode::Unsupported,
            "the platform gave nothing to fetch it by",
        )
    }

    /// What [`crate::ChannelAdapter::fetch`] answers about a file that is too large.
    pub(crate) fn too_large(limit: u64) -> Self {
        Self::new(RefusalCode::TooLong, format!("it has more than {limit} bytes"))
    }

    /// This refusal, of a call that never left this machine.
    #[must_use]
    pub(crate) fn never_sent(self) -> Self {
        Self {
            unsent: true,
            maybe_done: false,
            ..self
        }
    }

    /// The same of a call that changes nothing on the platform, so that nobody asks whether it was done.
    #[must_use]
    pub(crate) fn harmless(self) -> Self {
        Self {
            maybe_done: false,
            by_front_end: false,
            ..self
        }
    }

    /// The same, when nobody can know whether the platform did it.
    #[must_use]
    pub fn or_done(self) -> Self {
        Self {
            maybe_done: true,
            ..self
        }
    }
}
