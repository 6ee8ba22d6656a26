//! Actions of a turn that an earlier process left: nobody knows of one that began whether it ran, so it is never begun
//! again, and its agent is told so.

use crate::turn_chain::request_id;
use foldback_wire::{
    ActionEnded, ActionStarted, DeliveryLimits, DeliveryOutcome, DeliveryRequest, Event, JsonAction, Kind,
    PerformedAction, ReplyAddress, ResultItem, StopReason, TurnId,
};
use std::collections::{BTreeMap, BTreeSet};

const UNKNOWN: &str = "The bot was stopped while it ran. Nobody knows whether it ran, and what came of it; it is not begun again.";
const NOT_BEGUN: &str = "The bot was stopped before it began. It did not run.";

/// The delivery about the actions of a turn that was left, and the events that belong to its turn; `None` where
/// nothing is.
pub(crate) fn unperformed(turn: TurnId, events: &[Event]) -> Option<(DeliveryRequest, Vec<Kind>)> {
    let mut asked: Vec<&JsonAction> = Vec::new();
    let mut started: BTreeMap<u32, &ActionStarted> = BTreeMap::new();
    let mut refused = BTreeMap::new();
    // The number of the first action in text: those of tool calls stand before it, and ended while the run went on.
    let mut first = 0;
    let mut ended_in_order = false;
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
            Kind::ActionStarted(begun) => {
                started.insert(begun.index, begun);
                first = next_number(first, begun.index, ended_in_order);
            }
            Kind::ActionRefused(refusal) => {
                refused.insert(refusal.index, refusal);
                first = next_number(first, refusal.index, ended_in_order);
            }
            // The model had its result.
            Kind::ActionEnded(ended) if !ended_in_order => drop(started.remove(&ended.index)),
            // It is delivered already, or will not be.
            Kind::ActionEnded(_) | Kind::DeliveryAccepted(_) => return None,
            Kind::RunEnded {
                reason: StopReason::End,
                ..
            } => {
                ended_in_order = true;
                refused.clear();
            }
            _ => {}
        }
    }
    if !ended_in_order {
        // Of those in text none was to be carried out yet.
        asked.clear();
        refused.clear();
    }
    let message = message?;
    let behind = u32::try_from(asked.len()).unwrap_or(u32::MAX);
    let known: Vec<u32> = started.keys().chain(refused.keys()).copied().collect();
    let known_end = known.iter().map(|index| index + 1).max().unwrap_or(0);
    let last = if ended_in_order {
        known_end.max(first.saturating_add(behind))
    } else {
        first
    };
    let all: BTreeSet<u32> = known.into_iter().chain(first..last).collect();
    if all.is_empty() {
        return None;
    }
    let mut items = Vec::new();
    let mut ends = Vec::new();
    for index in &all {
        let (name, words) = match (started.get(index), refused.get(index)) {
            (Some(begun), _) => {
                ends.push(Kind::ActionEnded(ActionEnded {
                    index: *index,
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
                let place = usize::try_from(index.saturating_sub(first));
                let action = place.ok().and_then(|place| asked.get(place));
                (action.map_or("", |action| action.kind.as_str()), NOT_BEGUN)
            }
        };
        let label = if all.len() == 1 {
            "error".to_owned()
        } else {
            format!("{}. {name}: error", index + 1)
        };
        items.push(ResultItem::new(label, words));
    }
    let begun = started.values().next().map(|begun| begun.action.clone());
    let request = DeliveryRequest {
        id: request_id(turn),
        origin: delivery.map_or_else(|| ReplyAddress::of(message), |delivery| delivery.origin.clone()),
        requester: message.sender.clone(),
        action: begun.unwrap_or_else(|| PerformedAction {
            name: asked
                .first()
                .map_or_else(|| "actions".to_owned(), |action| action.kind.clone()),
            command: None,
        }),
        outcome: DeliveryOutcome::Error,
        items,
        items_omitted: 0,
        depth: delivery.map_or(1, |delivery| delivery.depth + 1),
        limits: DeliveryLimits::default(),
        corrections: None,
        cause: Some(turn),
    };
    Some((request, ends))
}

/// The number behind those of a run's calls, as far as they are known.
const fn next_number(first: u32, index: u32, ended_in_order: bool) -> u32 {
    if ended_in_order || index < first {
        first
    } else {
        index + 1
    }
}
