//! The turns that run: what is known about each, and how a person stops it.

use crate::{recorder::Recorder, route::Route};
use foldback_store::StoreError;
use foldback_wire::{
    Actor, Kind, RunActivity, RunId, SessionId, Timestamp, TurnId, UserId, rpc::RunningTurn,
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio_util::sync::CancellationToken;

/// The runs under way, by turn. A turn is listed until its answer has arrived.
#[derive(Default)]
pub(crate) struct Runs(Mutex<HashMap<TurnId, RunHandle>>);

impl Runs {
    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<TurnId, RunHandle>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A turn that runs.
#[derive(Clone)]
pub(crate) struct RunHandle {
    pub(crate) cancel: CancellationToken,
    pub(crate) session: SessionId,
    pub(crate) recorder: Recorder,
    pub(crate) since: Timestamp,
    pub(crate) state: Arc<RunState>,
    /// The place that its answer goes to.
    pub(crate) route: Route,
    pub(crate) sender: UserId,
    /// Directives of its message count for it alone.
    pub(crate) has_own_settings: bool,
    /// It words the result of an action: no message joins it.
    pub(crate) is_delivery: bool,
}

/// The part of a run that changes while it goes on.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    doing: Mutex<Option<(RunActivity, Option<String>)>>,
    /// Its conversation was reset since it began: what its agent says about its session is no longer true.
    reset: AtomicBool,
    /// It thinks, and has said nothing else since.
    thinking: AtomicBool,
    cancelled_by: OnceLock<Actor>,
    /// Held while a message is offered to its agent, until it is written down what came of that.
    offer: tokio::sync::Mutex<()>,
    /// Its number, once its agent was started.
    run: OnceLock<RunId>,
    /// Its agent did not take a message in time.
    no_input: AtomicBool,
}

impl RunState {
    pub(crate) fn does(&self, doing: RunActivity) {
        let mut now = self.doing();
        if now
            .as_ref()
            .is_none_or(|(was, tool)| *was != doing || tool.is_some())
        {
            *now = Some((doing, None));
        }
    }

    pub(crate) fn calls(&self, tool: &str) {
        *self.doing() = Some((RunActivity::Tool, Some(tool.to_owned())));
    }

    pub(crate) fn thinks(&self) {
        self.thinking.store(true, Ordering::Relaxed);
    }

    /// True where it has thought until now.
    pub(crate) fn stops_thinking(&self) -> bool {
        self.thinking.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn reset(&self) {
        self.reset.store(true, Ordering::SeqCst);
    }

    /// Its agent is started.
    pub(crate) fn begin(&self, run: RunId) {
        // Each turn has one run.
        let _ = self.run.set(run);
    }

    pub(crate) fn run(&self) -> Option<RunId> {
        self.run.get().copied()
    }

    /// No more messages are given to it.
    /// Begins to offer a message to its agent, one at a time; the offer goes on as long as the guard lives.
    pub(crate) async fn offer(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.offer.lock().await
    }

    /// Waits until no message is being offered: all who wrote into the run are known.
    pub(crate) async fn until_offered(&self) {
        drop(self.offer().await);
    }

    pub(crate) fn refuse_input(&self) {
        self.no_input.store(true, Ordering::Relaxed);
    }

    pub(crate) fn takes_no_input(&self) -> bool {
        self.no_input.load(Ordering::Relaxed)
    }

    /// True where its agent is done, and what it said is only delivered.
    pub(crate) fn is_delivering(&self) -> bool {
        matches!(*self.doing(), Some((RunActivity::Delivering, _)))
    }

    pub(crate) fn is_reset(&self) -> bool {
        self.reset.load(Ordering::SeqCst)
    }

    fn doing(&self) -> MutexGuard<'_, Option<(RunActivity, Option<String>)>> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunHandle {
    /// Stops the run; told once, by whom first. False when its agent is done, and what it said is only delivered.
    pub(crate) fn stop(&self, by: Actor) -> Result<bool, StoreError> {
        self.stop_for(by, None)
    }

    /// Stops the run like [`Self::stop`], for the message of this turn.
    pub(crate) fn interrupt(&self, by: Actor, turn: TurnId) -> Result<bool, StoreError> {
        self.stop_for(by, Some(turn))
    }

    fn stop_for(&self, by: Actor, interrupted_by: Option<TurnId>) -> Result<bool, StoreError> {
        // Kept while it is noted: a run that is stopped is told before it ends, or is not stopped.
        let doing = self.state.doing();
        if matches!(*doing, Some((RunActivity::Delivering, _))) {
            return Ok(false);
        }
        if self.state.cancelled_by.set(by.clone()).is_ok() {
            self.recorder.note(Kind::RunCancelled { by, interrupted_by })?;
        }
        self.cancel.cancel();
        Ok(true)
    }

    /// True where a person stopped it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.state.cancelled_by.get().is_some()
    }

    pub(crate) fn shown(&self, turn: TurnId) -> RunningTurn {
        let (doing, tool) = self
            .state
            .doing()
            .clone()
            .unwrap_or((RunActivity::Starting, None));
        RunningTurn {
            turn,
            since: self.since,
            doing,
            tool,
            cancelled_by: self.state.cancelled_by.get().cloned(),
        }
    }
}
