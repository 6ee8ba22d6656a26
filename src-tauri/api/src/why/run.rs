//! What the agent's run says about an answer: how it ended, and what it was not allowed to do.

use super::{Says, Way};
use foldback_wire::{AgentFault, Event, Kind, PermissionId, PermissionKind, StopReason};

impl Way<'_> {
    /// What an event of the run means for the answer; `None` for those that have no part in it.
    pub(super) fn of_run(&self, kind: &Kind) -> Option<(Option<String>, Says)> {
        Some(match kind {
            Kind::PermissionDecided { id, option, why, .. } => {
                match option.as_ref().map(|option| option.kind) {
                    Some(PermissionKind::AllowOnce | PermissionKind::AllowAlways) => (None, Says::Yes),
                    Some(PermissionKind::RejectOnce | PermissionKind::RejectAlways) | None => {
                        let text = format!("{} was not allowed ({why})", self.asked(id)?);
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
            Kind::RunFailed { fault, .. } => (None, Says::No(self.agent_setting(*fault))),
            Kind::RunEnded { reason, .. } => match reason {
                StopReason::End => (None, Says::Yes),
                StopReason::Error => return None,
                StopReason::Length | StopReason::Refusal | StopReason::Cancelled => {
                    (Some(reason.about().to_owned()), Says::No(None))
                }
            },
            _ => return None,
        })
    }

    /// What was to be done with this permission.
    fn asked(&self, wanted: &PermissionId) -> Option<&str> {
        self.events.iter().find_map(|event| match &event.kind {
            Kind::PermissionAsked { request, .. } if request.id == *wanted => Some(request.title.as_str()),
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

    fn agent_setting(&self, fault: AgentFault) -> Option<String> {
        let backend = self.detail.agent.as_ref()?.split(' ').next()?;
        match fault {
            AgentFault::Unauthorized => Some(format!("agent.{backend}.api_key")),
            AgentFault::Unreachable => Some(format!("agent.{backend}.base_url")),
            AgentFault::Timeout => Some("agent.idle_timeout".to_owned()),
            _ => None,
        }
    }
}
