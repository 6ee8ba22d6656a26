//! Planned faults: how a call to a platform, or an agent's run, is made to go wrong, as a fixture or a person asks.

use crate::{AgentFault, OpKind, RefusalCode, closed::closed_set};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// The end of the words about what a planned fault does.
pub const PLANNED: &str = "a planned fault";

/// Longest wait of a planned fault, in milliseconds: an hour.
pub const LONGEST_FAULT_MS: u64 = 3_600_000;

closed_set! {
    /// The way in which a call to a platform fails.
    pub enum CallFailure {
        RateLimited = "rate_limited": "Too many requests: it asks to wait.",
        Gone = "gone": "The message or file no longer exists.",
        ChatGone = "chat_gone": "The chat or thread no longer exists, or takes no messages.",
        Forbidden = "forbidden": "The bot may not do that there.",
        Unauthorized = "unauthorized": "The platform does not take the bot's token or account.",
        TooLong = "too_long": "Longer or larger than the platform takes.",
        Unsupported = "unsupported": "The platform cannot do that.",
        Transient = "transient": "A passing fault: nothing was done.",
        Rejected = "rejected": "Refused for another reason.",
        LostAck = "lost_ack": "It is done, but the answer never arrives.",
        Disconnect = "disconnect": "The connection breaks before the call arrives, which the caller cannot know.",
    }
}

impl CallFailure {
    /// The refusal the platform answers with; `None` where no answer arrives.
    pub const fn refusal(self) -> Option<RefusalCode> {
        Some(match self {
            Self::RateLimited => RefusalCode::RateLimited,
            Self::Gone => RefusalCode::Gone,
            Self::ChatGone => RefusalCode::ChatGone,
            Self::Forbidden => RefusalCode::Forbidden,
            Self::Unauthorized => RefusalCode::Unauthorized,
            Self::TooLong => RefusalCode::TooLong,
            Self::Unsupported => RefusalCode::Unsupported,
            Self::Transient => RefusalCode::Transient,
            Self::Rejected => RefusalCode::Rejected,
            Self::LostAck | Self::Disconnect => return None,
        })
    }
}

/// One planned misbehaviour of a platform. The shape of `faults:` in a fixture. Of several that hit one call the
/// first counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct CallFault {
    /// The operation.
    pub op: OpKind,
    /// The call of that operation, from 1, counted from when the fault is planned.
    #[serde(default = "one")]
    pub nth: u32,
    /// The number of calls from there on.
    #[serde(default = "one")]
    pub times: u32,
    /// The kind of the failure; without it the call is only late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fail: Option<CallFailure>,
    /// The time to wait in milliseconds, for `rate_limited`; the time for which the channel is down, for `disconnect`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retry_after_ms: Option<u64>,
    /// The time for which the call is on its way before it arrives, in milliseconds.
    #[serde(default)]
    pub latency_ms: u64,
}

const fn one() -> u32 {
    1
}

/// True where the call or run of this number, from 1, is one of `times` from the `nth` on.
const fn hits(nth: u32, times: u32, number: u32) -> bool {
    number >= nth && number - nth < times
}

impl CallFault {
    /// The first call of `op` fails so.
    pub const fn first(op: OpKind, fail: CallFailure) -> Self {
        Self {
            op,
            nth: 1,
            times: 1,
            fail: Some(fail),
            retry_after_ms: None,
            latency_ms: 0,
        }
    }

    /// True where it hits the call of this number, from 1, of that operation.
    pub fn hits(&self, op: OpKind, call: u32) -> bool {
        self.op == op && hits(self.nth, self.times, call)
    }

    /// The time for which the call is on its way.
    pub const fn latency(&self) -> Duration {
        Duration::from_millis(self.latency_ms)
    }

    /// The time for which the channel is down after a `disconnect`: one second unless told.
    pub fn outage(&self) -> Option<Duration> {
        (self.fail == Some(CallFailure::Disconnect))
            .then(|| Duration::from_millis(self.retry_after_ms.filter(|ms| *ms > 0).unwrap_or(1_000)))
    }
}

