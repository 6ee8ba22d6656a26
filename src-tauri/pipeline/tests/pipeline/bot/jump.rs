//! A clock whose time of day can be set, or goes on while the machine sleeps.

use super::EPOCH;
use foldback_pipeline::TokioClock;
use foldback_wire::{Clock, Sleep, Timestamp};
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

/// Virtual time with a time of day that jumps.
pub(crate) struct JumpClock {
    passed: TokioClock,
    ahead_ms: AtomicI64,
}

impl JumpClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            passed: TokioClock::at(EPOCH),
            ahead_ms: AtomicI64::new(0),
        })
    }

    /// The machine sleeps: the time of day goes on, and nothing else does.
    pub(crate) fn suspend(&self, lasting: Duration) {
        self.set(i64::try_from(lasting.as_millis()).unwrap());
    }

    /// The time of day is set.
    pub(crate) fn set(&self, by_ms: i64) {
        self.ahead_ms.fetch_add(by_ms, Ordering::Relaxed);
    }
}

impl Clock for JumpClock {
    fn now(&self) -> Timestamp {
        let passed = self.passed.now().0;
        Timestamp(passed.saturating_add(self.ahead_ms.load(Ordering::Relaxed)))
    }

    fn monotonic(&self) -> Duration {
        self.passed.monotonic()
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let wait = until.since(self.now());
        self.passed.sleep_until(self.passed.now().plus(wait))
    }
}
