//! One turn at a time in every conversation; the others wait, first in, first out. Conversations do not wait
//! for each other, unless as many runs are under way as there may be: then the first turn of each waits for a run to
//! end, the one that has waited longest goes first.

use foldback_wire::SessionId;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

/// The turns that wait in each conversation.
pub(crate) struct Conversations<T> {
    queues: Mutex<Queues<T>>,
    /// Most runs at once.
    runs: usize,
}

/// The turns that wait, and what they wait for.
struct Queues<T> {
    /// By conversation. One is listed while a turn of it goes on or waits for a run.
    waiting: HashMap<SessionId, VecDeque<T>>,
    /// The conversations whose first turn waits for a run, the one that has waited longest first.
    ready: VecDeque<SessionId>,
    /// Runs that may still begin.
    free: usize,
}

/// For what a turn waits, and at which place, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnWait {
    /// For the turns of its conversation before it.
    Conversation(usize),
    /// For one of this many runs to end.
    Run { place: usize, runs: usize },
}

/// The fate of a turn that came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum QueueEntry<T> {
    /// The conversation was idle, and a run may begin: run it, then ask for the next one.
    Run(T),
    /// It waits.
    Waits(TurnWait),
    /// Too many wait already.
    Full(T),
}

impl<T> Conversations<T> {
    /// Conversations of which no more than `runs` turns run at once.
    pub(crate) fn with_runs(runs: usize) -> Self {
        Self {
            queues: Mutex::new(Queues {
                waiting: HashMap::new(),
                ready: VecDeque::new(),
                free: runs,
            }),
            runs,
        }
    }

    /// Conversations that have a turn.
    pub(crate) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// A turn comes in. `waits` is called before anybody can take it out again. Where it is to run, it has one of the
    /// runs, until [`Self::end_run`].
    pub(crate) fn enter_turn(
        &self,
        session: &SessionId,
        turn: T,
        cap: usize,
        waits: impl FnOnce(TurnWait),
    ) -> QueueEntry<T> {
        let mut queues = self.lock();
        let Queues { waiting, ready, free } = &mut *queues;
        let wait = if let Some(waiting) = waiting.get_mut(session) {
            if waiting.len() >= cap {
                return QueueEntry::Full(turn);
            }
            waiting.push_back(turn);
            TurnWait::Conversation(waiting.len())
        } else if *free > 0 {
            *free -= 1;
            waiting.insert(session.clone(), VecDeque::new());
            return QueueEntry::Run(turn);
        } else {
            waiting.insert(session.clone(), VecDeque::from([turn]));
            ready.push_back(session.clone());
            self.for_run(ready.len())
        };
        waits(wait);
        QueueEntry::Waits(wait)
    }

    /// Lists a conversation in which an earlier process left a turn; false where it is listed already. It is idle once
    /// [`Self::next_turn`] finds nothing. What is left needs no run.
    pub(crate) fn occupy(&self, session: &SessionId) -> bool {
        let waiting = &mut self.lock().waiting;
        let vacant = !waiting.contains_key(session);
        if vacant {
            waiting.insert(session.clone(), VecDeque::new());
        }
        vacant
    }

    /// The turn that ran is over: the next one, if one waits and a run may begin; it has one of the runs then. Where
    /// none may, `waits` is called, and [`Self::end_run`] answers with it later. Where none waits, the conversation is
    /// idle.
    pub(crate) fn next_turn(&self, session: &SessionId, waits: impl FnOnce(&T, TurnWait)) -> Option<T> {
        let mut queues = self.lock();
        let Queues { waiting, ready, free } = &mut *queues;
        let Some(first) = waiting.get(session)?.front() else {
            waiting.remove(session);
            return None;
        };
        if *free == 0 {
            ready.push_back(session.clone());
            waits(first, self.for_run(ready.len()));
            return None;
        }
        *free -= 1;
        waiting.get_mut(session)?.pop_front()
    }

    /// A run is over, while its turn may go on: the turn that has waited longest for one; it has this one then.
    pub(crate) fn end_run(&self) -> Option<T> {
        let mut queues = self.lock();
        let Queues { waiting, ready, free } = &mut *queues;
        while let Some(session) = ready.pop_front() {
            if let Some(turn) = waiting.get_mut(&session).and_then(VecDeque::pop_front) {
                return Some(turn);
            }
            // Its turn was dropped while it waited.
            waiting.remove(&session);
        }
        *free += 1;
        None
    }

    const fn for_run(&self, place: usize) -> TurnWait {
        TurnWait::Run {
            place,
            runs: self.runs,
        }
    }

    /// Everything that waits, taken out.
    pub(crate) fn take_waiting(&self) -> Vec<T> {
        self.lock()
            .waiting
            .values_mut()
            .flat_map(std::mem::take)
            .collect()
    }

    /// Takes out the turns that wait in a conversation and are `meant`; the turn that runs goes on, and the others wait
    /// on.
    pub(crate) fn take_waiting_of(&self, session: &SessionId, meant: impl Fn(&T) -> bool) -> Vec<T> {
        let mut queues = self.lock();
        let Some(waiting) = queues.waiting.get_mut(session) else {
            return Vec::new();
        };
        let (taken, left): (VecDeque<T>, VecDeque<T>) = waiting.drain(..).partition(meant);
        *waiting = left;
        taken.into()
    }

