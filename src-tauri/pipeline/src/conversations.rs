//! One turn at a time in every conversation; the others wait, first in, first out. Conversations do not wait
//! for each other, unless as many runs are under way as there may be: then the first turn of each waits for a run to
//! end, the one that has waited longest goes first.

use foldback_wire::SessionId;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Notify;

/// Most turns of a conversation that wait only to be summarised; the oldest of more is dropped.
const MOST_SET_ASIDE: usize = 50;

/// The turns that wait in each conversation.
pub(crate) struct Conversations<T> {
    queues: Mutex<Queues<T>>,
    /// Most runs at once.
    runs: usize,
}

/// The turns that wait, and what they wait for.
struct Queues<T> {
    /// By conversation. One is listed while a turn of it goes on or waits for a run.
    waiting: HashMap<SessionId, Waiting<T>>,
    /// The conversations whose first turn waits for a run, the one that has waited longest first.
    ready: VecDeque<SessionId>,
    /// Runs that may still begin.
    free: usize,
}

/// The turns that wait in one conversation.
struct Waiting<T> {
    turns: VecDeque<T>,
    /// Those of which a later turn's agent is given a summary, the oldest first.
    set_aside: VecDeque<T>,
    /// Told when a turn comes in.
    came: Arc<Notify>,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self {
            turns: VecDeque::new(),
            set_aside: VecDeque::new(),
            came: Arc::default(),
        }
    }
}

/// For what a turn waits, and at which place, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnWait {
    /// For the turns of its conversation before it.
    Conversation(usize),
    /// For one of this many runs to end.
    Run { place: usize, runs: usize },
}

/// The decision about a turn that comes into a conversation where others wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It waits at this place, from 0, once those at these places have gone.
    Wait {
        place: usize,
        /// In rising order.
        gone: Vec<usize>,
        /// True where those that go are summarised, false where they are dropped.
        set_aside: bool,
    },
    /// It goes itself.
    Full,
}

/// The fate of a turn that came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum QueueEntry<T> {
    /// The conversation was idle, and a run may begin: run it, then ask for the next one.
    Run(T),
    /// The conversation was idle: it waits for more, and then asks for the next one.
    Opened,
    /// It waits; these are dropped for it.
    Waits(Vec<T>),
    /// Too many wait already.
    Full(T),
}

/// Turns that run as one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Batch<T> {
    /// At least one, in the order in which they came. The last one runs.
    pub(crate) turns: Vec<T>,
    /// Those of which its agent is given a summary.
    pub(crate) set_aside: Vec<T>,
}

/// What is decided about turns that wait.
pub(crate) trait QueuePolicy<T> {
    /// The decision about a turn that comes in.
    fn admit(&self, waiting: &VecDeque<T>, turn: &T) -> Admission;
    /// How many of the turns that wait, at least one, run as one.
    fn batch(&self, waiting: &VecDeque<T>) -> usize;
    /// Whether the agent of `lead` may be told of the other one.
    fn may_tell(&self, lead: &T, other: &T) -> bool;
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

    /// True where a turn of the conversation goes on or waits.
    pub(crate) fn is_busy(&self, session: &SessionId) -> bool {
        self.lock().waiting.contains_key(session)
    }

