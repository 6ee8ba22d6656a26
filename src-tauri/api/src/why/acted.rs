//! Actions of a turn, and what began a turn that delivers what came of one.

use super::{Says, Way};
use crate::action_chain::setting_of;
use foldback_pipeline::delivery_origin;
use foldback_wire::{
    ActionRefusal, ActionStarted, Code, DELIVERY_DEPTH, DeliveryOutcome, DeliveryRequest, Event, Kind,
    PerformedAction, PermissionRequest, rpc::ChainOrigin, visible,
};

impl Way<'_> {
    /// The meaning of an event of an action or a delivery.
    pub(super) fn acted(&self, kind: &Kind) -> Option<(Option<String>, Says)> {
        let (text, says) = match kind {
            Kind::DeliveryDue(request) => (brought(request), Says::Yes),
            Kind::DeliveryAccepted(accepted) => {
                let text = format!(
                    "turn {} gave the results of its actions to the agent",
                    accepted.turn
                );
                (text, Says::Yes)
            }
            Kind::ActionStarted(started) => {
                let (what, end) = (named(&started.action), self.end_of(started.index));
                (format!("{what} {end}: {}", self.permitted(started)), Says::Yes)
            }
            Kind::ActionEnded(_) | Kind::ActionAnswered(_) => return Some((None, Says::Yes)),
            Kind::DeliveryRefused(refused) => {
                let text = format!(
                    "the results of its actions did not go to the agent: {}",
                    visible(&refused.detail)
                );
                (text, Says::No(setting_of(refused.reason).map(str::to_owned)))
            }
            Kind::ActionRefused(refusal) => {
                let what = match visible(&refusal.name) {
                    name if name.is_empty() => "an action".into(),
                    name => name,
                };
                let text = format!("{what} was not carried out: {}", visible(&refusal.detail));
                (text, Says::No(refusal.setting.clone()))
            }
            Kind::Diagnosed { diagnostic, .. } => (
                diagnostic.message.clone(),
                Says::No(Some("output.dialects".to_owned())),
            ),
            _ => return None,
        };
        Some((Some(text), says))
    }

    /// The end of an action that began, as far as somebody knows it.
    fn end_of(&self, index: u32) -> String {
        let end = self.events.iter().find_map(|event| match &event.kind {
            Kind::ActionEnded(end) if end.index == index => Some(end),
            _ => None,
        });
        let Some(end) = end else {
            let is_over = self.detail.summary.terminal.is_some() || self.now.is_gone;
            return if is_over {
                "began, and nobody knows how it ended".to_owned()
            } else {
                "has begun".to_owned()
            };
        };
        let is_error = end.outcome == DeliveryOutcome::Error;
        match end.note.as_deref().map(visible) {
            Some(note) if is_error => format!("began, but {note}"),
            Some(note) => format!("was carried out ({note})"),
            None if is_error => "began and ended with an error".to_owned(),
            None => "was carried out".to_owned(),
        }
    }

    /// The reason for which an action began: somebody allowed it, or nobody had to.
    fn permitted(&self, started: &ActionStarted) -> String {
        let asked = PermissionRequest::id_of_action(started.index);
        let decided = self.events.iter().find_map(|event| match &event.kind {
            Kind::PermissionDecided { id, by, .. } if *id == asked => Some(by),
            _ => None,
        });
        match decided {
            Some(by) => format!("{by:#} confirmed it"),
            None if started.allowed_by.is_some() => format!(
                "{} allows it without a confirmation",
                started.allowed_by.as_deref().unwrap_or_default()
            ),
            None => "the sender is allowed to, no confirmation needed".to_owned(),
        }
    }

    /// The sentence about the turn, with one about the chain that it belongs to.
    pub(super) fn with_chain(&self, mut answer: String) -> String {
        for event in self.events {
            let sentence = match &event.kind {
                Kind::DeliveryDue(request) => format!("It began with {}.", subject(request)),
                // The sentence about the turn has said so.
                Kind::DeliveryAccepted(accepted)
                    if self.verdict.is_some() && delivery_origin(&accepted.id) == ChainOrigin::Actions =>
                {
                    continue;
                }
                Kind::DeliveryAccepted(accepted) => {
                    format!("Turn {} gave its results to the agent.", accepted.turn)
                }
                _ => continue,
            };
            // A setting at its end has no full stop, where nothing follows it.
            if !answer.ends_with('.') {
                answer.push('.');
            }
            answer.push(' ');
            answer += &sentence;
        }
        answer
    }
}

/// True for the finding that an action is text, because its dialect is off.
pub(super) fn is_unread_action(kind: &Kind) -> bool {
    matches!(kind, Kind::Diagnosed { diagnostic, .. } if diagnostic.code == Code::ActionsNotRead)
}

/// True where the agent corrected what was refused: an action of that name began later.
pub(super) fn is_mended(refusal: &ActionRefusal, later: &[Event]) -> bool {
    let begins = |event: &Event| matches!(&event.kind, Kind::ActionStarted(started) if started.action.name == refusal.name);
    refusal.code.is_mendable() && later.iter().any(begins)
}

/// An action, by its command where it has one.
fn named(action: &PerformedAction) -> String {
    let name = visible(&action.name);
    match &action.command {
        Some(command) => format!("{name} `{}`", visible(command)),
        None => name.into_owned(),
    }
}

/// The delivery of a turn: what it is, and who asked for it.
fn subject(request: &DeliveryRequest) -> String {
    let what = match request.outcome {
        DeliveryOutcome::Output => "the result",
        DeliveryOutcome::Event => "the event",
        DeliveryOutcome::Error => "the error",
    };
    let from = match request.cause {
        Some(cause) => format!("which turn {cause} asked for"),
        None => "which came from outside".to_owned(),
    };
    format!("{what} of {}, {from}", named(&request.action))
}

fn brought(request: &DeliveryRequest) -> String {
    format!(
        "it delivers {}: delivery {} of at most {DELIVERY_DEPTH} for one message",
        subject(request),
        request.depth
    )
}
