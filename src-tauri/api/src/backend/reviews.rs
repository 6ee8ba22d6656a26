//! Operations whose outcome is unknown ask for a person's look, also over a restart: a look is an event of their turn.

use super::Backend;
use crate::{failure, live::UnknownOutcomes};
use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{Draft, Kind, Seq, TurnId, rpc::Failure};

/// Events that a start looks back over: a bound on the time that it takes.
const LOOKED_OVER: u64 = 50_000;

/// The operations of unknown outcome that earlier processes left, without those that a person looked at or sent again.
pub(super) async fn unreviewed(journal: &dyn Journal) -> Result<UnknownOutcomes, StoreError> {
    let head = journal.head();
    let after = Seq(head.0.saturating_sub(LOOKED_OVER));
    let wanted = Selection::kinds(UnknownOutcomes::KINDS);
    let mut unknown = UnknownOutcomes::default();
    for event in journal.select(&wanted, after, head, usize::MAX).await? {
        let _ = unknown.push(&event);
    }
    Ok(unknown)
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
