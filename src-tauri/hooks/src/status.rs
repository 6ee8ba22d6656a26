//! What becomes of the hooks while they run, for whoever looks.

use foldback_store::{Journal, StoreError};
use foldback_wire::{Kind, Seq};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Most failures of a hook that are named.
const FAILURES: usize = 5;
/// Most events of the process that are looked through for calls of an earlier start.
const EARLIER: usize = 500;

/// What a hook is being told and was told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookStatus {
    /// The event that it is being told of now.
    pub calling: Option<Seq>,
    /// Events that wait, at most 64.
    pub waiting: u64,
    /// Calls that succeeded since the start of the process.
    pub done: u64,
    /// Calls that failed since the start of the process.
    pub failed: u64,
    /// Events that it is not told of since the start of the process, as too many waited.
    pub left_out: u64,
    /// The event of its latest call, also of an earlier start.
    pub latest: Option<Seq>,
    /// The events of its latest failures, the latest first, also of an earlier start; at most five.
    pub failures: VecDeque<Seq>,
}

impl HookStatus {
    /// Takes note of a call by its event.
    fn note_end(&mut self, seq: Seq, done: bool) {
        self.latest = Some(seq);
        if !done {
            self.failures.push_front(seq);
            self.failures.truncate(FAILURES);
        }
    }
}

/// The status of each hook, in the order of the configuration. Clones show the same.
#[derive(Debug, Clone, Default)]
pub struct HookStatuses(Arc<[Mutex<HookStatus>]>);

impl HookStatuses {
    /// That of so many hooks that nothing was told yet.
    pub fn new(count: usize) -> Self {
        Self((0..count).map(|_| Mutex::default()).collect())
    }

    /// The status of each hook now.
    pub fn read(&self) -> Vec<HookStatus> {
        self.0.iter().map(|status| lock(status).clone()).collect()
    }

    /// The status of the hook with this number, to be kept up.
    pub(crate) fn of(&self, number: usize) -> HookRecord {
        HookRecord {
            all: Arc::clone(&self.0),
            number,
        }
    }

    /// Learns from the journal how the calls of earlier starts ended.
    pub(crate) async fn learn(
        &self,
        journal: &dyn Journal,
        names: &[String],
        until: Seq,
    ) -> Result<(), StoreError> {
        let events = journal.of_process(until, EARLIER).await?;
        for event in events.iter().rev() {
            let Kind::HookEnded(end) = &event.kind else {
                continue;
            };
            if let Some(number) = names.iter().position(|name| *name == end.hook) {
                self.of(number)
                    .change(|status| status.note_end(event.seq, end.done));
            }
        }
        Ok(())
    }
}

/// The status of one hook, as those who work on it keep it up.
#[derive(Clone)]
pub(crate) struct HookRecord {
    all: Arc<[Mutex<HookStatus>]>,
    number: usize,
}

impl HookRecord {
    fn change(&self, change: impl FnOnce(&mut HookStatus)) {
        if let Some(status) = self.all.get(self.number) {
            change(&mut lock(status));
        }
    }

    /// An event waits. Told before it does, so that it never leaves before it came.
    pub(crate) fn event_waits(&self) {
        self.change(|status| status.waiting += 1);
    }

    /// The event does not wait after all: there are too many.
    pub(crate) fn event_left_out(&self) {
        self.change(|status| {
            status.waiting = status.waiting.saturating_sub(1);
            status.left_out += 1;
        });
    }

    /// The hook is being told of an event that waited.
    pub(crate) fn call_begins(&self, event: Seq) {
        self.change(|status| {
            status.waiting = status.waiting.saturating_sub(1);
            status.calling = Some(event);
        });
    }

    /// The event that it is being told of, and the number of those that wait.
    pub(crate) fn untold(&self) -> (Option<Seq>, u64) {
        self.all.get(self.number).map_or((None, 0), |status| {
            let status = lock(status);
            (status.calling, status.waiting)
        })
    }

    /// The call is over; `seq` is the event that tells of it, where the journal took it.
    pub(crate) fn call_ended(&self, seq: Option<Seq>, done: bool) {
        self.change(|status| {
            status.calling = None;
            if done {
                status.done += 1;
            } else {
                status.failed += 1;
            }
            if let Some(seq) = seq {
                status.note_end(seq, done);
            }
        });
    }
}

fn lock(status: &Mutex<HookStatus>) -> MutexGuard<'_, HookStatus> {
    // Each change leaves it whole.
    status.lock().unwrap_or_else(PoisonError::into_inner)
}
