//! Which places of the journal a view shows, and where it has gaps.

use foldback_wire::{Seq, Timestamp};

/// The rows of a view, by their places. 8 bytes a row; a view of everything needs none.
#[derive(Debug)]
pub(super) enum Places {
    /// Every place from the first to the last: those before were deleted, or stand there among deleted ones.
    All { first: u64, last: u64 },
    /// These, in order, and the gaps among them.
    Some { rows: Vec<u64>, gaps: Vec<Gap> },
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
        }
    }

    /// The places of `count` rows from row `from` on.
    pub(super) fn window(&self, from: u64, count: usize) -> Vec<u64> {
        match self {
            Self::All { first, last } => (from.saturating_add(*first)..=*last).take(count).collect(),
            Self::Some { rows, .. } => {
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                rows.iter().skip(from).take(count).copied().collect()
            }
        }
    }

    /// The first row at this place or after it.
    pub(super) fn position(&self, seq: Seq) -> Option<u64> {
        let position = match self {
            Self::All { first, .. } => seq.0.saturating_sub(*first),
            Self::Some { rows, .. } => rows.partition_point(|row| *row < seq.0) as u64,
        };
        (position < self.len()).then_some(position)
    }

    /// More rows at the end.
    pub(super) fn extend(&mut self, places: impl IntoIterator<Item = Seq>) {
        if let Self::Some { rows, .. } = self {
            rows.extend(places.into_iter().map(|seq| seq.0));
        }
    }

    /// Shows the event at this place, which was looked at before, or leaves it out.
    pub(super) fn show(&mut self, seq: Seq, shown: bool) {
        let Self::Some { rows, gaps } = self else { return };
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
            Self::All { .. } => None,
            Self::Some { gaps, .. } => {
                let at = gaps.binary_search_by_key(&seq, |gap| gap.first).ok()?;
                gaps.get(at).copied()
            }
        }
    }

    /// Events that were not looked at, in total.
    pub(super) fn dropped(&self) -> u64 {
        match self {
            Self::All { .. } => 0,
            Self::Some { gaps, .. } => gaps.iter().map(|gap| gap.count).sum(),
        }
    }
}