    /// A turn comes in. `waits` is called before anybody can take it out again, and `evicted` with each turn that goes for
    /// it and is summarised. Where it is to run, it has one of the runs, until [`Self::end_run`]. One that `gathers` waits
    /// for others even in an idle conversation.
    pub(crate) fn enter_turn(
        &self,
        session: &SessionId,
        turn: T,
        gathers: bool,
        policy: &impl QueuePolicy<T>,
        waits: impl FnOnce(&T, TurnWait),
        evicted: impl Fn(&T, &T),
    ) -> QueueEntry<T> {
        let mut queues = self.lock();
        let Queues { waiting, ready, free } = &mut *queues;
        let Some(line) = waiting.get_mut(session) else {
            let mut line = Waiting::default();
            if gathers {
                waits(&turn, TurnWait::Conversation(1));
                line.turns.push_back(turn);
                waiting.insert(session.clone(), line);
                return QueueEntry::Opened;
            }
            if *free > 0 {
                *free -= 1;
                waiting.insert(session.clone(), line);
                return QueueEntry::Run(turn);
            }
            ready.push_back(session.clone());
            waits(&turn, self.for_run(ready.len()));
            line.turns.push_back(turn);
            waiting.insert(session.clone(), line);
            return QueueEntry::Waits(Vec::new());
        };
        let (place, gone, set_aside) = match policy.admit(&line.turns, &turn) {
            Admission::Full => return QueueEntry::Full(turn),
            Admission::Wait {
                place,
                gone,
                set_aside,
            } => (place, gone, set_aside),
        };
        let mut dropped = Vec::new();
        for at in gone.into_iter().rev() {
            let Some(old) = line.turns.remove(at) else {
                continue;
            };
            if set_aside {
                evicted(&old, &turn);
                line.set_aside.push_back(old);
            } else {
                dropped.push(old);
            }
        }
        while line.set_aside.len() > MOST_SET_ASIDE {
            dropped.extend(line.set_aside.pop_front());
        }
        let place = place.min(line.turns.len());
        waits(&turn, TurnWait::Conversation(place + 1));
        line.turns.insert(place, turn);
        line.came.notify_one();
        QueueEntry::Waits(dropped)
    }

    /// Lists a conversation in which an earlier process left a turn; false where it is listed already. It is idle once
    /// [`Self::next_turn`] finds nothing. What is left needs no run.
    pub(crate) fn occupy(&self, session: &SessionId) -> bool {
        let waiting = &mut self.lock().waiting;
        let vacant = !waiting.contains_key(session);
        if vacant {
            waiting.insert(session.clone(), Waiting::default());
        }
        vacant
    }

    /// The answer of `of` about the turns that wait in a conversation, and a notice of the next one that comes in
    /// or is changed.
    pub(crate) fn inspect_waiting<R>(
        &self,
        session: &SessionId,
        of: impl FnOnce(&VecDeque<T>) -> R,
    ) -> Option<(R, Arc<Notify>)> {
        let queues = self.lock();
        let line = queues.waiting.get(session)?;
        Some((of(&line.turns), Arc::clone(&line.came)))
    }

    /// Changes the turns that wait in a conversation, those that are summarised among them. Who looks at them looks again.
    pub(crate) fn change_waiting(&self, session: &SessionId, change: impl FnMut(&mut T)) {
        if let Some(line) = self.lock().waiting.get_mut(session) {
            line.turns.iter_mut().chain(&mut line.set_aside).for_each(change);
            line.came.notify_one();
        }
    }

    /// Puts the turns that wait in a conversation into another order, and answers it; those without a place come last, in
    /// the order that they had. The turn that runs is no part of it.
    pub(crate) fn reorder<R>(
        &self,
        session: &SessionId,
        place: impl Fn(&T) -> Option<usize>,
        of: impl Fn(&T) -> R,
    ) -> Vec<R> {
        let mut queues = self.lock();
        let Some(line) = queues.waiting.get_mut(session) else {
            return Vec::new();
        };
        let turns = line.turns.make_contiguous();
        turns.sort_by_key(|turn| place(turn).unwrap_or(usize::MAX));
        turns.iter().map(of).collect()
    }

    /// The turn that ran is over: the next ones that run as one, if any wait and a run may begin; they have it then. Where
    /// none may, `waits` is called, and [`Self::end_run`] answers with them later. Where none waits, the conversation is
    /// idle.
    pub(crate) fn next_turn(
        &self,
        session: &SessionId,
        policy: &impl QueuePolicy<T>,
        waits: impl FnOnce(&T, TurnWait),
    ) -> Option<Batch<T>> {
        let mut queues = self.lock();
        let Queues { waiting, ready, free } = &mut *queues;
        let line = waiting.get_mut(session)?;
        let Some(first) = line.first() else {
            waiting.remove(session);
            return None;
        };
        if *free == 0 {
            ready.push_back(session.clone());
            waits(first, self.for_run(ready.len()));
            return None;
        }
        *free -= 1;
        line.take_batch(policy)
    }

