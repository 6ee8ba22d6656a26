//! The pause before another try, and the chance in it.

use crate::config::OutboxConfig;
use foldback_wire::Rng;
use std::time::Duration;

/// The pause before another attempt: doubles, the second half left to chance, so that conversations that
/// failed together do not return together.
pub(super) fn backoff(policy: &OutboxConfig, rng: &dyn Rng, attempts: u32) -> Duration {
    let step = policy
        .backoff
        .0
        .saturating_mul(1 << (attempts - 1).min(16))
        .min(policy.backoff_max.0);
    step / 2 + chance(rng, step / 2)
}

/// Between nothing and `most`, in whole milliseconds.
pub(super) fn chance(rng: &dyn Rng, most: Duration) -> Duration {
    let most = u64::try_from(most.as_millis()).unwrap_or(u64::MAX - 1);
    Duration::from_millis(rng.next() % (most + 1))
}
