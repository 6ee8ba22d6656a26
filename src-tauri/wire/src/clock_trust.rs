//! Trust in the time of day before something is deleted by it.
//!
//! A clock that stands months ahead makes everything look old, and what is deleted does not come back when the clock is set
//! right. After such a start, or such a jump, a clock is trusted once it has gone on for a day without another one.

use crate::{Clock, SteadyTime};
use std::time::Duration;

/// A watch over a clock's jumps ahead.
#[derive(Debug)]
pub struct ClockTrust {
    /// The time of day less the time that passed, in milliseconds, at the last look.
    ahead: i64,
    /// Since when it has not jumped ahead.
    since: SteadyTime,
}

impl ClockTrust {
    /// Time for which a clock has to go on before anything is deleted by it.
    pub const DAY: Duration = Duration::from_hours(24);

    /// Jump, in milliseconds, that begins this time anew. Smaller ones, as of a time server, make no difference to an age of
    /// days.
    const JUMP: i64 = 3_600_000;

    /// A watch that begins now.
    pub fn new(clock: &dyn Clock) -> Self {
        Self {
            ahead: ahead(clock),
            since: clock.steady(),
        }
    }

    /// True once the clock has gone on for [`Self::DAY`] without a jump ahead. Jumps between two looks count together.
    pub fn has_gone_on(&mut self, clock: &dyn Clock) -> bool {
        let ahead = ahead(clock);
        if ahead.saturating_sub(self.ahead) > Self::JUMP {
            self.since = clock.steady();
        }
        self.ahead = ahead;
        clock.steady().since(self.since) >= Self::DAY
    }
}

fn ahead(clock: &dyn Clock) -> i64 {
    let passed = i64::try_from(clock.steady().0.as_millis()).unwrap_or(i64::MAX);
    clock.now().0.saturating_sub(passed)
}
