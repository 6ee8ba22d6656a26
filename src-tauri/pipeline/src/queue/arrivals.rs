//! The messages of each conversation that come while one is being given to its agent: they keep their order.

use crate::pending::Pending;
use foldback_wire::SessionId;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// By conversation; one is listed while a message of it is being given to an agent.
#[derive(Default)]
pub(super) struct Arrivals(Mutex<HashMap<SessionId, VecDeque<Pending>>>);

impl Arrivals {
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, VecDeque<Pending>>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next message of a conversation; without any it is not listed any more.
    pub(super) fn next(&self, session: &SessionId) -> Option<Pending> {
        let mut arrivals = self.lock();
        let next = arrivals.get_mut(session)?.pop_front();
        if next.is_none() {
            arrivals.remove(session);
        }
        next
    }

    /// What `told` tells of each message of a conversation, in order.
    pub(super) fn list<R>(&self, session: &SessionId, told: impl Fn(&Pending) -> R) -> Vec<R> {
        let arrivals = self.lock();
        let line = arrivals.get(session).into_iter().flatten();
        line.map(told).collect()
    }

    /// The conversations that are listed.
    pub(super) fn sessions(&self) -> Vec<SessionId> {
        self.lock().keys().cloned().collect()
    }

    /// Takes out the messages of a conversation that are `meant`.
    pub(super) fn take(&self, session: &SessionId, meant: impl Fn(&Pending) -> bool) -> Vec<Pending> {
        let mut arrivals = self.lock();
        let Some(line) = arrivals.get_mut(session) else {
            return Vec::new();
        };
        let (taken, left): (VecDeque<_>, VecDeque<_>) = line.drain(..).partition(meant);
        *line = left;
        taken.into()
    }
}
