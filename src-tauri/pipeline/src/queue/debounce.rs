//! Messages that wait for more of their sender. They look at nothing and run nothing: the queue asks them when its time
//! has come.
//!
//! An example with `channels.telegram.debounce = "2s"`:
//!
//! ```text
//!   10.0 s  "look at this"     waits until 12.0 s
//!   11.5 s  "I mean the moon"  waits with it until 13.5 s
//!   13.5 s  nothing more came: both go on as one, and the agent answers them together
//! ```
//!
//! What must hold:
//! - Each message moves the moment on, at most to five times the delay after the first one.
//! - Only messages of one sender at one place are put together, and only with the same settings of their own.

use crate::{
    pending::{JoinedMessage, Pending},
    route::Route,
};
use foldback_wire::{Inbound, JoinKind, SessionId, SteadyTime, UserId};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// So many times the delay the first message waits at most: of somebody who never pauses an answer begins, too.
const MOST_DELAYS: u32 = 5;

/// The conversation, the place and the sender of messages that are put together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DebounceKey {
    session: SessionId,
    route: Route,
    sender: UserId,
}

impl DebounceKey {
    pub(crate) fn of(session: &SessionId, message: &Inbound) -> Self {
        Self {
            session: session.clone(),
            route: Route::of(message),
            sender: message.sender.id.clone(),
        }
    }
}

/// Messages of one sender that came after each other, in order; at least one.
struct Gathering {
    turns: Vec<Pending>,
    delay: Duration,
}

impl Gathering {
    /// The moment at which they go on.
    fn until(&self) -> Option<SteadyTime> {
        let (first, last) = (self.turns.first()?, self.turns.last()?);
        let at_the_latest = first.came.plus(self.delay.saturating_mul(MOST_DELAYS));
        Some(last.came.plus(self.delay).min(at_the_latest))
    }

    /// They as one: the last one, with the others.
    fn together(mut self) -> Option<Pending> {
        let mut lead = self.turns.pop()?;
        let how = JoinKind::Collected;
        let earlier = self.turns.into_iter().flat_map(|part| part.into_messages(how));
        lead.parts = earlier.collect::<Vec<JoinedMessage>>();
        Some(lead)
    }
}

/// All messages that wait for more of their sender.
#[derive(Default)]
pub(super) struct Debounced(Mutex<HashMap<DebounceKey, Gathering>>);

impl Debounced {
    /// Has a message wait. Answers how many wait with it and come before it.
    pub(super) fn add_message(&self, key: DebounceKey, pending: Pending, delay: Duration) -> usize {
        let mut all = self.lock();
        let gathering = all.entry(key).or_insert_with(|| Gathering {
            turns: Vec::new(),
            delay,
        });
        gathering.turns.push(pending);
        gathering.turns.len() - 1
    }

    /// False where the messages that wait have other settings of their own than this one.
    pub(super) fn go_with(&self, key: &DebounceKey, pending: &Pending) -> bool {
        let all = self.lock();
        let first = all.get(key).and_then(|gathering| gathering.turns.first());
        first.is_none_or(|first| first.overrides == pending.overrides)
    }

    /// The moment at which the messages of a sender go on; `None` where none wait.
    pub(super) fn until(&self, key: &DebounceKey) -> Option<SteadyTime> {
        self.lock().get(key)?.until()
    }

    /// Takes out the messages of a sender as one.
    pub(super) fn take_gathered(&self, key: &DebounceKey) -> Option<Pending> {
        self.lock().remove(key)?.together()
    }

    /// The same, where their moment has come.
    pub(super) fn take_due(&self, key: &DebounceKey, now: SteadyTime) -> Option<Pending> {
        let mut all = self.lock();
        let is_due = all.get(key)?.until().is_none_or(|until| until <= now);
        is_due.then(|| all.remove(key))??.together()
    }

    /// Takes out the messages of a conversation that are `meant`.
    pub(super) fn take_messages(
        &self,
        session: &SessionId,
        meant: impl Fn(&Pending) -> bool,
    ) -> Vec<Pending> {
        let mut all = self.lock();
        let mut taken = Vec::new();
        for (_, gathering) in all.iter_mut().filter(|(key, _)| key.session == *session) {
            taken.extend(gathering.turns.extract_if(.., |pending| meant(pending)));
        }
        all.retain(|_, gathering| !gathering.turns.is_empty());
        taken.sort_by_key(Pending::id);
        taken
    }

    /// Changes every message of a conversation.
    pub(super) fn change_messages(&self, session: &SessionId, change: impl Fn(&mut Pending)) {
        let mut all = self.lock();
        let of = all.iter_mut().filter(|(key, _)| key.session == *session);
        of.flat_map(|(_, gathering)| &mut gathering.turns)
            .for_each(change);
    }

    /// Takes out everything.
    pub(super) fn take_all(&self) -> Vec<Pending> {
        let all = std::mem::take(&mut *self.lock());
        all.into_values().flat_map(|gathering| gathering.turns).collect()
    }

    /// What `told` tells of each message of a conversation, in order.
    pub(super) fn list_messages<R>(&self, session: &SessionId, told: impl Fn(&Pending) -> R) -> Vec<R> {
        let all = self.lock();
        let of = all.iter().filter(|(key, _)| key.session == *session);
        let mut waiting: Vec<_> = of.flat_map(|(_, gathering)| &gathering.turns).collect();
        waiting.sort_unstable_by_key(|pending| pending.id());
        waiting.into_iter().map(told).collect()
    }

    /// The conversations in which something waits.
    pub(super) fn sessions(&self) -> BTreeSet<SessionId> {
        let all = self.lock();
        all.keys().map(|key| key.session.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<DebounceKey, Gathering>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
