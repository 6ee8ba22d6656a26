//! The rules every agent keeps, in one place: steps carry their run, exactly one ending, nothing after it,
//! no wait that a cancellation or a closed sink cannot end.

use crate::{AgentEvent, LevelRefusal, Step, StepSink};
use foldback_wire::{AgentFault, RunId, StopReason};
use std::future::Future;
use tokio_util::sync::CancellationToken;

/// Why an answer stops before its natural end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// It was cancelled.
    Cancelled,
    /// Nobody listens any more.
    Closed,
    /// It failed.
    Failed {
        /// How.
        fault: AgentFault,
        /// Why, in words, without secrets.
        detail: String,
    },
}

impl Interrupt {
    /// A failure.
    pub(crate) fn failed(fault: AgentFault, detail: impl Into<String>) -> Self {
        Self::Failed {
            fault,
            detail: detail.into(),
        }
    }
}

/// One run's way to its sink.
pub(crate) struct Emitter {
    run: RunId,
    sink: StepSink,
    cancel: CancellationToken,
}

impl Emitter {
    /// The way of run `run`.
    pub(crate) fn new(run: RunId, sink: StepSink, cancel: CancellationToken) -> Self {
        Self { run, sink, cancel }
    }

    /// Sends a step, waiting for room: a slow reader slows the agent instead of filling memory.
    pub(crate) async fn emit(&self, step: Step) -> Result<(), Interrupt> {
        let event = AgentEvent { run: self.run, step };
        self.until(self.sink.send(event))
            .await?
            .map_err(|_closed| Interrupt::Closed)
    }

    /// Tells the levels that the run goes on without.
    pub(crate) async fn ignore(&self, refused: Vec<LevelRefusal>) -> Result<(), Interrupt> {
        for refusal in refused {
            self.emit(refusal.into()).await?;
        }
        Ok(())
    }

    /// Waits for `work`, but no longer than the run is wanted. Cancellation wins over work that is ready
    /// too, so that nothing is said after it.
    pub(crate) async fn until<F: Future>(&self, work: F) -> Result<F::Output, Interrupt> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Interrupt::Cancelled),
            () = self.sink.closed() => Err(Interrupt::Closed),
            done = work => Ok(done),
        }
    }

    /// Sends the one ending. Takes the emitter: nothing can follow.
    pub(crate) async fn conclude(self, ended: Result<StopReason, Interrupt>) {
        let step = match ended {
            Ok(reason) => Step::Done(reason),
            Err(Interrupt::Cancelled) => Step::Done(StopReason::Cancelled),
            Err(Interrupt::Failed { fault, detail }) => Step::Failed { fault, detail },
            Err(Interrupt::Closed) => return,
        };
        // A closed sink here means that nobody waits for the ending.
        let _ = self.sink.send(AgentEvent { run: self.run, step }).await;
    }
}
