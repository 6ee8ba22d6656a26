//! Actions of a turn that an earlier process left: nobody knows of one that began whether it ran, so it is never begun
//! again, and its agent is told so.

use crate::turn_chain::request_id;
use foldback_wire::{
    ActionEnded, ActionRefusal, ActionStarted, DeliveryLimits, DeliveryOutcome, DeliveryRequest, Event,
    Inbound, JsonAction, Kind, PerformedAction, ReplyAddress, ResultItem, StopReason, TurnId,
};
use std::collections::{BTreeMap, BTreeSet};

const UNKNOWN: &str = "The bot was stopped while it ran. Nobody knows whether it ran, and what came of it; it is not begun again.";
const NOT_BEGUN: &str = "The bot was stopped before it began. It did not run.";

/// The actions of a turn that was left, as its events tell of them.
#[derive(Default)]
struct LeftActions<'a> {
    /// Those in text, which were to be carried out after the run.
    asked: Vec<&'a JsonAction>,
    started: BTreeMap<u32, &'a ActionStarted>,
    refused: BTreeMap<u32, &'a ActionRefusal>,
    /// The number of the first action in text: those of tool calls stand before it, and ended while the run went on.
    first: u32,
    ended_in_order: bool,
    message: Option<&'a Inbound>,
    delivery: Option<&'a DeliveryRequest>,
}

impl<'a> LeftActions<'a> {
    /// `None` where what came of them is delivered already, or will not be.
    fn of(events: &'a [Event]) -> Option<Self> {
        let mut left = Self::default();
        for event in events {
            match &event.kind {
                Kind::Received { message } => left.message = Some(message),
                Kind::DeliveryDue(due) => left.delivery = Some(due),
                Kind::Action {
                    action,
                    outcome: None,
                    ..
                } => left.asked.push(action),
                Kind::ActionStarted(begun) => {
                    left.started.insert(begun.index, begun);
                    left.first = next_number(left.first, begun.index, left.ended_in_order);
                }
                Kind::ActionRefused(refusal) => {
                    left.refused.insert(refusal.index, refusal);
                    left.first = next_number(left.first, refusal.index, left.ended_in_order);
                }
                // The model had its result.
                Kind::ActionEnded(ended) if !left.ended_in_order => drop(left.started.remove(&ended.index)),
                Kind::ActionEnded(_) | Kind::DeliveryAccepted(_) => return None,
                Kind::RunEnded {
                    reason: StopReason::End,
                    ..
                } => {
                    left.ended_in_order = true;
                    left.refused.clear();
                }
                _ => {}
            }
        }
        if !left.ended_in_order {
            // Of those in text none was to be carried out yet.
            left.asked.clear();
            left.refused.clear();
        }
        Some(left)
    }

    /// The numbers of all of them, in the turn.
    fn numbers(&self) -> BTreeSet<u32> {
        let behind = u32::try_from(self.asked.len()).unwrap_or(u32::MAX);
        let known: Vec<u32> = self.started.keys().chain(self.refused.keys()).copied().collect();
        let known_end = known.iter().map(|index| index + 1).max().unwrap_or(0);
        let last = if self.ended_in_order {
            known_end.max(self.first.saturating_add(behind))
        } else {
            self.first
        };
        known.into_iter().chain(self.first..last).collect()
    }

    /// The name of one of them, and what its agent is told of it.
    fn told(&self, index: u32) -> (&str, &str) {
        if let Some(begun) = self.started.get(&index) {
            return (&begun.action.name, UNKNOWN);
        }
        if let Some(refusal) = self.refused.get(&index) {
            return (&refusal.name, &refusal.detail);
        }
        let place = usize::try_from(index.saturating_sub(self.first));
        let action = place.ok().and_then(|place| self.asked.get(place));
        (action.map_or("", |action| action.kind.as_str()), NOT_BEGUN)
    }

    /// The action that the delivery names.
    fn action(&self) -> PerformedAction {
        let begun = self.started.values().next().map(|begun| begun.action.clone());
        begun.unwrap_or_else(|| PerformedAction {
            name: self
                .asked
                .first()
                .map_or_else(|| "actions".to_owned(), |action| action.kind.clone()),
            command: None,
        })
    }
}

/// The delivery about the actions of a turn that was left, and the events that belong to its turn; `None` where
/// nothing is.
pub(crate) fn unperformed(turn: TurnId, events: &[Event]) -> Option<(DeliveryRequest, Vec<Kind>)> {
    let left = LeftActions::of(events)?;
    let message = left.message?;
    let all = left.numbers();
    if all.is_empty() {
        return None;
    }
    let items = all.iter().map(|index| {
        let (name, words) = left.told(*index);
        let label = if all.len() == 1 {
            "error".to_owned()
        } else {
            format!("{}. {name}: error", index + 1)
        };
        ResultItem::new(label, words)
    });
    let ends = left.started.iter().map(|(index, begun)| {
        Kind::ActionEnded(ActionEnded {
            index: *index,
            name: begun.action.name.clone(),
            outcome: DeliveryOutcome::Error,
            exit: None,
            note: Some("nobody knows whether it ran".to_owned()),
            bytes: 0,
        })
    });
    let delivery = left.delivery;
    let request = DeliveryRequest {
        id: request_id(turn),
        origin: delivery.map_or_else(|| ReplyAddress::of(message), |delivery| delivery.origin.clone()),
        requester: message.sender.clone(),
        action: left.action(),
        outcome: DeliveryOutcome::Error,
        items: items.collect(),
        items_omitted: 0,
        depth: delivery.map_or(1, |delivery| delivery.depth + 1),
        limits: DeliveryLimits::default(),
        corrections: None,
        cause: Some(turn),
    };
    let ends = ends.collect();
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
