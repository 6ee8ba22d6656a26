//! What is known about a turn that runs.

use crate::recorder::Recorder;
use foldback_store::StoreError;
use foldback_wire::{Actor, Doing, Kind, SessionId, Timestamp, TurnId, rpc::RunningTurn};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use tokio_util::sync::CancellationToken;

/// A turn that runs.
#[derive(Clone)]
pub(crate) struct Running {
    pub(crate) cancel: CancellationToken,
    pub(crate) session: SessionId,
    pub(crate) recorder: Recorder,
    pub(crate) since: Timestamp,
    pub(crate) live: Arc<Live>,
}

/// What changes about it.
#[derive(Debug, Default)]
pub(crate) struct Live {
    doing: Mutex<Option<(Doing, Option<String>)>>,
    /// Its conversation was reset since it began: what its agent says about its session is no longer true.
    reset: AtomicBool,
    /// It thinks, and has said nothing else since.
    thinking: AtomicBool,
    cancelled_by: OnceLock<Actor>,
}

impl Live {
    pub(crate) fn does(&self, doing: Doing) {
        let mut now = self.doing();
        if now
            .as_ref()
            .is_none_or(|(was, tool)| *was != doing || tool.is_some())
        {
            *now = Some((doing, None));
        }
    }

    pub(crate) fn calls(&self, tool: &str) {
        *self.doing() = Some((Doing::Tool, Some(tool.to_owned())));
    }

    pub(crate) fn thinks(&self) {
        self.thinking.store(true, Ordering::Relaxed);
    }

    /// Whether it has thought until now.
    pub(crate) fn stops_thinking(&self) -> bool {
        self.thinking.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn reset(&self) {
        self.reset.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_reset(&self) -> bool {
        self.reset.load(Ordering::SeqCst)
    }

    fn doing(&self) -> MutexGuard<'_, Option<(Doing, Option<String>)>> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.doing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// Stops the run; told once, by whom first. False when its agent is done, and what it said is only delivered.
    pub(crate) fn stop(&self, by: Actor) -> Result<bool, StoreError> {
        // Kept while it is noted: a run that is stopped is told before it ends, or is not stopped.
        let doing = self.live.doing();
        if matches!(*doing, Some((Doing::Delivering, _))) {
            return Ok(false);
        }
        if self.live.cancelled_by.set(by.clone()).is_ok() {
            self.recorder.note(Kind::RunCancelled { by })?;
        }
        self.cancel.cancel();
        Ok(true)
    }

    /// Whether a person stopped it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.live.cancelled_by.get().is_some()
    }

    pub(crate) fn shown(&self, turn: TurnId) -> RunningTurn {
        let (doing, tool) = self.live.doing().clone().unwrap_or((Doing::Starting, None));
        RunningTurn {
            turn,
            since: self.since,
            doing,
            tool,
            cancelled_by: self.live.cancelled_by.get().cloned(),
        }
    }
}
