//! The durations that a journal knows of some events.

use crate::{EventDuration, Journal, StoreError, duration::may_last};
use foldback_wire::{Event, Seq};
use std::collections::HashMap;

/// The durations of some events.
#[derive(Debug, Default)]
pub(crate) struct Durations(HashMap<Seq, EventDuration>);

impl Durations {
    /// What the journal knows of these events.
    pub(crate) async fn of(journal: &dyn Journal, events: &[Event]) -> Result<Self, StoreError> {
        let timed = events.iter().filter(|event| may_last(&event.kind));
        let places: Vec<_> = timed.map(|event| event.seq).collect();
        if places.is_empty() {
            return Ok(Self::default());
        }
        let known = journal.durations(&places).await?;
        Ok(Self(known.into_iter().map(|known| (known.seq, known)).collect()))
    }

    pub(crate) fn get(&self, seq: Seq) -> Option<&EventDuration> {
        self.0.get(&seq)
    }
}
