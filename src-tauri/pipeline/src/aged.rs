//! Messages that waited over a stop of the bot for longer than `outbox.max_age`. A question from last night may be
//! settled by now, and its asker does not expect an answer any more: like an answer that was held for as long, it waits
//! for a person. It passed the gates again, so a copy that its platform delivers is a duplicate; newer messages of its
//! conversation do not wait behind it.

use crate::{
    pending::Pending,
    queue::{TurnQueue, dropped},
};
use foldback_store::StoreError;
use foldback_wire::{Actor, ChannelId, Kind, SessionId, Timestamp, TurnId};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Counts of everything on a channel that waits for a person's consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AwaitingConsent {
    /// Deliveries that were held for too long.
    pub deliveries: usize,
    /// Messages that waited over a stop for too long.
    pub messages: usize,
    /// The time at which the oldest of them was intended or received; `None` where nothing waits.
    pub oldest: Option<Timestamp>,
}

/// The messages that wait for a person, by their turns: the oldest first.
pub(crate) struct AgedMessages {
    queue: Arc<TurnQueue>,
    waiting: Mutex<BTreeMap<TurnId, Pending>>,
}

impl AgedMessages {
    pub(crate) fn new(queue: &Arc<TurnQueue>) -> Arc<Self> {
        Arc::new(Self {
            queue: Arc::clone(queue),
            waiting: Mutex::default(),
        })
    }

    /// Has a message wait for a person.
    pub(crate) fn hold_message(&self, pending: Pending) -> Result<(), StoreError> {
        let recorder = pending.recorder.clone();
        let mut waiting = self.lock();
        waiting.insert(pending.id, pending);
        let position = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
        drop(waiting);
        recorder.note(Kind::Queued {
            position,
            runs: None,
            needs_consent: true,
        })
    }

    /// A person lets the messages of a channel go on.
    pub(crate) fn release(&self, channel: &ChannelId) -> Result<(), StoreError> {
        for pending in self.take_messages(|pending| pending.message.channel == *channel) {
            pending.tell_wait_is_over()?;
            self.queue.enter_turn(pending)?;
        }
        Ok(())
    }

    /// A person does not want the messages of a channel answered any more.
    pub(crate) fn drop_all(&self, channel: &ChannelId, by: &Actor) -> Result<(), StoreError> {
        for pending in self.take_messages(|pending| pending.message.channel == *channel) {
            self.queue.refuse_for_good(pending, &dropped(by))?;
        }
        Ok(())
    }

    /// Takes out those that are `meant`, in order.
    pub(crate) fn take_messages(&self, meant: impl Fn(&Pending) -> bool) -> Vec<Pending> {
        let mut waiting = self.lock();
        let taken = waiting.extract_if(.., |_, pending| meant(pending));
        taken.map(|(_, pending)| pending).collect()
    }

    /// Changes every message of a conversation.
    pub(crate) fn change_waiting(&self, session: &SessionId, change: impl Fn(&mut Pending)) {
        let mut waiting = self.lock();
        let in_session = waiting.values_mut().filter(|pending| pending.session == *session);
        in_session.for_each(change);
    }

    /// What `of` tells of each that waits in a conversation.
    pub(crate) fn waiting<R>(&self, session: &SessionId, of: impl Fn(&Pending) -> R) -> Vec<R> {
        let waiting = self.lock();
        let in_session = waiting.values().filter(|pending| pending.session == *session);
        in_session.map(of).collect()
    }

    /// The conversation of each that waits.
    pub(crate) fn sessions(&self) -> Vec<SessionId> {
        self.lock()
            .values()
            .map(|pending| pending.session.clone())
            .collect()
    }

    /// The times since when those of a channel wait.
    pub(crate) fn of_channel(&self, channel: &ChannelId) -> Vec<Timestamp> {
        let waiting = self.lock();
        let of = waiting
            .values()
            .filter(|pending| pending.message.channel == *channel);
        of.map(|pending| pending.since).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TurnId, Pending>> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
