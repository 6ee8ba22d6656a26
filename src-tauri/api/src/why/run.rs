//! What the agent's run says about an answer: how it ended, and what it was not allowed to do.

use super::{Says, Way};
use foldback_pipeline::failing_setting;
use foldback_wire::{AgentFault, Event, Kind, PermissionId, PermissionKind, PermissionRequest, StopReason};

impl Way<'_> {
    /// What an event of the run means for the answer; `None` for those that have no part in it.
    pub(super) fn of_run(&self, kind: &Kind) -> Option<(Option<String>, Says)> {
        Some(match kind {
            Kind::PermissionDecided { id, option, why, .. } => {
                match option.as_ref().map(|option| option.kind) {
                    Some(PermissionKind::AllowOnce | PermissionKind::AllowAlways) => (None, Says::Yes),
                    Some(PermissionKind::RejectOnce | PermissionKind::RejectAlways) | None => {
                        let text = format!("{} was not allowed ({why})", self.asked(id)?.title);
                        (Some(text), Says::No(None))
                    }
                }
            }
            Kind::RunCancelled { .. } | Kind::Retrying { .. } => (None, Says::No(None)),
            // Who stopped it has been told.
            Kind::RunEnded {
                reason: StopReason::Cancelled,
                ..
            } if self.was_stopped() => return None,
            Kind::RunFailed { fault, detail, .. } => (None, Says::No(self.agent_setting(*fault, detail))),
            Kind::RunEnded { reason, .. } => match reason {
                StopReason::End => (None, Says::Yes),
                StopReason::Error => return None,
                StopReason::Length if self.said_nothing() => {
                    let text = "The model reached its limit of length before it said anything.";
                    (Some(text.to_owned()), Says::No(None))
                }
                StopReason::Refusal if self.said_nothing() => {
                    let text = "The model refused and said nothing.";
                    (Some(text.to_owned()), Says::No(None))
                }
                StopReason::Length | StopReason::Refusal | StopReason::Cancelled => {
                    (Some(reason.about().to_owned()), Says::No(None))
                }
            },
            _ => return None,
        })
    }

    /// True where the agent said nothing.
    fn said_nothing(&self) -> bool {
        let is_text = |event: &Event| matches!(event.kind, Kind::Chunk { .. });
        !self.events.iter().any(is_text)
    }

    /// The request for this permission.
    pub(super) fn asked(&self, wanted: &PermissionId) -> Option<&PermissionRequest> {
        self.events.iter().find_map(|event| match &event.kind {
            Kind::PermissionAsked { request, .. } if request.id == *wanted => Some(request.as_ref()),
            _ => None,
        })
    }

    /// What is asked, and nobody has decided about yet.
    pub(super) fn asks(&self) -> Option<&str> {
        let decided = |wanted: &PermissionId| {
            let by =
                |event: &Event| matches!(&event.kind, Kind::PermissionDecided { id, .. } if id == wanted);
            self.events.iter().any(by)
        };
        self.events.iter().find_map(|event| match &event.kind {
            Kind::PermissionAsked { request, .. } if !decided(&request.id) => Some(request.title.as_str()),
            _ => None,
        })
    }

    /// Who answered in the place of the agent that was asked first, where somebody did.
    pub(super) fn stepped_in(&self) -> String {
        let next = self.events.iter().rev().find_map(|event| match &event.kind {
            Kind::Retrying { next: Some(next), .. } => Some(next),
            _ => None,
        });
        next.map_or_else(String::new, |next| format!(" by {next}, which stepped in"))
    }

    fn was_stopped(&self) -> bool {
        let stop = |event: &Event| matches!(event.kind, Kind::RunCancelled { .. });
        self.events.iter().any(stop)
    }

    /// The process ended, or was killed, in the middle of the turn: what it held back then is no reason.
    pub(super) fn was_cut_off(&self) -> bool {
        let over = |event: &Event| matches!(event.kind, Kind::RunEnded { .. } | Kind::RunFailed { .. });
        !self.events.iter().any(over)
    }

    /// The setting that may help, where the event does not tell it.
    fn agent_setting(&self, fault: AgentFault, detail: &str) -> Option<String> {
        let backend = self.detail.agent.as_ref()?.split(' ').next()?;
        failing_setting(backend, fault, detail)
    }
}

/// True where, by the events of a turn, a run began and did not end.
pub(crate) fn is_in_run(events: &[Event]) -> bool {
    let of_run = events.iter().rev().find(|event| {
        matches!(
            event.kind,
            Kind::RunStarted { .. } | Kind::RunEnded { .. } | Kind::RunFailed { .. }
        )
    });
    of_run.is_some_and(|event| matches!(event.kind, Kind::RunStarted { .. }))
}
