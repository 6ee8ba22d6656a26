//! The turns that a view of turns has for rows.

use crate::{Journal, Selection, StoreError};
use foldback_wire::{Seq, TurnId};
use std::collections::HashMap;

/// Numbers of turns, each list in order: 8 bytes a turn, and 8 more under a filter.
#[derive(Debug)]
pub(super) struct Turns {
    /// Every turn whose message the journal has.
    known: Vec<u64>,
    /// Those of which an event passed; `None` where all of them are listed.
    passing: Option<Vec<u64>>,
    /// The last event of the turns that have gone on since the view was opened.
    latest: HashMap<u64, Seq>,
    /// The end of the journal when the turns were read first; the first place before that.
    opened_at: Seq,
    /// Up to where they were read last; `None` before the first time.
    known_to: Option<Seq>,
    deleted: u64,
}

/// What is to be read of the turns.
pub(super) struct WantedTurns {
    /// Up to where they were read last; `None` before the first time.
    known_to: Option<Seq>,
    /// Whether all of them are to be read, as at first, and after events were deleted.
    all: bool,
    deleted: u64,
}

/// What was read of the turns.
pub(super) struct ReadTurns {
    wanted: WantedTurns,
    /// The turns whose messages are among it.
    begun: Vec<(TurnId, Seq)>,
    /// The turns that went on.
    went_on: Vec<(TurnId, Seq)>,
}

impl Turns {
    pub(super) fn new(filtered: bool) -> Self {
        Self {
            known: Vec::new(),
            passing: filtered.then(Vec::new),
            latest: HashMap::new(),
            opened_at: Seq(0),
            known_to: None,
            deleted: 0,
        }
    }

    /// The turns that are rows.
    pub(super) fn listed(&self) -> &[u64] {
        self.passing.as_ref().unwrap_or(&self.known)
    }

    /// Turns there are, under the filter or not.
    pub(super) fn total(&self) -> u64 {
        self.known.len() as u64
    }

    pub(super) fn has(&self, turn: TurnId) -> bool {
        self.known.binary_search(&turn.0).is_ok()
    }

    /// The last event of a turn that has gone on since the view was opened, else the end of the journal at that time.
    pub(super) fn last_of(&self, turn: TurnId) -> Seq {
        self.latest.get(&turn.0).copied().unwrap_or(self.opened_at)
    }

    pub(super) fn are_all(&self) -> bool {
        self.passing.is_none()
    }

    pub(super) fn deleted(&self) -> u64 {
        self.deleted
    }

    pub(super) fn wanted(&self, journal: &dyn Journal) -> WantedTurns {
        let deleted = journal.deleted();
        WantedTurns {
            known_to: self.known_to,
            all: self.known_to.is_none() || deleted != self.deleted,
            deleted,
        }
    }

    /// Takes in what was read up to `head`.
    pub(super) fn know(&mut self, read: ReadTurns, head: Seq) {
        let begun = read.begun.into_iter().map(|(turn, _)| turn.0);
        if read.wanted.all {
            self.known = begun.collect();
            let known = &self.known;
            if let Some(passing) = &mut self.passing {
                passing.retain(|turn| known.binary_search(turn).is_ok());
            }
        } else {
            begun.for_each(|turn| insert(&mut self.known, turn));
        }
        if self.known_to.is_none() {
            self.opened_at = head;
        }
        let last = read.went_on.into_iter().map(|(turn, last)| (turn.0, last));
        self.latest.extend(last);
        self.deleted = read.wanted.deleted;
        self.known_to = Some(head);
    }

    /// Events of these turns passed. One whose message was deleted is not listed.
    pub(super) fn pass(&mut self, turns: impl Iterator<Item = TurnId>) {
        let Some(passing) = &mut self.passing else { return };
        for turn in turns.filter(|turn| self.known.binary_search(&turn.0).is_ok()) {
            insert(passing, turn.0);
        }
    }
}

impl WantedTurns {
    pub(super) async fn read(self, journal: &dyn Journal, head: Seq) -> Result<ReadTurns, StoreError> {
        let received = Selection::kinds(["received"]);
        let begin = self.known_to.filter(|_| !self.all).unwrap_or(Seq(0));
        let begun = if begin < head {
            journal.turns(&received, begin, head).await?
        } else {
            vec![]
        };
        let went_on = match self.known_to {
            Some(known_to) if known_to < head => journal.turns(&Selection::ALL, known_to, head).await?,
            _ => vec![],
        };
        Ok(ReadTurns {
            wanted: self,
            begun,
            went_on,
        })
    }
}

impl ReadTurns {
    pub(super) fn len(&self) -> u64 {
        (self.begun.len() + self.went_on.len()) as u64
    }
}

/// Adds a number to those in order, which mostly end before it.
fn insert(numbers: &mut Vec<u64>, number: u64) {
    if let Err(place) = numbers.binary_search(&number) {
        numbers.insert(place, number);
    }
}
