//! Views with turns for rows. A turn is listed when the journal has its message and an event of it passes the filter;
//! without a filter every turn is. Rows are in the order of the turns' numbers, which is the order in which they began.
//!
//! The numbers of all turns come from an index of their messages, so that a list over a journal of any length is there,
//! with its true count, before an event is read. What passes is found as in a view of events. A turn that passes late
//! takes its place among the others, and turns that are deleted are rows no more.

use super::{Opening, Places, View, Work};
use crate::{Filter, Journal, Selection, StoreError};
use foldback_wire::{Seq, TurnId};
use std::{collections::HashMap, sync::Arc};

/// A window over the turns of a journal. All methods take `&self`, as those of [`View`].
pub struct TurnView(View);

impl TurnView {
    /// Opens a view; nothing is read before [`Self::catch_up`]. It is complete however long that takes: it has no gaps.
    pub fn open(journal: Arc<dyn Journal>, filter: &Filter, opening: Opening) -> Self {
        let turns = Turns::new(!filter.is_everything());
        let opening = Opening {
            max_behind: None,
            ..opening
        };
        Self(View::open_places(journal, filter, opening, Places::Turns(turns)))
    }

    /// Turns listed so far.
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether no turn is listed so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Turns there are, under the filter or not.
    pub fn total(&self) -> u64 {
        self.read(|turns| turns.known.len() as u64)
    }

    /// The last place that was looked at; behind the journal's head while [`Self::catch_up`] has work.
    pub fn examined(&self) -> Seq {
        self.0.examined()
    }

    /// The work done so far.
    pub fn work(&self) -> Work {
        self.0.work()
    }

    /// Events that the journal had deleted when the turns were read last: a change says that turns may be gone.
    pub fn deleted(&self) -> u64 {
        self.read(Turns::deleted)
    }

    /// The row of a turn; `None` where it is not listed.
    pub fn position_of(&self, turn: TurnId) -> Option<u64> {
        let row = self.read(|turns| turns.listed().binary_search(&turn.0).ok());
        row.map(|row| row as u64)
    }

    /// Whether there is such a turn, under the filter or not.
    pub fn has(&self, turn: TurnId) -> bool {
        self.read(|turns| turns.known.binary_search(&turn.0).is_ok())
    }

    /// The turns of `count` rows from row `from` (counted from 0) on; fewer at the end.
    pub fn turns(&self, from: u64, count: usize) -> Vec<TurnId> {
        let rows = self.0.state().places.window(from, count);
        rows.into_iter().map(TurnId).collect()
    }

    /// A place up to which all that happened in a turn is known to be: that of its last event where it has gone on since
    /// the view was opened, else the end of the journal at that time.
    pub fn last_of(&self, turn: TurnId) -> Seq {
        self.read(|turns| turns.latest.get(&turn.0).copied().unwrap_or(turns.opened_at))
    }

    /// One step towards the journal's head; whether there is more to do. May be dropped at any time.
    pub async fn catch_up(&self) -> Result<bool, StoreError> {
        self.0.catch_up().await
    }

    /// Stands still, or goes on: until it does, no turn is listed for what an event before the end turned out to be.
    pub fn stand_still(&self, still: bool) {
        self.0.stand_still(still);
    }

    /// Waits until the journal has grown beyond what was looked at, or events were deleted.
    pub async fn changed(&self) -> Result<(), StoreError> {
        self.0.changed().await
    }

    fn read<T: Default>(&self, look: impl FnOnce(&Turns) -> T) -> T {
        // It was opened with turns for rows.
        let mut state = self.0.state();
        state.places.turns().map_or_else(T::default, |turns| look(turns))
    }
}

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
    fn new(filtered: bool) -> Self {
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
