//! The clock and the chance of a running process; both also serve replays.

use foldback_wire::{Clock, Rng, Sleep, Timestamp};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::{Duration, Instant};

/// Time as tokio counts it, pinned to a wall-clock moment at the start. In a runtime whose time is paused
/// this is the virtual clock of replays: it moves only when everything waits, and then at once.
#[derive(Debug, Clone, Copy)]
pub struct TokioClock {
    epoch: Timestamp,
    start: Instant,
}

impl TokioClock {
    /// A clock that shows the system's time now and goes on monotonically from there.
    pub fn system() -> Self {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Self::at(Timestamp(0).plus(since))
    }

    /// A clock that shows `epoch` now.
    pub fn at(epoch: Timestamp) -> Self {
        Self {
            epoch,
            start: Instant::now(),
        }
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        self.epoch.plus(self.start.elapsed())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let wait = until.since(self.epoch);
        // A clock cannot wait longer than tokio can count; thirty years is "never" here.
        let deadline = self.start + wait.min(Duration::from_hours(30 * 365 * 24));
        Box::pin(tokio::time::sleep_until(deadline))
    }
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
