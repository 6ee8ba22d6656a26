//! The messages of one text that takes several. A text with a hole in it misleads more than one that stops: what is
//! behind a message that did not arrive is held with it, as dead letters that a person sends again in order.
//!
//! A message of which nobody knows whether it arrived leaves no hole, for all that is known: what is behind it goes on.

use foldback_wire::{OpId, Outcome, OutcomeCode};
use std::sync::OnceLock;

/// The messages of a text, as far as they are in the outbox.
#[derive(Debug, Default)]
pub(crate) struct TextParts {
    first: OnceLock<OpId>,
    dead: OnceLock<(OpId, OutcomeCode)>,
}

impl TextParts {
    /// Those behind this first one, of which an earlier process left some.
    pub(crate) fn behind(first: OpId) -> Self {
        Self {
            first: OnceLock::from(first),
            dead: OnceLock::new(),
        }
    }

    /// Adds a message. Answers the first one of the text, where this is another.
    pub(super) fn add(&self, op: OpId) -> Option<OpId> {
        let first = *self.first.get_or_init(|| op);
        (first != op).then_some(first)
    }

    /// The first message of the text.
    pub(super) fn first(&self) -> Option<OpId> {
        self.first.get().copied()
    }

    /// Takes how a message of it ended. What was done in the place of one counts, not that one.
    pub(crate) fn end(&self, op: OpId, outcome: &Outcome) {
        let lost = matches!(outcome.code, OutcomeCode::Failed | OutcomeCode::Cancelled);
        if lost && outcome.replaced_by.is_none() {
            // All behind the first one that is lost is lost because of it.
            let _ = self.dead.set((op, outcome.code));
        }
    }

    /// The end of a message that stands behind one that did not arrive; `None` where none is.
    pub(super) fn held_with(&self) -> Option<Outcome> {
        let (op, code) = self.dead.get()?;
        let why =
            format!("held with operation {op}, which is the part of the text before it and did not arrive");
        Some(Outcome::new(*code).because(why))
    }
}
