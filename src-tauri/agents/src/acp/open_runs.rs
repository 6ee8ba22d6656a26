//! Input of runs from outside while they go on: decisions about their permissions, and messages that are steered into
//! them.

use crate::{ActionCall, Steer, SteerInput};
use foldback_wire::{PermissionId, PermissionOption, RunId};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::{mpsc, oneshot};

/// One input of a run.
pub(super) enum RunInput {
    /// The decision about a permission request.
    Decision(PermissionId, Option<PermissionOption>),
    /// A call of an action by its agent.
    Action(ActionCall),
    /// A message for it, and where its answer goes.
    Steer(Box<SteerInput>, oneshot::Sender<Steer>),
}

/// A run that goes on.
struct OpenInput {
    inputs: mpsc::UnboundedSender<RunInput>,
    prompted: Arc<AtomicBool>,
}

/// All runs that go on.
#[derive(Default)]
pub(super) struct OpenRuns(Mutex<HashMap<RunId, OpenInput>>);

impl OpenRuns {
    /// Opens a run, as long as the first of these lives.
    pub(super) fn open(&self, run: RunId) -> (OpenRun<'_>, RunInputs) {
        let (inputs, received) = mpsc::unbounded_channel();
        let prompted = Arc::<AtomicBool>::default();
        let open = OpenInput {
            inputs,
            prompted: Arc::clone(&prompted),
        };
        let inputs = open.inputs.clone();
        self.all().insert(run, open);
        let received = RunInputs { received, prompted };
        let open = OpenRun {
            runs: self,
            run,
            inputs,
        };
        (open, received)
    }

    /// Passes a decision on. One for a run that has ended changes nothing.
    pub(super) fn decide(&self, run: RunId, request: &PermissionId, option: Option<&PermissionOption>) {
        if let Some(open) = self.all().get(&run) {
            let decision = RunInput::Decision(request.clone(), option.cloned());
            let _ = open.inputs.send(decision);
        }
    }

    /// Passes a message on, and gives what became of it. Nobody waits for a process that starts.
    pub(super) async fn steer(&self, run: RunId, input: SteerInput) -> Steer {
        let (answer, answered) = oneshot::channel();
        {
            let all = self.all();
            let Some(open) = all.get(&run) else {
                return Steer::not_now("acp: the run has ended");
            };
            if !open.prompted.load(Ordering::Acquire) {
                return Steer::not_now("acp: the agent has not been prompted yet");
            }
            let _ = open.inputs.send(RunInput::Steer(Box::new(input), answer));
        }
        // A run that ends drops what it has not read.
        let ended = |_| Steer::not_now("acp: the run has ended");
        answered.await.unwrap_or_else(ended)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<RunId, OpenInput>> {
        // Whole after every change: a panic elsewhere spoils nothing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a run open for input as long as it lives.
pub(super) struct OpenRun<'a> {
    runs: &'a OpenRuns,
    run: RunId,
    /// The sender of its inputs.
    pub(super) inputs: mpsc::UnboundedSender<RunInput>,
}

impl Drop for OpenRun<'_> {
    fn drop(&mut self) {
        self.runs.all().remove(&self.run);
    }
}

/// The inputs of one run, in order.
pub(super) struct RunInputs {
    received: mpsc::UnboundedReceiver<RunInput>,
    prompted: Arc<AtomicBool>,
}

impl RunInputs {
    /// The next input; `None` once the run is closed.
    pub(super) async fn next_input(&mut self) -> Option<RunInput> {
        self.received.recv().await
    }

    /// The agent has been prompted: from now on messages are passed on.
    pub(super) fn prompted(&self) {
        self.prompted.store(true, Ordering::Release);
    }
}
