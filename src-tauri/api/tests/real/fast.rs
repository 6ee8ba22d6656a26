//! A clock that goes faster than the wall's: real adapters keep their platforms' pace, and a test need not wait for it.

use foldback_wire::{Clock, Sleep, Timestamp};
use std::time::Instant;

/// Time, so many times faster.
pub(crate) struct Fast {
    start: Instant,
    epoch: Timestamp,
}

const FASTER: u32 = 30;

impl Fast {
    /// A clock that stands at this time now.
    pub(crate) fn at(epoch: Timestamp) -> Self {
        let start = Instant::now();
        Self { start, epoch }
    }
}

impl Clock for Fast {
    fn now(&self) -> Timestamp {
        self.epoch.plus(self.start.elapsed() * FASTER)
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Box::pin(tokio::time::sleep(until.since(self.now()) / FASTER))
    }
}
