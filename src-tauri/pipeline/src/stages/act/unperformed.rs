//! Actions of a turn that an earlier process left: nobody knows of one that began whether it ran, so it is never begun
//! again, and its agent is told so.

use super::request::request_id;
use foldback_wire::{
    ActionEnded, ActionStarted, DeliveryOutcome, DeliveryRequest, Event, JsonAction, Kind, PerformedAction,
    ReplyAddress, ResultItem, StopReason, TurnId,
};
use std::collections::BTreeMap;

const UNKNOWN: &str = "The bot was stopped while it ran. Nobody knows whether it ran, and what came of it; it is not begun again.";
const NOT_BEGUN: &str = "The bot was stopped before it began. It did not run.";

/// The delivery about the actions of a turn that was left, and the events that belong to its turn; `None` where
/// nothing is.
pub(crate) fn unperformed(turn: TurnId, events: &[Event]) -> Option<(DeliveryRequest, Vec<Kind>)> {
    let ended_in_order = events.iter().any(|event| {
        matches!(
            event.kind,
            Kind::RunEnded {
                reason: StopReason::End,
                ..
            }
        )
    });
    if !ended_in_order {
        // None of them was to be carried out yet.
        return None;
    }
    let mut asked: Vec<&JsonAction> = Vec::new();
    let mut started: BTreeMap<u32, &ActionStarted> = BTreeMap::new();
    let mut refused = BTreeMap::new();
    let (mut message, mut delivery) = (None, None);
    for event in events {
        match &event.kind {
            Kind::Received { message: received } => message = Some(received),
            Kind::DeliveryDue(due) => delivery = Some(due),
            Kind::Action {
                action,
                outcome: None,
                ..
            } => asked.push(action),
            Kind::ActionStarted(begun) => drop(started.insert(begun.index, begun)),
            Kind::ActionRefused(refusal) => drop(refused.insert(refusal.index, refusal)),
            // It is delivered already, or will not be.
            Kind::ActionEnded(_) | Kind::DeliveryAccepted(_) => return None,
            _ => {}
        }
    }
    let message = message?;
    let most = u32::try_from(asked.len()).unwrap_or(u32::MAX);
    let known = started.keys().chain(refused.keys()).map(|index| index + 1);
    let count = known.chain([most]).max().filter(|count| *count > 0)?;
    let mut items = Vec::new();
    let mut ends = Vec::new();
    for index in 0..count {
        let (name, words) = match (started.get(&index), refused.get(&index)) {
            (Some(begun), _) => {
                ends.push(Kind::ActionEnded(ActionEnded {
                    index,
                    name: begun.action.name.clone(),
                    outcome: DeliveryOutcome::Error,
                    exit: None,
                    note: Some("nobody knows whether it ran".to_owned()),
                    bytes: 0,
                }));
                (begun.action.name.as_str(), UNKNOWN)
            }
            (None, Some(refusal)) => (refusal.name.as_str(), refusal.detail.as_str()),
            (None, None) => {
                let action = usize::try_from(index).ok().and_then(|index| asked.get(index));
                (action.map_or("", |action| action.kind.as_str()), NOT_BEGUN)
            }
        };
        let label = if count == 1 {
            "error".to_owned()
        } else {
            format!("{}. {name}: error", index + 1)
        };
        items.push(ResultItem::new(label, words));
    }
    let first = started.values().next().map(|begun| begun.action.clone());
    let request = DeliveryRequest {
        id: request_id(turn),
        origin: delivery.map_or_else(|| ReplyAddress::of(message), |delivery| delivery.origin.clone()),
        requester: message.sender.clone(),
        action: first.unwrap_or_else(|| PerformedAction {
            name: asked
                .first()
                .map_or_else(|| "actions".to_owned(), |action| action.kind.clone()),
            command: None,
        }),
        outcome: DeliveryOutcome::Error,
        items,
        items_omitted: 0,
        depth: delivery.map_or(1, |delivery| delivery.depth + 1),
        corrections: None,
        cause: Some(turn),
    };
    Some((request, ends))
}
