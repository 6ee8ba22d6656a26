//! What waits: who asks for it, and what a person does with it.

use super::TurnQueue;
use crate::{
    flow::{Stop, record_stop},
    pending::Pending,
};
use foldback_directives::inbound::Queue;
use foldback_store::StoreError;
use foldback_wire::{JoinKind, SessionId, TurnId, rpc::MessageWait};
use std::collections::BTreeSet;

impl TurnQueue {
    /// Has these settings of a session count for what waits there.
    pub(crate) fn change_settings(&self, session: &SessionId, stored: &Queue) {
        let config = &self.context.ports.config;
        let change = |pending: &mut Pending| pending.change_session_queue(config, stored);
        self.conversations.change_waiting(session, change);
        self.arrivals.change_messages(session, change);
        self.debounced.change_messages(session, change);
    }

    /// The conversations in which something may wait, and how many messages do.
    pub(crate) fn all_waiting(&self) -> Vec<(SessionId, usize)> {
        let mut sessions = self.debounced.sessions();
        sessions.extend(self.arrivals.sessions());
        sessions.extend(self.conversations.sessions());
        let counted = sessions.into_iter().map(|session| {
            let count = self.turns_waiting(&session).len();
            (session, count)
        });
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// Takes out everything that waits; it stays open, and the next start takes it up.
    pub(crate) fn leave_open(&self) {
        drop(self.debounced.take_all());
        drop(self.conversations.take_waiting());
    }

    /// The turns that wait in a conversation, in order.
    pub(crate) fn turns_waiting(&self, session: &SessionId) -> Vec<TurnId> {
        self.list(session, |pending, _| pending.id())
    }

    /// What `of` tells of each message that waits in a conversation, in the order in which they go on, with what it waits
    /// for.
    pub(crate) fn list<R>(&self, session: &SessionId, of: impl Fn(&Pending, MessageWait) -> R) -> Vec<R> {
        let told = |wait| {
            let of = &of;
            move |pending: &Pending| (pending.id(), of(pending, wait))
        };
        // Against the way that a message goes: one that goes on meanwhile is seen twice, and never missed.
        let for_more = self.debounced.list_messages(session, told(MessageWait::Debounce));
        let arriving = self.arrivals.list_messages(session, told(MessageWait::Arrival));
        let for_turn = self.conversations.waiting(session, told(MessageWait::Turn));
        let for_summary = self.conversations.set_aside(session, told(MessageWait::Summary));
        let mut listed = BTreeSet::new();
        let all = [for_summary, for_turn, arriving, for_more].into_iter().flatten();
        all.filter(|(turn, _)| listed.insert(*turn))
            .map(|(_, told)| told)
            .collect()
    }

    /// Puts what waits in a conversation into another order, and answers it.
    pub(crate) fn reorder(&self, session: &SessionId, order: &[TurnId]) -> Vec<TurnId> {
        let place = |pending: &Pending| order.iter().position(|turn| *turn == pending.id());
        self.conversations.reorder(session, place, Pending::id)
    }

    /// What `of` tells of each message that waits for its turn in a conversation, in order.
    pub(crate) fn waiting<R>(&self, session: &SessionId, of: impl Fn(&Pending) -> R) -> Vec<R> {
        self.conversations.waiting(session, of)
    }

    /// Takes out what waits in a conversation and is `meant`.
    pub(crate) fn take_waiting_of(
        &self,
        session: &SessionId,
        meant: impl Fn(&Pending) -> bool,
    ) -> Vec<Pending> {
        let mut taken = self.conversations.take_waiting_of(session, &meant);
        taken.extend(self.arrivals.take_messages(session, &meant));
        taken.extend(self.debounced.take_messages(session, meant));
        taken
    }

    /// Has the message that is being given to the agent of a conversation end with `stop`, should the agent not take it.
    pub(crate) fn drop_in_hand(&self, session: &SessionId, stop: Stop) {
        self.arrivals.drop_in_hand(session, stop);
    }

    /// Stops a turn that had passed the gates; another copy of its message is a new one.
    pub(super) fn refuse(&self, pending: Pending, stop: &Stop) -> Result<(), StoreError> {
        for message in pending.into_messages(JoinKind::Collected) {
            let pending = message.pending;
            self.seen.lock().release(self.context.rules, &pending.claim);
            let _ = pending.ended.send(record_stop(
                &pending.recorder,
                &self.context.ports.config,
                stop.clone(),
            )?);
        }
        Ok(())
    }

    /// Stops it like [`Self::refuse`], and another copy of its message is not answered either: a person does not want it,
    /// or newer ones took its place.
    pub(crate) fn refuse_for_good(&self, pending: Pending, stop: &Stop) -> Result<(), StoreError> {
        for message in pending.into_messages(JoinKind::Collected) {
            let pending = message.pending;
            self.seen.lock().commit(&pending.claim);
            let _ = pending.ended.send(record_stop(
                &pending.recorder,
                &self.context.ports.config,
                stop.clone(),
            )?);
        }
        Ok(())
    }
}
