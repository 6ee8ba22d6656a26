//! The time of an event inside its turn.

use foldback_wire::{Event, Timestamp};

/// Where an event stands: in the journal, in time, and in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct When {
    /// Place in the journal.
    pub(super) seq: u64,
    /// When it was decided.
    pub(super) at: Timestamp,
    /// Milliseconds since the turn began; the turn's last for what became known after its end.
    pub(super) ms: u64,
    /// True where it became known after the turn's end.
    pub(super) after_end: bool,
}

impl When {
    /// The place of `event` in a turn that began at `began` and whose last event within it was at `last`. What becomes
    /// known `after_end`, perhaps days later, stands where the turn ended: it did not make the turn last for days.
    pub(super) fn of(event: &Event, after_end: bool, began: Timestamp, last: Timestamp) -> Self {
        let within = if after_end { event.at.min(last) } else { event.at };
        Self {
            seq: event.seq.0,
            at: event.at,
            ms: millis(began, within),
            after_end,
        }
    }

    /// Milliseconds from the turn's beginning to a moment that this event names.
    pub(super) fn ms_of(self, moment: Timestamp) -> u64 {
        self.ms + millis(self.at, moment)
    }
}

/// Milliseconds from one moment to a later one.
pub(super) fn millis(from: Timestamp, to: Timestamp) -> u64 {
    // Milliseconds in a u64 last for half a billion years.
    u64::try_from(to.since(from).as_millis()).unwrap_or(u64::MAX)
}
