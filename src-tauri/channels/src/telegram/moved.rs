//! Groups that became supergroups, and have another id since:
//! <https://core.telegram.org/bots/api#responseparameters>. What was written before names the old one, and so do turns that
//! were begun before.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Groups that are remembered; one that is forgotten is refused once more, and learned again.
const MOST: usize = 10_000;

/// The ids that groups have now, by those that they had.
#[derive(Debug, Default)]
pub(super) struct MovedChats(Mutex<BTreeMap<i64, Supergroup>>);

#[derive(Debug, Clone, Copy)]
struct Supergroup {
    id: i64,
    /// Somebody was told of it.
    told: bool,
}

impl MovedChats {
    /// The id that a chat has now.
    pub(super) fn current(&self, chat: i64) -> i64 {
        self.lock().get(&chat).map_or(chat, |now| now.id)
    }

    /// Learns that a group became this supergroup, which stays one.
    pub(super) fn learn(&self, group: i64, supergroup: i64) {
        self.known(group, supergroup, |_| ());
    }

    /// Learns the same to tell it. True where it was not told before.
    pub(super) fn learn_to_tell(&self, group: i64, supergroup: i64) -> bool {
        self.known(group, supergroup, |known| {
            !std::mem::replace(&mut known.told, true)
        })
    }

    fn known<T>(&self, group: i64, id: i64, read: impl FnOnce(&mut Supergroup) -> T) -> T {
        let mut moved = self.lock();
        if moved.len() >= MOST && !moved.contains_key(&group) {
            moved.clear();
        }
        let new = Supergroup { id, told: false };
        let known = moved.entry(group).or_insert(new);
        if known.id != id {
            *known = new;
        }
        read(known)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i64, Supergroup>> {
        // A map is whole after every change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
