//! Which places of the journal a view shows, and where it has gaps.

use super::turns::Turns;
use foldback_wire::{Seq, Timestamp, TurnId};

/// The rows of a view, by their places. 8 bytes a row; a view of everything needs none.
#[derive(Debug)]
pub(super) enum Places {
    /// Every place from the first to the last: those before were deleted, or stand there among deleted ones.
    All { first: u64, last: u64 },
    /// These, in order, and the gaps among them.
    Some { rows: Vec<u64>, gaps: Vec<Gap> },
    /// Not events, but the turns that they belong to.
    Turns(Turns),
}

/// Events that were not looked at. Its row stands at the place of the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) first: u64,
    pub(super) count: u64,
    pub(super) at: Timestamp,
}

impl Places {
    pub(super) fn some() -> Self {
        Self::Some {
            rows: Vec::new(),
            gaps: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::All { first, last } => (last + 1).saturating_sub(*first),
            Self::Some { rows, .. } => rows.len() as u64,
            Self::Turns(turns) => turns.listed().len() as u64,
        }
    }

    /// Whether every event, or every turn, is a row.
    pub(super) fn are_all(&self) -> bool {
        match self {
            Self::All { .. } => true,
            Self::Some { .. } => false,
            Self::Turns(turns) => turns.are_all(),
        }
    }

    /// The turns, where they are the rows.
    pub(super) fn turns(&mut self) -> Option<&mut Turns> {
        match self {
            Self::All { .. } | Self::Some { .. } => None,
            Self::Turns(turns) => Some(turns),
        }
    }

    /// The places of `count` rows from row `from` on; of turns, their numbers.
    pub(super) fn window(&self, from: u64, count: usize) -> Vec<u64> {
        match self {
            Self::All { first, last } => (from.saturating_add(*first)..=*last).take(count).collect(),
            Self::Some { rows, .. } => part(rows, from, count),
            Self::Turns(turns) => part(turns.listed(), from, count),
        }
    }

    /// The first row at this place or after it.
    pub(super) fn position(&self, seq: Seq) -> Option<u64> {
        let position = match self {
            Self::All { first, .. } => seq.0.saturating_sub(*first),
            Self::Some { rows, .. } => rows.partition_point(|row| *row < seq.0) as u64,
            Self::Turns(_) => return None,
        };
        (position < self.len()).then_some(position)
    }

    /// More events that pass, at the end.
    pub(super) fn extend(&mut self, events: impl IntoIterator<Item = (Seq, Option<TurnId>)>) {
        match self {
            Self::All { .. } => {}
            Self::Some { rows, .. } => rows.extend(events.into_iter().map(|(seq, _)| seq.0)),
            Self::Turns(turns) => turns.pass(events.into_iter().filter_map(|(_, turn)| turn)),
        }
    }

    /// Shows the event at this place, which was looked at before, or leaves it out. A turn that was listed stays, as other
    /// events of it may have passed.
    pub(super) fn show(&mut self, seq: Seq, turn: Option<TurnId>, shown: bool) {
        let (rows, gaps) = match self {
            Self::All { .. } => return,
            Self::Some { rows, gaps } => (rows, gaps),
            Self::Turns(turns) => return turns.pass(turn.filter(|_| shown).into_iter()),
        };
        let in_gap = |gap: &Gap| gap.first <= seq.0 && seq.0 - gap.first < gap.count;
        match rows.binary_search(&seq.0) {
            // It is counted there.
            _ if gaps.iter().any(in_gap) => {}
            Err(at) if shown => rows.insert(at, seq.0),
            Ok(at) if !shown => drop(rows.remove(at)),
            _ => {}
        }
    }

    /// A row for events that were not looked at.
    pub(super) fn gap(&mut self, gap: Gap) {
        if let Self::Some { rows, gaps } = self {
            rows.push(gap.first);
            gaps.push(gap);
        }
    }

    /// The gap whose row stands at this place.
    pub(super) fn gap_at(&self, seq: u64) -> Option<Gap> {
        match self {
            Self::All { .. } | Self::Turns(_) => None,
            Self::Some { gaps, .. } => {
                let at = gaps.binary_search_by_key(&seq, |gap| gap.first).ok()?;
                gaps.get(at).copied()
            }
        }
    }

    /// Events that were not looked at, in total.
    pub(super) fn dropped(&self) -> u64 {
        match self {
            Self::All { .. } | Self::Turns(_) => 0,
            Self::Some { gaps, .. } => gaps.iter().map(|gap| gap.count).sum(),
        }
    }
}

fn part(rows: &[u64], from: u64, count: usize) -> Vec<u64> {
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    rows.iter().skip(from).take(count).copied().collect()
}
