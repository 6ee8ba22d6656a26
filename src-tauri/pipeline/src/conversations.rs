//! One turn at a time in every conversation; the others wait, first in, first out. Conversations do not wait
//! for each other.

use foldback_wire::SessionId;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

/// What waits in each conversation. A conversation is listed while a turn of it runs.
pub(crate) struct Conversations<T> {
    waiting: Mutex<HashMap<SessionId, VecDeque<T>>>,
}

/// What became of a turn that came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entry<T> {
    /// The conversation was idle: run it, then ask for the next one.
    Run(T),
    /// It waits at this place, from 1.
    Waits(usize),
    /// Too many wait already.
    Full(T),
}

impl<T> Default for Conversations<T> {
    fn default() -> Self {
        Self {
            waiting: Mutex::default(),
        }
    }
}

impl<T> Conversations<T> {
    /// Conversations that have a turn.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// A turn comes in. `waits` is called, with its place, before anybody can take it out again.
    pub(crate) fn enter(
        &self,
        session: &SessionId,
        turn: T,
        cap: usize,
        waits: impl FnOnce(usize),
    ) -> Entry<T> {
        let mut all = self.lock();
        let Some(waiting) = all.get_mut(session) else {
            all.insert(session.clone(), VecDeque::new());
            return Entry::Run(turn);
        };
        if waiting.len() >= cap {
            return Entry::Full(turn);
        }
        waiting.push_back(turn);
        waits(waiting.len());
        Entry::Waits(waiting.len())
    }

    /// Lists a conversation in which an earlier process left a turn; false where it is listed already. It is idle once
    /// [`Self::next`] finds nothing.
    pub(crate) fn occupy(&self, session: &SessionId) -> bool {
        let mut all = self.lock();
        let vacant = !all.contains_key(session);
        if vacant {
            all.insert(session.clone(), VecDeque::new());
        }
        vacant
    }

    /// The turn that ran is over: the next one, if one waits; else the conversation is idle.
    pub(crate) fn next(&self, session: &SessionId) -> Option<T> {
        let mut all = self.lock();
        let turn = all.get_mut(session)?.pop_front();
        if turn.is_none() {
            all.remove(session);
        }
        turn
    }

    /// Everything that waits, taken out.
    pub(crate) fn take_waiting(&self) -> Vec<T> {
        self.lock().values_mut().flat_map(std::mem::take).collect()
    }

    /// What waits in a conversation and is `meant`, taken out; the turn that runs goes on, and the others wait on.
    pub(crate) fn take_waiting_of(&self, session: &SessionId, meant: impl Fn(&T) -> bool) -> Vec<T> {
        let mut all = self.lock();
        let Some(waiting) = all.get_mut(session) else {
            return Vec::new();
        };
        let (taken, left): (VecDeque<T>, VecDeque<T>) = waiting.drain(..).partition(meant);
        *waiting = left;
        taken.into()
    }

    /// What waits in a conversation, in order.
    pub(crate) fn waiting<R>(&self, session: &SessionId, of: impl Fn(&T) -> R) -> Vec<R> {
        let all = self.lock();
        all.get(session)
            .map_or_else(Vec::new, |waiting| waiting.iter().map(of).collect())
    }

    /// The conversations in which something waits, and how much.
    pub(crate) fn all_waiting(&self) -> Vec<(SessionId, usize)> {
        let all = self.lock();
        let waits = all.iter().filter(|(_, waiting)| !waiting.is_empty());
        waits
            .map(|(session, waiting)| (session.clone(), waiting.len()))
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, VecDeque<T>>> {
        // Every change leaves the map whole, so that a panic elsewhere does not matter here.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_up_to_the_cap_and_conversations_apart() {
        let all = Conversations::default();
        let (a, b) = (SessionId::new("a"), SessionId::new("b"));
        let enter = |session, turn| all.enter(session, turn, 2, |_| {});
        assert_eq!(enter(&a, 1), Entry::Run(1));
        assert_eq!(enter(&a, 2), Entry::Waits(1));
        assert_eq!(enter(&a, 3), Entry::Waits(2));
        assert_eq!(enter(&a, 4), Entry::Full(4));
        assert_eq!(enter(&b, 5), Entry::Run(5));
        assert_eq!(all.next(&a), Some(2));
        assert_eq!(all.next(&a), Some(3));
        assert_eq!(all.next(&a), None);
        assert_eq!(enter(&a, 6), Entry::Run(6));
        assert_eq!(all.next(&b), None);
    }

    #[test]
    fn a_conversation_that_an_earlier_process_left_a_turn_in_keeps_others_waiting() {
        let all = Conversations::default();
        let a = SessionId::new("a");
        assert!(all.occupy(&a));
        assert!(!all.occupy(&a));
        assert_eq!(all.enter(&a, 1, 9, |_| {}), Entry::Waits(1));
        assert_eq!(all.next(&a), Some(1));
        assert_eq!(all.next(&a), None);
        assert!(all.occupy(&a));
    }

    #[test]
    fn what_waits_can_be_looked_at_and_dropped_and_what_runs_goes_on() {
        let all = Conversations::default();
        let a = SessionId::new("a");
        for turn in 1..=3 {
            all.enter(&a, turn, 9, |_| {});
        }
        assert_eq!(all.waiting(&a, |turn| *turn), [2, 3]);
        assert_eq!(all.take_waiting_of(&a, |turn| *turn == 2), [2]);
        assert_eq!(all.waiting(&a, |turn| *turn), [3]);
        assert_eq!(all.take_waiting_of(&a, |_| true), [3]);
        assert_eq!(all.enter(&a, 4, 9, |_| {}), Entry::Waits(1));
        assert_eq!(all.next(&a), Some(4));
        assert!(all.take_waiting_of(&"b".into(), |_| true).is_empty());
    }
}
