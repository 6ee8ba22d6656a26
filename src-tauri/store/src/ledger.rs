//! The book that both journals keep: who comes next, and what is in the outbox. Pure bookkeeping: it decides
//! at the call, in the order of the calls, so that a journal may write later and in batches.

use crate::{Numbers, OutboxEntry, StoreError};
use foldback_wire::{Draft, Event, Kind, OpId, Outcome, Seq};
use std::collections::{BTreeMap, BTreeSet};

/// The state of a journal after every call so far, whether written already or not.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    head: u64,
    numbers: Numbers,
    outbox: BTreeMap<OpId, OutboxEntry>,
}

impl Ledger {
    /// The book as it was found in a file.
    pub(crate) fn found(head: Seq, numbers: Numbers, outbox: Vec<OutboxEntry>) -> Self {
        let outbox = outbox.into_iter().map(|entry| (entry.op, entry)).collect();
        Self {
            head: head.0,
            numbers,
            outbox,
        }
    }

    /// Gives each draft its place.
    pub(crate) fn number(&mut self, drafts: Vec<Draft>) -> Vec<Event> {
        drafts.into_iter().map(|draft| self.place(draft)).collect()
    }

    fn place(&mut self, draft: Draft) -> Event {
        self.head += 1;
        if let Some(turn) = draft.turn {
            self.numbers.turn = self.numbers.turn.max(turn.0 + 1);
        }
        match &draft.kind {
            Kind::RunStarted { run, .. } | Kind::MemoryFlushed { run, .. } => {
                self.numbers.run = self.numbers.run.max(run.0 + 1);
            }
            Kind::Intended { op, .. } => self.numbers.op = self.numbers.op.max(op.0 + 1),
            _ => {}
        }
        draft.at_seq(Seq(self.head))
    }

    /// Puts operations into the outbox, all or none.
    pub(crate) fn intend(&mut self, entries: Vec<OutboxEntry>) -> Result<(), StoreError> {
        let mut new = BTreeSet::new();
        let twice = |entry: &&OutboxEntry| self.outbox.contains_key(&entry.op) || !new.insert(entry.op);
        if let Some(OutboxEntry { op, .. }) = entries.iter().find(twice) {
            return Err(StoreError::IntendedTwice(*op));
        }
        for entry in entries {
            self.numbers.op = self.numbers.op.max(entry.op.0 + 1);
            self.numbers.turn = self.numbers.turn.max(entry.turn.0 + 1);
            self.outbox.insert(entry.op, entry);
        }
        Ok(())
    }

    /// Marks whether a platform call was begun. Attempting twice is no error: where the platform recognises
    /// the key, an operation in flight at a crash is attempted again.
    pub(crate) fn in_flight(&mut self, op: OpId, in_flight: bool) -> Result<(), StoreError> {
        let entry = self.outbox.get_mut(&op).ok_or(StoreError::NotInOutbox(op))?;
        entry.in_flight = in_flight;
        Ok(())
    }

    /// Takes an operation out of the outbox; how it ended is for its events to tell.
    pub(crate) fn settle(&mut self, op: OpId, outcome: &Outcome) -> Result<(), StoreError> {
        self.outbox.remove(&op).ok_or(StoreError::NotInOutbox(op))?;
        tracing::debug!(%op, outcome = %outcome.code, "settled");
        Ok(())
    }

    /// The same, and puts what follows from it in.
    pub(crate) fn settle_and_intend(
        &mut self,
        op: OpId,
        outcome: &Outcome,
        next: OutboxEntry,
    ) -> Result<(), StoreError> {
        // Looked at first, so that a refused change leaves no half.
        if self.outbox.contains_key(&next.op) {
            return Err(StoreError::IntendedTwice(next.op));
        }
        self.settle(op, outcome)?;
        self.intend(vec![next])
    }

    pub(crate) fn outbox(&self) -> Vec<OutboxEntry> {
        self.outbox.values().cloned().collect()
    }

    pub(crate) fn numbers(&self) -> Numbers {
        self.numbers
    }

    pub(crate) fn head(&self) -> Seq {
        Seq(self.head)
    }
}
