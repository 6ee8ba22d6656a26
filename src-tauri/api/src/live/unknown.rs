//! Operations whose outcome is unknown, until a person looks at their turn.

use foldback_wire::TurnId;
use std::collections::BTreeMap;

/// The number of operations of each turn that are unknown, and which turns a person has looked at since.
#[derive(Debug, Default)]
pub(crate) struct UnknownOutcomes(BTreeMap<TurnId, Unknown>);

#[derive(Debug, Clone, Copy, Default)]
struct Unknown {
    operations: u32,
    /// Somebody looked at the turn since the last of them.
    seen: bool,
}

impl UnknownOutcomes {
    pub(super) fn add(&mut self, turn: TurnId, operations: u32) {
        let unknown = self.0.entry(turn).or_default();
        unknown.operations += operations;
        unknown.seen = false;
    }

    /// A person looked at a turn; answers whether that changed anything.
    pub(super) fn look_at(&mut self, turn: TurnId) -> bool {
        let unknown = self.0.get_mut(&turn);
        unknown.is_some_and(|unknown| !std::mem::replace(&mut unknown.seen, true))
    }

    /// The operations in turns that nobody has looked at.
    pub(crate) fn operations(&self) -> u32 {
        self.unseen().map(|(_, unknown)| unknown.operations).sum()
    }

    /// The turns that nobody has looked at.
    pub(crate) fn turns(&self) -> Vec<TurnId> {
        self.unseen().map(|(turn, _)| *turn).collect()
    }

    fn unseen(&self) -> impl Iterator<Item = (&TurnId, &Unknown)> {
        self.0.iter().filter(|(_, unknown)| !unknown.seen)
    }
}
