//! Actions of a turn, and what began a turn that delivers what came of one.

use super::{Says, Way};
use foldback_wire::{
    ActionStarted, DELIVERY_DEPTH, DeliveryOutcome, DeliveryRequest, Kind, PerformedAction, visible,
};

impl Way<'_> {
    /// The meaning of an event of an action or a delivery.
    pub(super) fn acted(&self, kind: &Kind) -> Option<(Option<String>, Says)> {
        let (text, says) = match kind {
            Kind::DeliveryDue(request) => (brought(request), Says::Yes),
            Kind::DeliveryAccepted(accepted) => {
                let text = format!(
                    "what came of its actions went to the agent in turn {}",
                    accepted.turn
                );
                (text, Says::Yes)
            }
            Kind::ActionStarted(started) => {
                let (what, why) = (named(&started.action), self.permitted(started));
                (format!("{what} was carried out: {why}"), Says::Yes)
            }
            Kind::ActionEnded(_) => return Some((None, Says::Yes)),
            Kind::ActionRefused(refusal) => {
                let what = match visible(&refusal.name) {
                    name if name.is_empty() => "an action".into(),
                    name => name,
                };
                let text = format!("{what} was not carried out: {}", visible(&refusal.detail));
                (text, Says::No(refusal.setting.clone()))
            }
            _ => return None,
        };
        Some((Some(text), says))
    }

    /// The reason for which an action began: somebody allowed it, or nobody had to.
    fn permitted(&self, started: &ActionStarted) -> String {
        let asked = format!("foldback-action-{}", started.index);
        let decided = self.events.iter().find_map(|event| match &event.kind {
            Kind::PermissionDecided { id, by, .. } if id.as_str() == asked => Some(by),
            _ => None,
        });
        match decided {
            Some(by) => format!("{by:#} confirmed it"),
            None => "its sender may have it carried out, and no confirmation was needed".to_owned(),
        }
    }

    /// The sentence about the turn, with one about the chain that it belongs to.
    pub(super) fn with_chain(&self, answer: String) -> String {
        let mut sentences = vec![answer];
        for event in self.events {
            match &event.kind {
                Kind::DeliveryDue(request) => sentences.push(format!("It began with {}.", subject(request))),
                Kind::DeliveryAccepted(accepted) => sentences.push(format!(
                    "What came of its actions went to the agent in turn {}.",
                    accepted.turn
                )),
                _ => {}
            }
        }
        sentences.join(" ")
    }
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
