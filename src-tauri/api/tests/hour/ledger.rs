//! What the journal says became of everything.

use foldback_wire::{Event, Inbound, Kind, OpId, OpKind, OutcomeCode, Terminal, TurnId};
use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct Ledger {
    /// The message of each turn, in the order in which they came.
    pub(crate) received: BTreeMap<TurnId, Inbound>,
    pub(crate) ended: BTreeMap<TurnId, Terminal>,
    operations: BTreeMap<OpId, (TurnId, OpKind)>,
    outcomes: BTreeMap<OpId, OutcomeCode>,
}

impl Ledger {
    pub(crate) fn of(events: Vec<Event>) -> Self {
        let mut ledger = Self::default();
        for event in events {
            let Some(turn) = event.turn else { continue };
            match event.kind {
                Kind::Received { message } => drop(ledger.received.insert(turn, *message)),
                Kind::TurnEnded { terminal } => drop(ledger.ended.insert(turn, terminal)),
                Kind::Intended { op, intent, .. } => {
                    ledger.operations.insert(op, (turn, intent.kind));
                }
                Kind::Ended { op, outcome } => drop(ledger.outcomes.insert(op, outcome.code)),
                _ => {}
            }
        }
        ledger
    }

    /// How many operations ended so.
    pub(crate) fn all(&self, code: OutcomeCode) -> usize {
        self.outcomes.values().filter(|ended| **ended == code).count()
    }

    /// How many operations of a kind ended so, in these turns.
    pub(crate) fn count(&self, op: OpKind, code: OutcomeCode, of: impl Fn(TurnId) -> bool) -> usize {
        let ended = self.outcomes.iter().filter(|(_, ended)| **ended == code);
        let operations = ended.filter_map(|(op, _)| self.operations.get(op));
        operations.filter(|(turn, kind)| *kind == op && of(*turn)).count()
    }

    /// Operations of each turn of which nobody knows whether they arrived, and those that failed.
    pub(crate) fn doubts(&self) -> BTreeMap<TurnId, (usize, usize)> {
        let mut doubts: BTreeMap<TurnId, (usize, usize)> = BTreeMap::new();
        for (op, code) in &self.outcomes {
            let (unknown, failed) = doubts.entry(self.operations[op].0).or_default();
            *unknown += usize::from(*code == OutcomeCode::Unknown);
            *failed += usize::from(*code == OutcomeCode::Failed);
        }
        doubts
    }

    pub(crate) fn operations(&self) -> usize {
        self.operations.len()
    }

    /// Operations without an outcome.
    pub(crate) fn open(&self) -> usize {
        let ended = |op: &&OpId| !self.outcomes.contains_key(op);
        self.operations.keys().filter(ended).count()
    }
}