closed_set! {
    /// The chunks in which the text of an answer comes.
    pub enum ChunkCut {
        Burst = "burst": "Nothing comes until the run ends, then all of it at once.",
        Bytes = "bytes": "One byte at a time, also inside a character; the agent layer puts characters together.",
    }
}

/// One planned misbehaviour of an agent's stream. Of several that hit one run the first counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct RunFault {
    /// The run of the agent, from 1, counted from when the fault is planned.
    #[serde(default = "one")]
    pub nth: u32,
    /// The number of runs from there on.
    #[serde(default = "one")]
    pub times: u32,
    /// The time for which nothing comes at first, in milliseconds.
    #[serde(default)]
    pub first_byte_ms: u64,
    /// After how many bytes of text it stalls and fails; at the end, where there are fewer.
    #[serde(default)]
    pub after_bytes: u64,
    /// The time for which nothing comes there, in milliseconds.
    #[serde(default)]
    pub stall_ms: u64,
    /// The kind of the failure there; without it, it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub fail: Option<AgentFault>,
    /// The way in which its text is cut into chunks; without it, as the agent gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cut: Option<ChunkCut>,
}

impl RunFault {
    /// A run that goes well, to be made worse.
    pub const fn nth(nth: u32) -> Self {
        Self {
            nth,
            times: 1,
            first_byte_ms: 0,
            after_bytes: 0,
            stall_ms: 0,
            fail: None,
            cut: None,
        }
    }

    /// True where it hits the run of this number, from 1.
    pub const fn hits(&self, run: u32) -> bool {
        hits(self.nth, self.times, run)
    }
}

/// A planned fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Of a call to a platform.
    Call(CallFault),
    /// Of an agent's run.
    Run(RunFault),
}

impl Fault {
    /// True where it does something, and nothing for ever.
    ///
    /// # Errors
    /// The mistake, in words.
    pub const fn check(&self) -> Result<(), &'static str> {
        let (nth, times, waits, idle) = match self {
            Self::Call(fault) => (
                fault.nth,
                fault.times,
                [fault.latency_ms, wait(fault.retry_after_ms)],
                fault.fail.is_none() && fault.latency_ms == 0,
            ),
            Self::Run(fault) => (
                fault.nth,
                fault.times,
                [fault.first_byte_ms, fault.stall_ms],
                fault.fail.is_none()
                    && fault.cut.is_none()
                    && fault.first_byte_ms == 0
                    && fault.stall_ms == 0,
            ),
        };
        if nth == 0 || times == 0 {
            return Err("calls and runs are counted from 1");
        }
        if waits[0] > LONGEST_FAULT_MS || waits[1] > LONGEST_FAULT_MS {
            return Err("no wait is longer than an hour");
        }
        if idle {
            return Err("it would change nothing");
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    /// The fault in a line: `send_text 1: rate_limited, wait 1500 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let mut add = |when: bool, words: String| {
            if when {
                parts.push(words);
            }
        };
        let which = match self {
            Self::Call(fault) => {
                let wait = fault.retry_after_ms.map(|ms| format!(", wait {ms} ms"));
                let fail = fault.fail.map(CallFailure::code).unwrap_or_default();
                add(fault.latency_ms > 0, format!("{} ms late", fault.latency_ms));
                add(
                    fault.fail.is_some(),
                    format!("{fail}{}", wait.unwrap_or_default()),
                );
                format!("{} {}", fault.op, Numbers(fault.nth, fault.times))
            }
            Self::Run(fault) => {
                let place = match fault.after_bytes {
                    0 => String::new(),
                    bytes => format!("after {bytes} bytes "),
                };
                let fail = fault.fail.map(AgentFault::code).unwrap_or_default();
                let cut = fault.cut.map(ChunkCut::code).unwrap_or_default();
                add(
                    fault.first_byte_ms > 0,
                    format!("nothing for {} ms", fault.first_byte_ms),
                );
                add(
                    fault.stall_ms > 0,
                    format!("{place}stalls for {} ms", fault.stall_ms),
                );
                add(fault.fail.is_some(), format!("{place}fails: {fail}"));
                add(fault.cut.is_some(), format!("comes as {cut}"));
                format!("run {}", Numbers(fault.nth, fault.times))
            }
        };
        write!(f, "{which}: {}", parts.join(", "))
    }
}

