//! The moment up to which something is waited for.
//!
//! A wait for an agent, a platform or a person needs three things: a limit that begins now, a look whether it is
//! over, and work that is given up once it is. A run of an agent that is stopped at 10 s, and may take 5 s to say so:
//!
//! ```text
//!   10.0 s  Deadline::after(clock, 5 s)       ends at 15.0 s of the time that passes
//!   12.0 s  the operator sets the clock back by an hour: it still ends at 15.0 s
//!   14.9 s  is_over: false; the agent says that it stopped: within(…) is Some
//!   15.0 s  is_over: true;  it said nothing: within(…) is None, and the run goes on without it
//! ```
//!
//! What must hold:
//! - It is counted in the time that passes ([`Clock::steady`]): neither a suspend nor a clock that is set moves it.
//! - Work that ends at the moment itself counts: it is asked before the clock.
//! - Limits that one wait shares are one deadline, made once; a new one in each round of a loop never ends.

use foldback_wire::{Clock, Sleep, SteadyTime};
use std::time::Duration;

/// A moment up to which something is waited for. The later one is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline(SteadyTime);

impl Deadline {
    /// Of what is waited for without a limit.
    pub(crate) const NEVER: Self = Self(SteadyTime(Duration::MAX));

    /// The end of a limit that begins now.
    pub(crate) fn after(clock: &dyn Clock, limit: Duration) -> Self {
        Self(clock.steady().plus(limit))
    }

    /// The end of a limit that began at this moment, which may be over.
    pub(crate) const fn from(began: SteadyTime, limit: Duration) -> Self {
        Self(began.plus(limit))
    }

    /// True from its moment on.
    pub(crate) fn is_over(self, clock: &dyn Clock) -> bool {
        clock.steady() >= self.0
    }

    /// Ends at its moment; at once when that is over.
    pub(crate) fn passed(self, clock: &dyn Clock) -> Sleep {
        clock.sleep_until_steady(self.0)
    }

    /// The result of the work; `None` where the deadline passes first, and the work is given up.
    pub(crate) async fn within<T>(self, clock: &dyn Clock, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.passed(clock) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::TokioClock;
    use foldback_wire::Timestamp;

    const LIMIT: Duration = Duration::from_secs(5);

    fn pause(clock: &dyn Clock, ms: u64) -> Sleep {
        clock.sleep_until_steady(clock.steady().plus(Duration::from_millis(ms)))
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_over_from_its_moment_on() {
        let clock = TokioClock::at(Timestamp(0));
        let deadline = Deadline::after(&clock, LIMIT);
        pause(&clock, 4_999).await;
        assert!(!deadline.is_over(&clock));
        deadline.passed(&clock).await;
        assert!(deadline.is_over(&clock));
        assert_eq!(clock.now(), Timestamp(5_000));
        deadline.passed(&clock).await;
        assert_eq!(clock.now(), Timestamp(5_000), "at once when it is over");
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_ends_at_the_moment_itself_counts_and_later_work_is_given_up() {
        let clock = TokioClock::at(Timestamp(0));
        let deadline = Deadline::after(&clock, LIMIT);
        assert_eq!(deadline.within(&clock, pause(&clock, 5_000)).await, Some(()));
        // Shared by what follows, whose limit is over already.
        assert_eq!(deadline.within(&clock, pause(&clock, 1)).await, None);
        assert_eq!(deadline.within(&clock, std::future::ready(1)).await, Some(1));
        assert_eq!(clock.now(), Timestamp(5_000));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_it_is_the_latest_and_is_not_over() {
        let clock = TokioClock::at(Timestamp(0));
        assert!(Deadline::after(&clock, LIMIT) < Deadline::NEVER);
        assert_eq!(Deadline::after(&clock, Duration::MAX), Deadline::NEVER);
        pause(&clock, 1_000_000).await;
        assert!(!Deadline::NEVER.is_over(&clock));
    }
}