    /// A run is over, while its turn may go on: the turns that have waited longest for one; they have this one then.
    pub(crate) fn end_run(&self, policy: &impl QueuePolicy<T>) -> Option<Batch<T>> {
        let mut queues = self.lock();
        let Queues { waiting, ready, free } = &mut *queues;
        while let Some(session) = ready.pop_front() {
            if let Some(line) = waiting.get_mut(&session)
                && line.first().is_some()
            {
                return line.take_batch(policy);
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
        let mut queues = self.lock();
        let lines = queues.waiting.values_mut();
        lines
            .flat_map(|line| {
                std::mem::take(&mut line.set_aside)
                    .into_iter()
                    .chain(std::mem::take(&mut line.turns))
            })
            .collect()
    }

    /// Takes out the turns that wait in a conversation and are `meant`, those that are summarised among them; the turn that
    /// runs goes on, and the others wait on.
    pub(crate) fn take_waiting_of(&self, session: &SessionId, meant: impl Fn(&T) -> bool) -> Vec<T> {
        let mut queues = self.lock();
        let Some(line) = queues.waiting.get_mut(session) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for turns in [&mut line.set_aside, &mut line.turns] {
            let (taken, left): (VecDeque<T>, VecDeque<T>) = turns.drain(..).partition(&meant);
            *turns = left;
            all.extend(taken);
        }
        all
    }

    /// The turns that wait in a conversation, in order.
    pub(crate) fn waiting<R>(&self, session: &SessionId, of: impl Fn(&T) -> R) -> Vec<R> {
        let queues = self.lock();
        queues
            .waiting
            .get(session)
            .map_or_else(Vec::new, |line| line.turns.iter().map(of).collect())
    }

    /// The turns that wait only to be summarised for a later one of a conversation, in order.
    pub(crate) fn set_aside<R>(&self, session: &SessionId, of: impl Fn(&T) -> R) -> Vec<R> {
        let queues = self.lock();
        let line = queues.waiting.get(session);
        line.map_or_else(Vec::new, |line| line.set_aside.iter().map(of).collect())
    }

    /// The conversations that have a turn.
    pub(crate) fn sessions(&self) -> Vec<SessionId> {
        self.lock().waiting.keys().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Queues<T>> {
        // Every change leaves the queues whole, so that a panic elsewhere does not matter here.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Waiting<T> {
    /// The first turn. Those that no turn came to be told of have runs of their own.
    fn first(&mut self) -> Option<&T> {
        if self.turns.is_empty() {
            std::mem::swap(&mut self.turns, &mut self.set_aside);
        }
        self.turns.front()
    }

    fn take_batch(&mut self, policy: &impl QueuePolicy<T>) -> Option<Batch<T>> {
        let count = policy.batch(&self.turns).clamp(1, self.turns.len());
        let turns: Vec<T> = self.turns.drain(..count).collect();
        let lead = turns.last()?;
        let (told, left) = std::mem::take(&mut self.set_aside)
            .into_iter()
            .partition(|other| policy.may_tell(lead, other));
        self.set_aside = left;
        let told: VecDeque<T> = told;
        Some(Batch {
            turns,
            set_aside: told.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Up to so many wait, one by one; the oldest goes for the next where it says so.
    struct UpTo(usize, Option<bool>);

    impl QueuePolicy<u32> for UpTo {
        fn admit(&self, waiting: &VecDeque<u32>, _: &u32) -> Admission {
            let is_full = waiting.len() >= self.0;
            match self.1 {
                None if is_full => Admission::Full,
                set_aside => Admission::Wait {
                    place: usize::MAX,
                    gone: if is_full { vec![0] } else { Vec::new() },
                    set_aside: set_aside.unwrap_or_default(),
                },
            }
        }

        fn batch(&self, _: &VecDeque<u32>) -> usize {
            1
        }

        /// Odd ones and even ones are strangers.
        fn may_tell(&self, lead: &u32, other: &u32) -> bool {
            lead % 2 == other % 2
        }
    }

    /// Enters a turn; its wait, or none where it runs or is stopped.
    fn enter_up_to(
        all: &Conversations<u32>,
        session: &SessionId,
        turn: u32,
        policy: &UpTo,
    ) -> (QueueEntry<u32>, Option<TurnWait>) {
        let told = Cell::new(None);
        let waits = |_: &u32, wait| told.set(Some(wait));
        let entry = all.enter_turn(session, turn, false, policy, waits, |_, _| {});
        (entry, told.get())
    }

    fn waits(wait: TurnWait) -> (QueueEntry<u32>, Option<TurnWait>) {
        (QueueEntry::Waits(Vec::new()), Some(wait))
    }

    fn runs(turn: u32) -> (QueueEntry<u32>, Option<TurnWait>) {
        (QueueEntry::Run(turn), None)
    }

    fn only(batch: Option<Batch<u32>>) -> Option<u32> {
        let Batch { turns, set_aside } = batch?;
        assert!(
            turns.len() == 1 && set_aside.is_empty(),
            "{turns:?} {set_aside:?}"
        );
        turns.first().copied()
    }

    fn next(all: &Conversations<u32>, session: &SessionId) -> Option<u32> {
        let waits = |turn: &u32, wait| panic!("{turn} waits: {wait:?}");
        only(all.next_turn(session, &UpTo(9, None), waits))
    }

    fn freed(all: &Conversations<u32>) -> Option<u32> {
        only(all.end_run(&UpTo(9, None)))
    }

    #[test]
    fn those_that_go_are_dropped_or_told_of_to_a_later_turn_that_may_know() {
        let all = Conversations::with_runs(9);
        let a = SessionId::new("a");
        let enter = |turn, aside| enter_up_to(&all, &a, turn, &UpTo(2, Some(aside))).0;
        assert_eq!(enter(1, true), QueueEntry::Run(1));
        for turn in 2..=6 {
            assert_eq!(enter(turn, true), QueueEntry::Waits(Vec::new()));
        }
        assert_eq!(all.waiting(&a, |turn| *turn), [5, 6]);
        assert_eq!(enter(7, false), QueueEntry::Waits(vec![5]));
        let batch = |lead: u32, told: &[u32]| {
            Some(Batch {
                turns: vec![lead],
                set_aside: told.to_vec(),
            })
        };
        let next = || all.next_turn(&a, &UpTo(9, None), |_, _| {});
        assert_eq!(next(), batch(6, &[2, 4]));
        assert_eq!(next(), batch(7, &[3]));
        assert_eq!(next(), None);
    }

    #[test]
    fn those_that_nobody_came_to_be_told_of_run_themselves() {
        let all = Conversations::with_runs(9);
        let a = SessionId::new("a");
        for turn in 1..=3 {
            enter_up_to(&all, &a, turn, &UpTo(1, Some(true)));
        }
        assert_eq!(next(&all, &a), Some(3));
        assert_eq!(next(&all, &a), Some(2));
        assert_eq!(next(&all, &a), None);
    }

    #[test]
    fn too_many_that_only_wait_to_be_told_of_are_dropped() {
        let all = Conversations::with_runs(9);
        let a = SessionId::new("a");
        let mut dropped = Vec::new();
        for turn in 0..=u32::try_from(MOST_SET_ASIDE).unwrap() + 3 {
            if let QueueEntry::Waits(gone) = enter_up_to(&all, &a, turn, &UpTo(1, Some(true))).0 {
                dropped.extend(gone);
            }
        }
        assert_eq!(dropped, [1, 2]);
    }

    #[test]
    fn first_in_first_out_up_to_the_cap_and_conversations_apart() {
        let all = Conversations::with_runs(9);
        let (a, b) = (SessionId::new("a"), SessionId::new("b"));
        let enter = |session, turn| enter_up_to(&all, session, turn, &UpTo(2, None));
        assert_eq!(enter(&a, 1), runs(1));
        assert_eq!(enter(&a, 2), waits(TurnWait::Conversation(1)));
        assert_eq!(enter(&a, 3), waits(TurnWait::Conversation(2)));
        assert_eq!(enter(&a, 4), (QueueEntry::Full(4), None));
        assert_eq!(enter(&b, 5), runs(5));
        assert_eq!(next(&all, &a), Some(2));
        assert_eq!(next(&all, &a), Some(3));
        assert_eq!(next(&all, &a), None);
        assert_eq!(enter(&a, 6), runs(6));
        assert_eq!(next(&all, &b), None);
    }

    #[test]
    fn no_more_run_at_once_than_may_and_who_has_waited_longest_is_the_next() {
        let all = Conversations::with_runs(1);
        let [a, b, c] = ["a", "b", "c"].map(SessionId::new);
        let enter = |session, turn| enter_up_to(&all, session, turn, &UpTo(9, None));
        let for_run = |place| TurnWait::Run { place, runs: 1 };
        assert_eq!(enter(&a, 1), runs(1));
        assert_eq!(enter(&a, 2), waits(TurnWait::Conversation(1)));
        assert_eq!(enter(&b, 3), waits(for_run(1)));
        assert_eq!(enter(&c, 4), waits(for_run(2)));
        // The run is over; its turn goes on until its answer has arrived.
        assert_eq!(freed(&all), Some(3));
        let mut told = None;
        let note = |turn: &u32, wait| told = Some((*turn, wait));
        assert_eq!(all.next_turn(&a, &UpTo(9, None), note), None);
        assert_eq!(told, Some((2, for_run(2))));
        assert_eq!(enter(&a, 5), waits(TurnWait::Conversation(2)));
        // A turn that waits for a run can be dropped like any other.
        assert_eq!(all.take_waiting_of(&c, |_| true), [4]);
        assert_eq!(freed(&all), Some(2));
        assert_eq!(next(&all, &b), None);
        assert_eq!(freed(&all), None);
        assert_eq!(next(&all, &a), Some(5));
        assert_eq!(next(&all, &a), None);
        assert_eq!(freed(&all), None);
        assert_eq!(enter(&c, 6), runs(6));
    }

    #[test]
    fn a_conversation_that_an_earlier_process_left_a_turn_in_keeps_others_waiting() {
        let all = Conversations::with_runs(9);
        let a = SessionId::new("a");
        assert!(all.occupy(&a));
        assert!(!all.occupy(&a));
        let entry = enter_up_to(&all, &a, 1, &UpTo(9, None));
        assert_eq!(entry, waits(TurnWait::Conversation(1)));
        assert_eq!(next(&all, &a), Some(1));
        assert_eq!(next(&all, &a), None);
        assert!(all.occupy(&a));
    }

    #[test]
    fn what_waits_can_be_looked_at_and_dropped_and_what_runs_goes_on() {
        let all = Conversations::with_runs(9);
        let a = SessionId::new("a");
        for turn in 1..=3 {
            enter_up_to(&all, &a, turn, &UpTo(9, None));
        }
        assert_eq!(all.waiting(&a, |turn| *turn), [2, 3]);
        assert_eq!(all.take_waiting_of(&a, |turn| *turn == 2), [2]);
        assert_eq!(all.waiting(&a, |turn| *turn), [3]);
        assert_eq!(all.take_waiting_of(&a, |_| true), [3]);
        let entry = enter_up_to(&all, &a, 4, &UpTo(9, None));
        assert_eq!(entry, waits(TurnWait::Conversation(1)));
        assert_eq!(next(&all, &a), Some(4));
        assert!(all.take_waiting_of(&"b".into(), |_| true).is_empty());
    }
}
