//! Directives with what came of them.

use super::{ledger::Ledger, when::When};
use foldback_wire::{DirectiveRef, Kind, rpc::DirectiveEntry};

/// The directives of a turn, in the order they were read.
#[derive(Debug, Clone, Default)]
pub(super) struct Directives {
    read: Vec<DirectiveEntry>,
}

impl Directives {
    pub(super) fn len(&self) -> usize {
        self.read.len()
    }

    pub(super) fn push(&mut self, when: When, kind: &Kind) {
        match kind {
            Kind::Directive { at, directive } => self.read.push(DirectiveEntry {
                seq: when.seq,
                message: at.message,
                index: at.index,
                at_ms: when.ms,
                directive: directive.clone(),
                op: None,
                outcome: None,
                took_ms: None,
            }),
            Kind::Skipped { at, outcome, .. } => {
                let skipped = |e: &&mut DirectiveEntry| (e.message, e.index) == (at.message, at.index);
                if let Some(entry) = self.read.iter_mut().find(skipped) {
                    entry.outcome = Some(outcome.clone());
                    entry.took_ms = Some(when.ms.saturating_sub(entry.at_ms));
                }
            }
            _ => {}
        }
    }

    /// The directives, each with its operation in the ledger.
    pub(super) fn entries(&self, ledger: &Ledger) -> Vec<DirectiveEntry> {
        let matched = |entry: &DirectiveEntry| {
            let at = DirectiveRef {
                message: entry.message,
                index: entry.index,
            };
            let mut entry = entry.clone();
            if let Some(op) = ledger.of_directive(at) {
                entry.op = Some(op.op);
                entry.outcome = op.outcome.clone().or(entry.outcome);
                let ended = op.took_ms.map(|took| op.at_ms + took);
                entry.took_ms = ended.map(|end| end.saturating_sub(entry.at_ms)).or(entry.took_ms);
            }
            entry
        };
        self.read.iter().map(matched).collect()
    }
}
