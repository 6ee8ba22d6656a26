//! How long to wait before trying again.

use foldback_wire::Rng;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);

/// Waits that double from one second to a minute, each with its second half left to chance, so that many
/// channels cut off by one fault do not come back in one moment.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    tries: AtomicU32,
}

impl Backoff {
    /// The next wait, between half and all of the step.
    pub(crate) fn next(&self, rng: &dyn Rng) -> Duration {
        // It wraps around after more tries than there will be.
        let tries = self.tries.fetch_add(1, Ordering::Relaxed);
        let step = FIRST.saturating_mul(1 << tries.min(6)).min(LONGEST);
        let half = u64::try_from(step.as_millis() / 2).unwrap_or(u64::MAX);
        Duration::from_millis(half + rng.next() % (half + 1))
    }

    /// It worked: the next wait is short again.
    pub(crate) fn reset(&self) {
        self.tries.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u64);

    impl Rng for Fixed {
        fn next(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn waits_double_up_to_a_minute_and_start_over() {
        let backoff = Backoff::default();
        let shortest: Vec<_> = (0..8).map(|_| backoff.next(&Fixed(0)).as_millis()).collect();
        assert_eq!(
            shortest,
            [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
        );
        backoff.reset();
        assert_eq!(
            backoff.next(&Fixed(500)),
            Duration::from_secs(1),
            "the longest first wait"
        );
        assert_eq!(
            backoff.next(&Fixed(1_001)),
            Duration::from_secs(1),
            "chance wraps around"
        );
    }
}
