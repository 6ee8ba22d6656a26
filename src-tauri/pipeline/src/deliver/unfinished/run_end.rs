//! The end of a run, as the journal has it.

use crate::output::STOPPED_AT_MOST;
use foldback_wire::{AgentFault, Event, Kind, Stage, StopReason};

/// The end of a turn's run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// By itself.
    Done(StopReason),
    /// It was stopped, as its chat should get no more of it.
    TooLong,
    Failed(AgentFault, String),
    /// A person stopped it.
    Cancelled,
    /// The process ended first: more of the answer may have been to come.
    CutOff,
}

impl RunEnd {
    pub(super) fn of(events: &[Event]) -> Self {
        let mut run = Self::CutOff;
        for event in events {
            match &event.kind {
                Kind::RunFailed { fault, detail, .. } => return Self::Failed(*fault, detail.clone()),
                Kind::Passed {
                    stage: Stage::Run,
                    detail,
                } if detail == STOPPED_AT_MOST => run = Self::TooLong,
                Kind::RunEnded { .. } if run == Self::TooLong => {}
                Kind::RunEnded {
                    reason: StopReason::Cancelled,
                    ..
                } => run = Self::Cancelled,
                Kind::RunEnded { reason, .. } => run = Self::Done(*reason),
                _ => {}
            }
        }
        run
    }
}
