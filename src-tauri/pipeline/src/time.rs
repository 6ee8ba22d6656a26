//! The clock and the chance of a running process; both also serve replays.

use foldback_wire::{Clock, Rng, Sleep, SteadyTime, Timestamp};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tokio::time::{Duration, Instant};

/// Longest wait: a clock cannot wait longer than tokio can count, and thirty years is "never" here.
const NEVER: Duration = Duration::from_hours(30 * 365 * 24);

/// A clock whose sleeps tokio counts. The system's shows the time of day, which may jump. One that was begun at a
/// moment goes on with tokio's time: in a runtime whose time is paused it is the virtual clock of replays, which moves
/// only when everything waits, and then at once.
#[derive(Debug, Clone, Copy)]
pub struct TokioClock {
    start: Instant,
    /// The time of day at `start`; `None` to ask the system each time.
    epoch: Option<Timestamp>,
}

impl TokioClock {
    /// The clock of this machine.
    pub fn system() -> Self {
        Self {
            start: Instant::now(),
            epoch: None,
        }
    }

    /// A clock that shows `epoch` now.
    pub fn at(epoch: Timestamp) -> Self {
        Self {
            start: Instant::now(),
            epoch: Some(epoch),
        }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        self.epoch
            .map_or_else(system_time, |epoch| epoch.plus(self.start.elapsed()))
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep_until_steady(&self, until: SteadyTime) -> Sleep {
        Box::pin(tokio::time::sleep_until(self.start + until.0.min(NEVER)))
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let deadline = match self.epoch {
            // Counted from the start, so that no time is lost between the two readings.
            Some(epoch) => self.start + until.since(epoch).min(NEVER),
            None => Instant::now() + until.since(system_time()).min(NEVER),
        };
        Box::pin(tokio::time::sleep_until(deadline))
    }
}

/// The time of day as the system has it; 1970 where that is earlier.
fn system_time() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Timestamp(0).plus(since.unwrap_or_default())
}

/// The least jump of the time of day that is told, in milliseconds: a minute. A time server that corrects a running
/// clock moves it by less.
const JUMP: u64 = 60_000;

/// Finds jumps of a clock's time of day: how far it is ahead of the time that passed is compared from look to look.
#[derive(Debug)]
pub(crate) struct ClockJumps(AtomicI64);

impl ClockJumps {
    pub(crate) fn new(clock: &dyn Clock) -> Self {
        Self(AtomicI64::new(ahead(clock.now(), clock)))
    }

    /// The time of day, and its jump since the last look in milliseconds; none when it was a minute or less.
    pub(crate) fn measure_jump(&self, clock: &dyn Clock) -> (Timestamp, Option<i64>) {
        let now = clock.now();
        let ahead = ahead(now, clock);
        let by = ahead.saturating_sub(self.0.swap(ahead, Ordering::Relaxed));
        (now, (by.unsigned_abs() > JUMP).then_some(by))
    }
}

/// The time of day less the time that passed, in milliseconds.
fn ahead(now: Timestamp, clock: &dyn Clock) -> i64 {
    let passed = i64::try_from(clock.monotonic().as_millis()).unwrap_or(i64::MAX);
    now.0.saturating_sub(passed)
}

/// Chance that repeats with its seed: `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014). Good enough for
/// jitter and pauses, which is all the pipeline draws; never for secrets.
#[derive(Debug)]
pub struct SeededRng(AtomicU64);

impl SeededRng {
    /// The sequence of this seed.
    pub const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }
}

impl Rng for SeededRng {
    fn next(&self) -> u64 {
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut z = self.0.fetch_add(GOLDEN, Ordering::Relaxed).wrapping_add(GOLDEN);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn paused_time_is_a_virtual_clock() {
        let clock = TokioClock::at(Timestamp(1_000));
        assert_eq!(clock.now(), Timestamp(1_000));
        clock.sleep_until(Timestamp(500)).await;
        assert_eq!(clock.now(), Timestamp(1_000));
        clock.sleep_until(Timestamp(3_600_000)).await;
        assert_eq!(clock.now(), Timestamp(3_600_000));
    }

    #[tokio::test(start_paused = true)]
    async fn the_system_clock_shows_the_time_of_day_however_far_the_other_has_come() {
        let clock = TokioClock::system();
        // As if the time of day had been set back by eight hours.
        tokio::time::advance(Duration::from_hours(8)).await;
        assert!(system_time().since(clock.now()) < Duration::from_hours(1));
        assert!(clock.now().since(system_time()) < Duration::from_hours(1));
        assert!(clock.monotonic() >= Duration::from_hours(8));
        let before = Instant::now();
        clock.sleep_until(clock.now().plus(Duration::from_mins(1))).await;
        assert!(before.elapsed() >= Duration::from_secs(59));
    }

    #[test]
    fn chance_repeats_with_its_seed() {
        let draw = |seed| {
            let rng = SeededRng::new(seed);
            [rng.next(), rng.next(), rng.next()]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        // The first number of seed 0 in the published reference implementation.
        assert_eq!(SeededRng::new(0).next(), 0xE220_A839_7B1D_CDAF);
    }
}
