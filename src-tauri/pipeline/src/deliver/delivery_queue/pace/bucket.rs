//! A rate of calls, and what refusals teach about it: additive increase, multiplicative decrease (RFC 5681 does so with
//! the window of a connection).

use foldback_channels::Rate;
use std::time::Duration;

/// A refusal makes the calls so much slower: by a quarter.
const SLOWER: f64 = 4.0 / 3.0;
/// Slowest pace that refusals teach, in intervals of the rate. A platform that refuses calls at half of its rate as
/// well either does not refuse them for their pace, and slower ones would keep people waiting for nothing, or it says
/// itself how long they wait.
const SLOWEST: u32 = 2;
/// Calls a second that a busy second adds, once there was a refusal.
const CAREFUL: f64 = 0.125;
/// Calls a second that a busy second adds to a rate that nobody published, before any refusal.
const EAGER: f64 = 2.0;
/// Shortest interval that is learned.
const LEAST: Duration = Duration::from_millis(1);
/// After so long a rest, what was learned is forgotten.
const FORGET: Duration = Duration::from_hours(1);

/// A rate, by when its bucket is full again (the generic cell rate algorithm, ITU-T I.371).
#[derive(Debug)]
pub(super) struct Bucket {
    rate: Rate,
    /// Nobody published the rate: calls may become faster than it.
    assumed: bool,
    /// The time between two calls, as far as it was learned.
    interval: Duration,
    refused: bool,
    full_at: Duration,
}

impl Bucket {
    /// A rate that is published: never faster.
    pub(super) const fn published(rate: Rate) -> Self {
        Self {
            rate,
            assumed: false,
            interval: rate.interval,
            refused: false,
            full_at: Duration::ZERO,
        }
    }

    /// A rate to begin with, where none is published.
    pub(super) const fn assumed(rate: Rate) -> Self {
        Self {
            assumed: true,
            ..Self::published(rate)
        }
    }

    /// The time at which a call may go. One that is dispensable leaves the last place of a burst to those that are not.
    pub(super) fn free_at(&self, dispensable: bool) -> Duration {
        let left = u32::from(dispensable && self.rate.at_once > 1);
        let room = self.rate.at_once.saturating_sub(1 + left);
        self.full_at.saturating_sub(self.interval * room)
    }

    /// A call goes.
    pub(super) fn spend(&mut self, now: Duration) {
        if self.full_at.saturating_add(FORGET) <= now {
            self.interval = self.rate.interval;
            self.refused = false;
        }
        self.full_at = self.full_at.max(now).saturating_add(self.interval);
    }

    /// No call before `until`, and no burst then.
    pub(super) fn empty(&mut self, until: Duration) {
        let burst = self.interval * (self.rate.at_once - 1);
        self.full_at = self.full_at.max(until.saturating_add(burst));
    }

    /// The platform refused a call although it kept this rate.
    pub(super) fn slow_down(&mut self) {
        self.refused = true;
        self.interval = self.interval.mul_f64(SLOWER).min(self.rate.interval * SLOWEST);
    }

    /// The platform took a call that began at this time: where the rate held others up, they may go a little faster.
    pub(super) fn speed_up(&mut self, began: Duration) {
        let least = if self.assumed { LEAST } else { self.rate.interval };
        if self.interval <= least || self.full_at < began + self.interval * self.rate.at_once {
            return;
        }
        let more = if self.refused { CAREFUL } else { EAGER };
        let interval = self.interval.as_secs_f64();
        let faster = interval / (1.0 + more * interval * interval);
        self.interval = Duration::from_secs_f64(faster).max(least);
    }

    /// True where nothing of it matters any more.
    pub(super) fn is_idle(&self, now: Duration) -> bool {
        let learned = self.interval != self.rate.interval;
        let rest = if learned { FORGET } else { Duration::ZERO };
        self.full_at.saturating_add(rest) <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        interval: Duration::from_millis(100),
        at_once: 5,
    };

    /// Calls one after the other as fast as they may go, for so many seconds, of which those over `most` a second are
    /// refused. Gives the calls, those that were refused, and those of the last second.
    fn busy(bucket: &mut Bucket, seconds: u64, most: usize) -> (usize, usize, usize) {
        let (mut now, end) = (Duration::ZERO, Duration::from_secs(seconds));
        let mut taken: Vec<Duration> = Vec::new();
        let (mut calls, mut refused) = (0, 0);
        loop {
            now = now.max(bucket.free_at(false));
            if now >= end {
                break;
            }
            bucket.spend(now);
            calls += 1;
            let recent = taken
                .iter()
                .rev()
                .take_while(|at| **at + Duration::from_secs(1) > now);
            if recent.count() >= most {
                refused += 1;
                bucket.slow_down();
                bucket.empty(now + Duration::from_secs(1));
            } else {
                taken.push(now);
                bucket.speed_up(now);
            }
        }
        let last = taken.iter().filter(|at| **at + Duration::from_secs(1) >= end);
        (calls, refused, last.count())
    }

    #[test]
    fn a_published_rate_is_never_left() {
        let mut bucket = Bucket::published(RATE);
        let (calls, refused, _) = busy(&mut bucket, 60, 1_000);
        assert_eq!((calls, refused), (604, 0));
    }

    #[test]
    fn a_rate_that_nobody_published_is_found() {
        let mut bucket = Bucket::assumed(RATE);
        let (calls, refused, last) = busy(&mut bucket, 300, 20);
        assert!(refused * 100 <= calls, "{refused} of {calls} refused");
        assert!(last >= 12, "{last} in the last second, of 20 that are taken");
    }

    #[test]
    fn refusals_slow_a_published_rate_down_and_it_comes_back() {
        let mut bucket = Bucket::published(RATE);
        let (calls, refused, last) = busy(&mut bucket, 300, 6);
        assert!(refused * 100 <= calls * 2, "{refused} of {calls} refused");
        assert!(last >= 3, "{last} in the last second, of 6 that are taken");
        let mut now = Duration::from_mins(5);
        for _ in 0..10_000 {
            now = now.max(bucket.free_at(false));
            bucket.spend(now);
            bucket.speed_up(now);
        }
        assert_eq!(bucket.interval, RATE.interval);
    }

    #[test]
    fn refusals_that_no_pace_avoids_leave_half_of_it() {
        let mut bucket = Bucket::assumed(RATE);
        for call in 0..10_000 {
            let now = Duration::from_millis(100) * call;
            bucket.spend(now);
            if call % 12 == 0 {
                bucket.slow_down();
            } else {
                bucket.speed_up(now);
            }
            assert!(bucket.interval <= RATE.interval * 2, "{:?}", bucket.interval);
        }
    }

    #[test]
    fn calls_that_nothing_holds_up_teach_nothing() {
        let mut bucket = Bucket::assumed(RATE);
        for second in 0..10_000 {
            let now = Duration::from_secs(second);
            bucket.spend(now);
            bucket.speed_up(now);
        }
        assert_eq!(bucket.interval, RATE.interval);
    }

    #[test]
    fn what_was_learned_is_forgotten_after_an_hour_of_rest() {
        let mut bucket = Bucket::published(RATE);
        bucket.spend(Duration::ZERO);
        bucket.slow_down();
        assert!(bucket.interval > RATE.interval);
        assert!(!bucket.is_idle(Duration::from_mins(1)));
        let later = Duration::from_hours(2);
        assert!(bucket.is_idle(later));
        bucket.spend(later);
        assert_eq!(bucket.interval, RATE.interval);
    }
}
