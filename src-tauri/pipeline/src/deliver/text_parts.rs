//! The messages of one text that takes several: all of an answer, with the file of what is beyond its messages, or what a
//! directive says. A text with a hole in it misleads more than one that stops: what is behind a message that did not
//! arrive is held with it, as dead letters that a person sends again in order.
//!
//! A message of which nobody knows whether it arrived leaves no hole, for all that is known: what is behind it goes on.

use foldback_wire::{OpId, Outcome, OutcomeCode};
use std::sync::OnceLock;
use tokio::sync::watch;

/// The messages of a text, as far as they are in the outbox.
#[derive(Debug, Default)]
pub(crate) struct TextParts {
    first: OnceLock<OpId>,
    dead: OnceLock<(OpId, OutcomeCode)>,
    /// Those that have not ended, in the order of the text. What is done in the place of one stands where that did.
    open: watch::Sender<Vec<OpId>>,
}

impl TextParts {
    /// Those behind this first one, of which an earlier process left some.
    pub(crate) fn behind(first: OpId) -> Self {
        Self {
            first: OnceLock::from(first),
            ..Self::default()
        }
    }

    /// Adds a message. Answers the first one of the text, where this is another.
    pub(super) fn add(&self, op: OpId) -> Option<OpId> {
        let first = *self.first.get_or_init(|| op);
        self.open.send_modify(|open| open.push(op));
        (first != op).then_some(first)
    }

    /// The first message of the text.
    pub(super) fn first(&self) -> Option<OpId> {
        self.first.get().copied()
    }

    /// Takes how a message of it ended. What was done in the place of one counts, not that one.
    pub(crate) fn end(&self, op: OpId, outcome: &Outcome) {
        self.open.send_modify(|open| {
            if let Some(at) = open.iter().position(|part| *part == op) {
                drop(open.splice(at..=at, outcome.replaced_by));
            }
        });
        let lost = matches!(outcome.code, OutcomeCode::Failed | OutcomeCode::Cancelled);
        if lost && outcome.replaced_by.is_none() {
            // All behind the first one that is lost is lost because of it.
            let _ = self.dead.set((op, outcome.code));
        }
    }

    /// Ends once every message before this one has ended. A queue keeps that order by itself, but for the messages of a
    /// directive, which what stands behind them may overtake.
    pub(super) async fn wait_for_earlier(&self, op: OpId) {
        let mut open = self.open.subscribe();
        let is_next = |open: &Vec<OpId>| open.first() == Some(&op) || !open.contains(&op);
        // It cannot fail: the sender lives in `self`.
        drop(open.wait_for(is_next).await);
    }

    /// The end of a message that stands behind one that did not arrive; `None` where none is.
    pub(super) fn held_with(&self) -> Option<Outcome> {
        let (op, code) = self.dead.get()?;
        let why =
            format!("held with operation {op}, which is the part of the text before it and did not arrive");
        Some(Outcome::new(*code).because(why))
    }
}
