//! Views with turns for rows. A turn is listed when the journal has its message and an event of it passes the filter;
//! without a filter every turn is. Rows are in the order of the turns' numbers, which is the order in which they began.
//!
//! The numbers of all turns come from an index of their messages, so that a list over a journal of any length is there,
//! with its true count, before an event is read. What passes is found as in a view of events. A turn that passes late
//! takes its place among the others, and turns that are deleted are rows no more.

use super::{Opening, Places, View, Work, turns::Turns};
use crate::{Filter, Journal, StoreError};
use foldback_wire::{Seq, TurnId};
use std::sync::Arc;

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
        self.read(Turns::total)
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
        self.read(|turns| turns.has(turn))
    }

    /// The turns of `count` rows from row `from` (counted from 0) on; fewer at the end.
    pub fn turns(&self, from: u64, count: usize) -> Vec<TurnId> {
        let rows = self.0.state().places.window(from, count);
        rows.into_iter().map(TurnId).collect()
    }

    /// A place up to which all that happened in a turn is known to be: that of its last event where it has gone on since
    /// the view was opened, else the end of the journal at that time.
    pub fn last_of(&self, turn: TurnId) -> Seq {
        self.read(|turns| turns.last_of(turn))
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
