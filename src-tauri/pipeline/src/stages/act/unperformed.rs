//! Actions of a turn that an earlier process left: nobody knows of one that began whether it ran, so it is never begun
//! again, and its agent is told so. What cannot be told to the agent any more, the person is told.
//!
//! An example: the second correction of an answer is wrong again, and the process is killed.
//!
//! ```text
//!   turn 9   `action_refused`, the third answer that cannot be read     <- killed: the person knows of nothing
//!   start    no correction is left: no delivery follows, and the person is told that something was not done
//! ```
//!
//! What must hold:
//! - One delivery or one sentence to the person follows, never both, however often the process is killed on the way.
//! - As many corrections are left as there would have been without a kill.

use super::{ACTIONS, AskedAction, CORRECTIONS, request::in_words};
use crate::{output::is_unreadable, turn_chain::request_id, user_text::UserText};
use foldback_actions::ActionTable;
use foldback_wire::{
    ActionEnded, ActionRefusal, ActionRefusalCode, ActionStarted, Body, DeliveryLimits, DeliveryOutcome,
    DeliveryRequest, Event, Inbound, Kind, PerformedAction, ReplyAddress, ResultItem, StopReason, TurnId,
};
use std::collections::{BTreeMap, BTreeSet};

const UNKNOWN: &str = "The bot was stopped while it ran. Nobody knows whether it ran, and what came of it; it is not begun again.";
const NOT_BEGUN: &str = "The bot was stopped before it began. It did not run.";

/// Consequences of the actions of a turn that was left.
#[derive(Debug)]
pub(crate) enum LeftActing {
    /// All that was to follow did.
    Nothing,
    /// The delivery of what became of them, with the ends of those that began.
    Deliver(Box<DeliveryRequest>, Vec<Kind>),
    /// The person is to be told that something was not done.
    TellNotDone,
}

/// The actions of a turn that was left, as its events tell of them.
#[derive(Default)]
struct LeftActions {
    /// Those in text, which were to be carried out after the run.
    asked: Vec<AskedAction>,
    started: BTreeMap<u32, ActionStarted>,
    refused: BTreeMap<u32, ActionRefusal>,
    /// The number of the first action in text: those of tool calls stand before it, and ended while the run went on.
    first: u32,
    /// Calls of the run that its agent could mend.
    mendable_calls: u32,
    ended_in_order: bool,
    /// What came of those in text is written down.
    is_over: bool,
    /// The turn of their delivery was refused.
    is_not_delivered: bool,
    /// Their delivery has a turn, or the person was told that something was not done.
    is_told: bool,
    message: Option<Box<Inbound>>,
    delivery: Option<Box<DeliveryRequest>>,
}

