//! Messages that were steered into a running script, until it reads them.

use crate::SteerInput;
use foldback_wire::RunId;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// The messages of one run.
#[derive(Default)]
struct Waiting {
    inputs: VecDeque<SteerInput>,
    came: Arc<Notify>,
}

/// The messages of all runs that go on.
#[derive(Default)]
pub(super) struct Inboxes(Mutex<HashMap<RunId, Waiting>>);

impl Inboxes {
    /// Takes messages for a run, as long as this lives and was not closed.
    pub(super) fn open(&self, run: RunId) -> Inbox<'_> {
        self.all().insert(run, Waiting::default());
        Inbox { all: self, run }
    }

    /// Puts a message into a run's inbox; false where the run has none.
    pub(super) fn put(&self, run: RunId, input: SteerInput) -> bool {
        let mut all = self.all();
        let Some(waiting) = all.get_mut(&run) else {
            return false;
        };
        waiting.inputs.push_back(input);
        waiting.came.notify_one();
        true
    }

    fn all(&self) -> MutexGuard<'_, HashMap<RunId, Waiting>> {
        // Whole after every change: a panic elsewhere spoils nothing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The inbox of a run.
pub(super) struct Inbox<'a> {
    all: &'a Inboxes,
    run: RunId,
}

impl Inbox<'_> {
    /// The next message; waits for it.
    pub(super) async fn next(&self) -> SteerInput {
        loop {
            let came = {
                let mut all = self.all.all();
                let waiting = all.entry(self.run).or_default();
                if let Some(input) = waiting.inputs.pop_front() {
                    return input;
                }
                Arc::clone(&waiting.came)
            };
            came.notified().await;
        }
    }

    /// The next message that has come, or none any more: with the last one read, the inbox closes.
    pub(super) fn next_or_close(&self) -> Option<SteerInput> {
        let mut all = self.all.all();
        let input = all.get_mut(&self.run)?.inputs.pop_front();
        if input.is_none() {
            all.remove(&self.run);
        }
        input
    }
}

impl Drop for Inbox<'_> {
    fn drop(&mut self) {
        self.all.all().remove(&self.run);
    }
}
