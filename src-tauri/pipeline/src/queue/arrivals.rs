//! The messages of each conversation that come while one is being given to its agent: they keep their order.

use crate::{flow::Stop, pending::Pending};
use foldback_wire::SessionId;
use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What comes to a conversation while a message of it is being given to its agent.
#[derive(Default)]
struct Line {
    waiting: VecDeque<Pending>,
    /// The reason for which the message that is being given is not to wait any more, where the agent does not take it.
    dropped: Option<Stop>,
}

/// By conversation; one is listed while a message of it is being given to an agent.
#[derive(Default)]
pub(super) struct Arrivals(Mutex<HashMap<SessionId, Line>>);

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Line>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message behind the one that is being given to the agent of its conversation. Where none is, one that `steers`
    /// is now; `enter` goes on with it before another message comes in between.
    pub(super) fn add_message<R>(
        &self,
        pending: Pending,
        steers: bool,
        enter: impl FnOnce(Pending) -> R,
    ) -> Option<R> {
        let mut arrivals = self.lock();
        match arrivals.entry(pending.session.clone()) {
            Entry::Occupied(mut line) => {
                line.get_mut().waiting.push_back(pending);
                return None;
            }
            Entry::Vacant(line) if steers => drop(line.insert(Line::default())),
            Entry::Vacant(_) => {}
        }
        Some(enter(pending))
    }

    /// The next message of a conversation; without any it is not listed any more.
    pub(super) fn next_message(&self, session: &SessionId) -> Option<Pending> {
        let mut arrivals = self.lock();
        let line = arrivals.get_mut(session)?;
        line.dropped = None;
        let next = line.waiting.pop_front();
        if next.is_none() {
            arrivals.remove(session);
        }
        next
    }

    /// Leaves what came to a conversation open, as the process ends.
    pub(super) fn leave_open(&self, session: &SessionId) {
        self.lock().remove(session);
    }

    /// Has the message that is being given to the agent not wait, should the agent not take it.
    pub(super) fn drop_in_hand(&self, session: &SessionId, stop: Stop) {
        if let Some(line) = self.lock().get_mut(session) {
            line.dropped = Some(stop);
        }
    }

    /// The reason for which the message that was being given is not to wait.
    pub(super) fn take_drop_reason(&self, session: &SessionId) -> Option<Stop> {
        self.lock().get_mut(session)?.dropped.take()
    }

    /// What `told` tells of each message of a conversation, in order.
    pub(super) fn list_messages<R>(&self, session: &SessionId, told: impl Fn(&Pending) -> R) -> Vec<R> {
        let arrivals = self.lock();
        let line = arrivals.get(session).map(|line| line.waiting.iter());
        line.into_iter().flatten().map(told).collect()
    }

    /// The conversations that are listed.
    pub(super) fn sessions(&self) -> Vec<SessionId> {
        self.lock().keys().cloned().collect()
    }

    /// Takes out the messages of a conversation that are `meant`.
    pub(super) fn take_messages(
        &self,
        session: &SessionId,
        meant: impl Fn(&Pending) -> bool,
    ) -> Vec<Pending> {
        let mut arrivals = self.lock();
        let Some(line) = arrivals.get_mut(session) else {
            return Vec::new();
        };
        let (taken, left): (VecDeque<_>, VecDeque<_>) = line.waiting.drain(..).partition(meant);
        line.waiting = left;
        taken.into()
    }

    /// Changes every message of a conversation.
    pub(super) fn change_messages(&self, session: &SessionId, change: impl Fn(&mut Pending)) {
        if let Some(line) = self.lock().get_mut(session) {
            line.waiting.iter_mut().for_each(change);
        }
    }
}
