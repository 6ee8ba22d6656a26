//! Chance for tests.

use foldback_wire::Rng;

/// No chance.
pub(crate) struct Even;

impl Rng for Even {
    fn next(&self) -> u64 {
        0
    }
}
