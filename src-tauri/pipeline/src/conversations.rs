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
mod tests;