/// The numbers of `1` calls from the `0`th on.
struct Numbers(u32, u32);

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(nth, times) = *self;
        match times {
            1 => write!(f, "{nth}"),
            u32::MAX => write!(f, "{nth} and all later"),
            _ => write!(f, "{nth} to {}", nth.saturating_add(times.saturating_sub(1))),
        }
    }
}

const fn wait(ms: Option<u64>) -> u64 {
    match ms {
        Some(ms) => ms,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_says_little() {
        let read = |json| serde_json::from_str::<CallFault>(json);
        let fault = read(r#"{"op": "send_text", "fail": "rate_limited", "retry_after_ms": 1500}"#).unwrap();
        let expected = CallFault::first(OpKind::SendText, CallFailure::RateLimited);
        assert_eq!(
            fault,
            CallFault {
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
        let fault = CallFault {
            nth: 2,
            times: 2,
            ..CallFault::first(OpKind::React, CallFailure::Gone)
        };
        let hit: Vec<_> = (1..=5).filter(|call| fault.hits(OpKind::React, *call)).collect();
        assert_eq!(hit, [2, 3]);
        assert!(!fault.hits(OpKind::Delete, 2));
        assert!(!RunFault::nth(2).hits(1) && RunFault::nth(2).hits(2) && !RunFault::nth(2).hits(3));
    }

    #[test]
    fn a_fault_says_in_a_line_what_it_does() {
        let limited = CallFault {
            retry_after_ms: Some(1_500),
            ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
        };
        let late = CallFault {
            nth: 2,
            times: 3,
            fail: None,
            latency_ms: 40,
            ..limited.clone()
        };
        let broken = RunFault {
            times: u32::MAX,
            first_byte_ms: 7,
            after_bytes: 9,
            fail: Some(AgentFault::Disconnected),
            cut: Some(ChunkCut::Bytes),
            ..RunFault::nth(1)
        };
        let lines = [Fault::Call(limited), Fault::Call(late), Fault::Run(broken)].map(|f| f.to_string());
        assert_eq!(
            lines,
            [
                "send_text 1: rate_limited, wait 1500 ms",
                "send_text 2 to 4: 40 ms late",
                "run 1 and all later: nothing for 7 ms, after 9 bytes fails: disconnected, comes as bytes",
            ]
        );
    }

    #[test]
    fn what_does_nothing_or_never_ends_is_no_fault() {
        let call = CallFault::first(OpKind::React, CallFailure::Gone);
        let run = RunFault {
            stall_ms: 1,
            ..RunFault::nth(1)
        };
        let call = |change: fn(&mut CallFault)| {
            let mut fault = call.clone();
            change(&mut fault);
            Fault::Call(fault)
        };
        let run = |change: fn(&mut RunFault)| {
            let mut fault = run.clone();
            change(&mut fault);
            Fault::Run(fault)
        };
        for good in [call(|_| ()), run(|_| ()), call(|f| f.times = u32::MAX)] {
            assert_eq!(good.check(), Ok(()), "{good:?}");
        }
        for bad in [
            call(|f| f.nth = 0),
            call(|f| f.times = 0),
            call(|f| f.fail = None),
            call(|f| f.latency_ms = LONGEST_FAULT_MS + 1),
            call(|f| f.retry_after_ms = Some(u64::MAX)),
            run(|f| f.nth = 0),
            run(|f| f.times = 0),
            run(|f| f.stall_ms = 0),
            run(|f| f.first_byte_ms = u64::MAX),
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }
}
