//! Operations whose outcome is unknown, until a person looks at their turn or sends them again. The process that runs
//! and the next start read them from the same events, so that both count alike.

use crate::backend::Resends;
use foldback_wire::{Event, Kind, OpId, OpKind, TurnId};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The operations of unknown outcome that still ask for a look, by their turns.
#[derive(Debug, Default)]
pub(crate) struct UnknownOutcomes {
    /// No turn without an operation.
    turns: BTreeMap<TurnId, BTreeSet<OpId>>,
    /// Typing without an outcome yet: nobody misses it.
    typing: HashSet<OpId>,
    resends: Resends,
}

impl UnknownOutcomes {
    /// The kinds of events that change them.
    pub(crate) const KINDS: [&str; 5] = ["intended", "ended", "received", "reviewed", "turn_ended"];

    /// Reads an event; for every one, in order. Answers the operation that it sends again.
    pub(crate) fn push(&mut self, event: &Event) -> Option<OpId> {
        match (&event.kind, event.turn) {
            (Kind::Intended { op, intent }, _) if intent.kind == OpKind::Typing => {
                self.typing.insert(*op);
            }
            (Kind::Ended { op, .. }, _) if self.typing.remove(op) => {}
            // What was done in its place has an outcome of its own.
            (Kind::Ended { op, outcome }, Some(turn)) if outcome.is_in_doubt() => {
                self.turns.entry(turn).or_default().insert(*op);
            }
            (Kind::Reviewed { .. }, Some(turn)) => {
                self.look_at(turn);
            }
            _ => {}
        }
        let resent = event.turn.and_then(|turn| self.resends.push(turn, &event.kind))?;
        self.remove(resent);
        Some(resent)
    }

    /// A person sent an operation again.
    fn remove(&mut self, op: OpId) {
        self.turns.retain(|_, operations| {
            operations.remove(&op);
            !operations.is_empty()
        });
    }

    /// A person looked at a turn; answers whether that changed anything.
    pub(super) fn look_at(&mut self, turn: TurnId) -> bool {
        self.turns.remove(&turn).is_some()
    }

    /// True for an operation of a turn that still asks for a look.
    pub(crate) fn contains(&self, turn: TurnId, op: OpId) -> bool {
        self.turns
            .get(&turn)
            .is_some_and(|operations| operations.contains(&op))
    }

    /// How many there are.
    pub(crate) fn operations(&self) -> u32 {
        self.turns
            .values()
            .map(|operations| operations.len() as u32)
            .sum()
    }

    /// Their turns.
    pub(crate) fn turns(&self) -> Vec<TurnId> {
        self.turns.keys().copied().collect()
    }
}
