//! Changes of stored records: of one record one after the other, of different ones beside each other. A change waits for the
//! disk, and a thousand conversations that waited for each other would have one sync each.

use foldback_wire::SessionId;
use std::{
    array,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};
use tokio::sync::{Mutex, MutexGuard};

/// Locks. Two records that share one wait for each other, which costs time and nothing else.
const LOCKS: usize = 256;

/// The locks of all records.
pub(super) struct RecordLocks([Mutex<()>; LOCKS]);

impl RecordLocks {
    pub(super) fn new() -> Self {
        Self(array::from_fn(|_| Mutex::new(())))
    }

    /// Waits until nobody else changes this record. Held while it is read, changed and written; whoever holds one takes no
    /// other.
    pub(super) async fn lock(&self, id: &SessionId) -> MutexGuard<'_, ()> {
        self.0[place(id)].lock().await
    }
}

fn place(id: &SessionId) -> usize {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish() as usize % LOCKS
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    #[test]
    fn changes_of_one_record_wait_for_each_other_and_those_of_another_do_not() {
        let locks = RecordLocks::new();
        let ids: Vec<SessionId> = (0..8).map(|n| format!("telegram:{n}").into()).collect();
        let elsewhere = ids.iter().find(|id| place(id) != place(&ids[0])).unwrap();
        let held = locks.lock(&ids[0]).now_or_never().unwrap();
        assert!(locks.lock(elsewhere).now_or_never().is_some());
        assert!(locks.lock(&ids[0]).now_or_never().is_none());
        drop(held);
        assert!(locks.lock(&ids[0]).now_or_never().is_some());
    }
}
