//! Groups that became supergroups, and have another id since:
//! <https://core.telegram.org/bots/api#responseparameters>. What was written before names the old one, and so do turns that
//! were begun before.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Groups that are remembered; one that is forgotten is refused once more, and learned again.
const MOST: usize = 10_000;

/// The ids that groups have now, by those that they had.
#[derive(Debug, Default)]
pub(super) struct MovedChats(Mutex<BTreeMap<i64, i64>>);

impl MovedChats {
    /// The id that a chat has now.
    pub(super) fn current(&self, chat: i64) -> i64 {
        self.lock().get(&chat).copied().unwrap_or(chat)
    }

    /// Learns that a group became this supergroup, which stays one.
    pub(super) fn learn(&self, group: i64, supergroup: i64) {
        let mut moved = self.lock();
        if moved.len() >= MOST {
            moved.clear();
        }
        moved.insert(group, supergroup);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i64, i64>> {
        // A map is whole after every change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
