//! One limiter of calls: the rates that it keeps, and the pause that its platform asked for.

use super::bucket::Bucket;
use std::time::Duration;

/// The time between two calls after a pause, where no rate is known: everybody who waited comes back in turn.
const RETURN: Duration = Duration::from_millis(50);

/// The times at which calls of one scope may go. Times count from the same moment, and only ever forwards.
#[derive(Debug, Default)]
pub(super) struct CallLimiter {
    rates: Vec<Bucket>,
    /// No call before this.
    closed_until: Duration,
    /// The time at which the last pause began.
    closed_at: Duration,
    /// Refusals in a row, counted once a pause.
    streak: u32,
    /// Calls follow one another slowly until nobody waits any more.
    returning: Option<Duration>,
}

impl CallLimiter {
    pub(super) fn new(rates: impl Iterator<Item = Bucket>) -> Self {
        Self {
            rates: rates.collect(),
            ..Self::default()
        }
    }

    /// The time at which a call may go. One that is `counted` keeps the rates; one that is `dispensable` leaves the
    /// last place of a burst to those that are not.
    pub(super) fn free_at(&self, counted: bool, dispensable: bool) -> Duration {
        let counted = self.rates.iter().filter(|_| counted);
        let rates = counted.map(|bucket| bucket.free_at(dispensable));
        let back = self.returning.unwrap_or_default();
        rates.fold(self.closed_until.max(back), Duration::max)
    }

    /// The time until which the platform wants no call.
    pub(super) const fn closed_until(&self) -> Duration {
        self.closed_until
    }

    /// A call goes. `alone`: nobody else waits.
    pub(super) fn spend(&mut self, now: Duration, counted: bool, alone: bool) {
        for bucket in self.rates.iter_mut().filter(|_| counted) {
            bucket.spend(now);
        }
        if self.returning.is_some() {
            self.returning = (!alone).then_some(now + RETURN);
        }
    }

    /// The platform wants no call for so long after `wait` is given how often it said so in a row. Refusals of calls
    /// that began before the last pause did are no news but for a longer wait.
    pub(super) fn close(
        &mut self,
        began: Duration,
        now: Duration,
        wait: impl FnOnce(u32) -> Duration,
    ) -> Duration {
        if self.streak == 0 || began >= self.closed_at {
            self.streak += 1;
            self.closed_at = now;
            self.rates.iter_mut().for_each(Bucket::slow_down);
        }
        self.close_until(now.saturating_add(wait(self.streak)));
        self.closed_until
    }

    /// No call before `until`, and then one after the other.
    pub(super) fn close_until(&mut self, until: Duration) {
        self.closed_until = self.closed_until.max(until);
        for bucket in &mut self.rates {
            bucket.empty(self.closed_until);
        }
        self.returning = Some(self.closed_until);
    }

    /// A call was taken that began at this time.
    pub(super) fn open(&mut self, began: Duration) {
        if began >= self.closed_until {
            self.streak = 0;
            self.rates.iter_mut().for_each(|bucket| bucket.speed_up(began));
        }
    }

    /// True where it holds up nobody, so that it can be forgotten.
    pub(super) fn is_idle(&self, now: Duration) -> bool {
        self.streak == 0 && self.closed_until <= now && self.rates.iter().all(|bucket| bucket.is_idle(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_channels::Rate;

    const SECOND: Duration = Duration::from_secs(1);

    fn limiter(every: u64, at_once: u32) -> CallLimiter {
        let rate = Rate {
            interval: Duration::from_millis(every),
            at_once,
        };
        CallLimiter::new(std::iter::once(Bucket::published(rate)))
    }

    /// The times of calls that all come at once.
    fn times(limiter: &mut CallLimiter, calls: usize) -> Vec<u128> {
        let mut now = Duration::ZERO;
        let mut went = Vec::new();
        for left in (0..calls).rev() {
            now = now.max(limiter.free_at(true, false));
            limiter.spend(now, true, left == 0);
            went.push(now.as_millis());
        }
        went
    }

    #[test]
    fn a_burst_goes_at_once_and_the_rest_evenly() {
        assert_eq!(times(&mut limiter(100, 3), 6), [0, 0, 0, 100, 200, 300]);
        assert_eq!(times(&mut limiter(1_000, 1), 3), [0, 1_000, 2_000]);
    }

    #[test]
    fn after_a_pause_they_come_back_one_after_the_other() {
        let mut limited = limiter(100, 3);
        limited.close_until(SECOND);
        assert_eq!(times(&mut limited, 4), [1_000, 1_100, 1_200, 1_300]);
        let mut unlimited = CallLimiter::default();
        unlimited.close_until(SECOND);
        assert_eq!(times(&mut unlimited, 4), [1_000, 1_050, 1_100, 1_150]);
        assert_eq!(times(&mut unlimited, 2), [1_000, 1_000], "nobody waits any more");
    }

    #[test]
    fn a_wait_without_an_end_closes_it_for_good() {
        let mut limited = limiter(100, 3);
        let until = limited.close(SECOND, SECOND, |_| Duration::MAX);
        assert_eq!(until, Duration::MAX);
        assert_eq!(limited.free_at(true, true), Duration::MAX);
        assert!(!limited.is_idle(SECOND));
    }

    #[test]
    fn a_dispensable_call_leaves_the_last_place_of_a_burst() {
        let mut limiter = limiter(100, 2);
        assert_eq!(limiter.free_at(true, true), Duration::ZERO);
        limiter.spend(Duration::ZERO, true, true);
        assert_eq!(limiter.free_at(true, true), Duration::from_millis(100));
        assert_eq!(limiter.free_at(true, false), Duration::ZERO);
    }

    #[test]
    fn refusals_of_calls_that_were_under_way_count_once() {
        let mut limiter = CallLimiter::default();
        let mut streaks = Vec::new();
        let mut refuse = |began: u64, now: u64| {
            limiter.close(Duration::from_secs(began), Duration::from_secs(now), |streak| {
                streaks.push(streak);
                SECOND * streak
            })
        };
        refuse(0, 1);
        refuse(0, 1);
        refuse(2, 3);
        assert_eq!(refuse(2, 3), Duration::from_secs(5));
        assert_eq!(streaks, [1, 1, 2, 2]);
        limiter.open(SECOND);
        assert_eq!(limiter.streak, 2, "it began before the pause");
        limiter.open(SECOND * 6);
        assert!(limiter.is_idle(SECOND * 6));
    }
}