    /// The turns that wait in a conversation, in order.
    pub(crate) fn waiting<R>(&self, session: &SessionId, of: impl Fn(&T) -> R) -> Vec<R> {
        let queues = self.lock();
        queues
            .waiting
            .get(session)
            .map_or_else(Vec::new, |waiting| waiting.iter().map(of).collect())
    }

    /// The conversations in which something waits, and how much.
    pub(crate) fn all_waiting(&self) -> Vec<(SessionId, usize)> {
        let queues = self.lock();
        let waits = queues.waiting.iter().filter(|(_, waiting)| !waiting.is_empty());
        waits
            .map(|(session, waiting)| (session.clone(), waiting.len()))
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Queues<T>> {
        // Every change leaves the queues whole, so that a panic elsewhere does not matter here.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(all: &Conversations<u32>, session: &SessionId) -> Option<u32> {
        all.next_turn(session, |turn, wait| panic!("{turn} waits: {wait:?}"))
    }

    #[test]
    fn first_in_first_out_up_to_the_cap_and_conversations_apart() {
        let all = Conversations::with_runs(9);
        let (a, b) = (SessionId::new("a"), SessionId::new("b"));
        let enter = |session, turn| all.enter_turn(session, turn, 2, |_| {});
        assert_eq!(enter(&a, 1), QueueEntry::Run(1));
        assert_eq!(enter(&a, 2), QueueEntry::Waits(TurnWait::Conversation(1)));
        assert_eq!(enter(&a, 3), QueueEntry::Waits(TurnWait::Conversation(2)));
        assert_eq!(enter(&a, 4), QueueEntry::Full(4));
        assert_eq!(enter(&b, 5), QueueEntry::Run(5));
        assert_eq!(next(&all, &a), Some(2));
        assert_eq!(next(&all, &a), Some(3));
        assert_eq!(next(&all, &a), None);
        assert_eq!(enter(&a, 6), QueueEntry::Run(6));
        assert_eq!(next(&all, &b), None);
    }

    #[test]
    fn no_more_run_at_once_than_may_and_who_has_waited_longest_is_the_next() {
        let all = Conversations::with_runs(1);
        let [a, b, c] = ["a", "b", "c"].map(SessionId::new);
        let enter = |session, turn| all.enter_turn(session, turn, 9, |_| {});
        let for_run = |place| TurnWait::Run { place, runs: 1 };
        assert_eq!(enter(&a, 1), QueueEntry::Run(1));
        assert_eq!(enter(&a, 2), QueueEntry::Waits(TurnWait::Conversation(1)));
        assert_eq!(enter(&b, 3), QueueEntry::Waits(for_run(1)));
        assert_eq!(enter(&c, 4), QueueEntry::Waits(for_run(2)));
        // The run is over; its turn goes on until its answer has arrived.
        assert_eq!(all.end_run(), Some(3));
        let mut waits = None;
        assert_eq!(all.next_turn(&a, |turn, wait| waits = Some((*turn, wait))), None);
        assert_eq!(waits, Some((2, for_run(2))));
        assert_eq!(enter(&a, 5), QueueEntry::Waits(TurnWait::Conversation(2)));
        // A turn that waits for a run can be dropped like any other.
        assert_eq!(all.take_waiting_of(&c, |_| true), [4]);
        assert_eq!(all.end_run(), Some(2));
        assert_eq!(next(&all, &b), None);
        assert_eq!(all.end_run(), None);
        assert_eq!(next(&all, &a), Some(5));
        assert_eq!(next(&all, &a), None);
        assert_eq!(all.end_run(), None);
        assert_eq!(enter(&c, 6), QueueEntry::Run(6));
    }

    #[test]
    fn a_conversation_that_an_earlier_process_left_a_turn_in_keeps_others_waiting() {
        let all = Conversations::with_runs(9);
        let a = SessionId::new("a");
        assert!(all.occupy(&a));
        assert!(!all.occupy(&a));
        let entry = all.enter_turn(&a, 1, 9, |_| {});
        assert_eq!(entry, QueueEntry::Waits(TurnWait::Conversation(1)));
        assert_eq!(next(&all, &a), Some(1));
        assert_eq!(next(&all, &a), None);
        assert!(all.occupy(&a));
    }

    #[test]
    fn what_waits_can_be_looked_at_and_dropped_and_what_runs_goes_on() {
        let all = Conversations::with_runs(9);
        let a = SessionId::new("a");
        for turn in 1..=3 {
            all.enter_turn(&a, turn, 9, |_| {});
        }
        assert_eq!(all.waiting(&a, |turn| *turn), [2, 3]);
        assert_eq!(all.take_waiting_of(&a, |turn| *turn == 2), [2]);
        assert_eq!(all.waiting(&a, |turn| *turn), [3]);
        assert_eq!(all.take_waiting_of(&a, |_| true), [3]);
        let entry = all.enter_turn(&a, 4, 9, |_| {});
        assert_eq!(entry, QueueEntry::Waits(TurnWait::Conversation(1)));
        assert_eq!(next(&all, &a), Some(4));
        assert!(all.take_waiting_of(&"b".into(), |_| true).is_empty());
    }
}