impl LeftActions {
    /// `acts` is true where some action is on.
    fn of(turn: TurnId, events: &[Event], acts: bool) -> Self {
        let not_done = UserText::ActionNotDone.to_string();
        let mut left = Self::default();
        for event in events {
            match &event.kind {
                Kind::Received { message } => left.message = Some(message.clone()),
                Kind::DeliveryDue(due) => left.delivery = Some(due.clone()),
                Kind::Action {
                    action,
                    outcome: None,
                    ..
                } => left.asked.push(AskedAction::Read(action.clone())),
                // One value that is too large is dropped piece by piece.
                kind if acts
                    && is_unreadable(kind)
                    && left.asked.last() != Some(&AskedAction::Unreadable) =>
                {
                    left.asked.push(AskedAction::Unreadable);
                }
                Kind::ActionStarted(begun) => {
                    left.started.insert(begun.index, begun.clone());
                    left.first = next_number(left.first, begun.index, left.ended_in_order);
                }
                Kind::ActionRefused(refusal) => {
                    let is_call = !left.ended_in_order;
                    left.mendable_calls += u32::from(is_call && refusal.code.is_mendable());
                    left.refused.insert(refusal.index, refusal.clone());
                    left.first = next_number(left.first, refusal.index, left.ended_in_order);
                }
                // The model had its result.
                Kind::ActionEnded(ended) if !left.ended_in_order => drop(left.started.remove(&ended.index)),
                Kind::ActionEnded(_) => left.is_over = true,
                Kind::DeliveryRefused(refused) => left.is_not_delivered |= refused.id == request_id(turn),
                Kind::DeliveryAccepted(accepted) => left.is_told |= accepted.id == request_id(turn),
                Kind::Intended { intent, .. } => {
                    let told = |body: &Body| matches!(body, Body::Aside { text } if *text == not_done);
                    left.is_told |= intent.body.as_ref().is_some_and(told);
                }
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
        left
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

    /// The action in text of a number.
    fn asked(&self, index: u32) -> Option<&AskedAction> {
        let place = usize::try_from(index.checked_sub(self.first)?).ok()?;
        self.asked.get(place)
    }

    /// The refusal of one that did not begin: as it was written, or of JSON that cannot be read.
    fn refusal(&self, index: u32) -> Option<ActionRefusal> {
        if self.started.contains_key(&index) {
            return None;
        }
        let written = self.refused.get(&index).cloned();
        written.or_else(|| {
            let code = ActionRefusalCode::Unreadable;
            (self.asked(index) == Some(&AskedAction::Unreadable)).then(|| ActionRefusal::of(index, "", code))
        })
    }

    /// What its agent is told of one of them: its name, what became of it, and the words.
    fn told(&self, index: u32, table: &ActionTable) -> (String, &'static str, String) {
        if let Some(begun) = self.started.get(&index) {
            return (begun.action.name.clone(), "error", UNKNOWN.to_owned());
        }
        if let Some(refusal) = self.refusal(index) {
            let schema = table.row(&refusal.name).map(|row| &row.payload);
            let words = in_words(&refusal, schema);
            return (refusal.name, "refused", words);
        }
        let name = self.asked(index).map_or("", AskedAction::name);
        (name.to_owned(), "error", NOT_BEGUN.to_owned())
    }

    /// The action that the delivery names.
    fn action(&self) -> PerformedAction {
        let begun = self.started.values().next().map(|begun| begun.action.clone());
        let named = |name: &str| PerformedAction {
            name: if name.is_empty() { ACTIONS } else { name }.to_owned(),
            command: None,
        };
        begun.unwrap_or_else(|| named(self.asked.first().map_or("", AskedAction::name)))
    }

    /// The corrections that are still read, this answer counted; none where its agent can mend nothing.
    fn corrections(&self, all: &BTreeSet<u32>) -> Option<u32> {
        let is_mendable = |index: &u32| {
            self.refusal(*index)
                .is_some_and(|refusal| refusal.code.is_mendable())
        };
        // Of what may have run it is not asked for anything again.
        let may_have_run = !self.is_over && !self.started.is_empty();
        if may_have_run || !all.iter().any(is_mendable) {
            return None;
        }
        let before = self.delivery.as_ref().and_then(|delivery| delivery.corrections);
        let wrong = self.mendable_calls.saturating_add(1);
        Some(before.unwrap_or(CORRECTIONS + 1).saturating_sub(wrong))
    }

    /// True where no further correction is read of what was refused.
    fn is_spent(&self, all: &BTreeSet<u32>, bounded: bool) -> bool {
        bounded && self.corrections(all) == Some(0)
    }
}

/// Reads what is to follow from the actions of a turn that was left. `bounded` is true where corrections have a bound.
pub(crate) fn unperformed(turn: TurnId, events: &[Event], table: &ActionTable, bounded: bool) -> LeftActing {
    let left = LeftActions::of(turn, events, !table.is_empty());
    let all = left.numbers();
    let Some(message) = left.message.as_ref().filter(|_| !all.is_empty() && !left.is_told) else {
        return LeftActing::Nothing;
    };
    if left.is_not_delivered || left.is_spent(&all, bounded) {
        return LeftActing::TellNotDone;
    }
    if left.is_over {
        // A person stopped it.
        return LeftActing::Nothing;
    }
    let items = all.iter().map(|index| {
        let (name, label, words) = left.told(*index, table);
        let label = if all.len() == 1 {
            label.to_owned()
        } else {
            format!("{}. {name}: {label}", index + 1)
        };
        ResultItem::new(label, words)
    });
    let delivery = left.delivery.as_ref();
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
        corrections: left.corrections(&all),
        cause: Some(turn),
    };
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
    LeftActing::Deliver(Box::new(request), ends.collect())
}

/// The number behind those of a run's calls, as far as they are known.
const fn next_number(first: u32, index: u32, ended_in_order: bool) -> u32 {
    if ended_in_order || index < first {
        first
    } else {
        index + 1
    }
}
