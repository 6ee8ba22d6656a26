//! Faults: how a simulated platform misbehaves, as a fixture or a person asks.

use foldback_wire::{OpKind, RefusalCode};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Too many requests; `retry_after_ms` says how long to wait.
    RateLimited,
    /// The chat or message no longer exists.
    Gone,
    /// The bot may not do that there.
    Forbidden,
    /// Longer or larger than the platform takes.
    TooLong,
    /// The platform cannot do that.
    Unsupported,
    /// A passing fault; nothing was done.
    Transient,
    /// Refused for another reason.
    Rejected,
    /// It is done, but the answer never arrives.
    LostAck,
    /// The connection breaks before the call arrives, which the caller cannot know. The channel is down for
    /// `retry_after_ms` (one second unless told).
    Disconnect,
}

impl Failure {
    /// The refusal the platform answers with; `None` where no answer arrives.
    pub(super) const fn refusal(self) -> Option<RefusalCode> {
        Some(match self {
            Self::RateLimited => RefusalCode::RateLimited,
            Self::Gone => RefusalCode::Gone,
            Self::Forbidden => RefusalCode::Forbidden,
            Self::TooLong => RefusalCode::TooLong,
            Self::Unsupported => RefusalCode::Unsupported,
            Self::Transient => RefusalCode::Transient,
            Self::Rejected => RefusalCode::Rejected,
            Self::LostAck | Self::Disconnect => return None,
        })
    }
}

/// One planned misbehaviour. The shape of `faults:` in a fixture. Of several that hit one call the first counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Which operation.
    pub op: OpKind,
    /// Which call of that operation, from 1, counted from the start of the platform.
    #[serde(default = "one")]
    pub nth: u32,
    /// How many calls from there on.
    #[serde(default = "one")]
    pub times: u32,
    /// How it fails; without it the call is only late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail: Option<Failure>,
    /// How long to wait, for `rate_limited` and `disconnect`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// How long the call is on its way before it arrives.
    #[serde(default)]
    pub latency_ms: u64,
}

const fn one() -> u32 {
    1
}

impl Fault {
    /// The first call of `op` fails so.
    pub const fn first(op: OpKind, fail: Failure) -> Self {
        Self {
            op,
            nth: 1,
            times: 1,
            fail: Some(fail),
            retry_after_ms: None,
            latency_ms: 0,
        }
    }

    pub(super) fn hits(&self, op: OpKind, call: u32) -> bool {
        self.op == op && call >= self.nth && call - self.nth < self.times
    }

    pub(crate) const fn latency(&self) -> Duration {
        Duration::from_millis(self.latency_ms)
    }

    /// How long the channel is down after a `disconnect`.
    pub(crate) fn outage(&self) -> Option<Duration> {
        (self.fail == Some(Failure::Disconnect))
            .then(|| Duration::from_millis(self.retry_after_ms.unwrap_or(1_000)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_says_little() {
        let read = |json| serde_json::from_str::<Fault>(json);
        let fault = read(r#"{"op": "send_text", "fail": "rate_limited", "retry_after_ms": 1500}"#).unwrap();
        let expected = Fault::first(OpKind::SendText, Failure::RateLimited);
        assert_eq!(
            fault,
            Fault {
                retry_after_ms: Some(1_500),
                ..expected
            }
        );
        assert_eq!(read(r#"{"op": "typing", "latency_ms": 9}"#).unwrap().fail, None);
        let wrong = read(r#"{"op": "send_text", "retry_after": 1500}"#).unwrap_err();
        assert!(wrong.to_string().contains("retry_after_ms"), "{wrong}");
    }

    #[test]
    fn a_fault_hits_its_calls_and_no_others() {
        let fault = Fault {
            nth: 2,
            times: 2,
            ..Fault::first(OpKind::React, Failure::Gone)
        };
        let hit: Vec<_> = (1..=5).filter(|call| fault.hits(OpKind::React, *call)).collect();
        assert_eq!(hit, [2, 3]);
        assert!(!fault.hits(OpKind::Delete, 2));
    }
}
