//! Operations whose outcome is unknown ask for a person's look, also over a restart: a look is an event of their turn.

use super::{Backend, again};
use crate::failure;
use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{Draft, Kind, OpId, OutcomeCode, Seq, TurnId, rpc::Failure};
use std::collections::BTreeMap;

/// Events that a start looks back over: a bound on the time that it takes.
const LOOKED_OVER: u64 = 50_000;

/// The turns with operations of unknown outcome that no person has looked at or sent again, and how many operations.
pub(super) async fn unreviewed(journal: &dyn Journal) -> Result<BTreeMap<TurnId, u32>, StoreError> {
    let head = journal.head();
    let after = Seq(head.0.saturating_sub(LOOKED_OVER));
    let wanted = Selection::kinds(["ended", "received", "reviewed"]);
    let mut unknown: BTreeMap<OpId, TurnId> = BTreeMap::new();
    for event in journal.select(&wanted, after, head, usize::MAX).await? {
        match (event.kind, event.turn) {
            (Kind::Ended { op, outcome }, Some(turn)) if outcome.code == OutcomeCode::Unknown => {
                unknown.insert(op, turn);
            }
            (Kind::Received { message }, _) => {
                if let Some(op) = again(&message.message) {
                    unknown.remove(&op);
                }
            }
            (Kind::Reviewed { .. }, Some(turn)) => unknown.retain(|_, of| *of != turn),
            _ => {}
        }
    }
    let mut turns = BTreeMap::new();
    for turn in unknown.into_values() {
        *turns.entry(turn).or_insert(0) += 1;
    }
    Ok(turns)
}

impl Backend {
    /// Writes down that a person looked at a turn, so that the next start does not ask for it.
    pub(super) fn note_review(&self, turn: TurnId) -> Result<(), Failure> {
        let reviewed = Draft {
            at: self.shared.clock.now(),
            turn: Some(turn),
            session: None,
            channel: None,
            kind: Kind::Reviewed {
                by: self.shared.actor.clone(),
            },
        };
        let appended = self.shared.journal.append(vec![reviewed]);
        appended.map(drop).map_err(failure::journal)
    }
}
