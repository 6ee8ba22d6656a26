//! Messages that come into the run that goes on, one after the other.

use super::TurnQueue;
use crate::{pending::Pending, supervise::contained};
use foldback_directives::inbound::QueueMode;
use foldback_store::StoreError;
use foldback_wire::{JoinKind, Kind, TurnId};
use std::{collections::VecDeque, sync::Arc};

/// The way in which a message comes into the run that goes on; `None` for one that waits.
pub(super) fn joins_as(pending: &Pending) -> Option<JoinKind> {
    match pending.queue.mode.value {
        QueueMode::Steer => Some(JoinKind::Steered),
        QueueMode::SteerBacklog => Some(JoinKind::SteeredToo),
        QueueMode::Followup | QueueMode::Collect | QueueMode::Interrupt => None,
    }
}

impl TurnQueue {
    /// Gives messages of a conversation to the agent that runs there, one after the other, and has those wait that it does
    /// not take.
    pub(super) async fn steer_in_order(self: Arc<Self>, first: Pending) {
        let session = first.session.clone();
        let mut next = Some(first);
        while let Some(pending) = next {
            if self.context.shutdown.no_new_turns.is_cancelled() {
                // They stay open, and the next start takes them up.
                self.arrivals.leave_open(&session);
                return;
            }
            let claims: Vec<_> = pending.claims().cloned().collect();
            let recorder = pending.recorder.clone();
            let failed = match contained(Arc::clone(&self).steer_or_wait(pending)).await {
                Ok(Ok(())) => false,
                Ok(Err(error)) => {
                    tracing::error!(%error, "a message stays open");
                    true
                }
                Err(panicked) => {
                    recorder.tell_panic("the turn stays open", &panicked);
                    true
                }
            };
            if failed {
                let mut seen = self.seen.lock();
                for claim in &claims {
                    seen.release(self.context.rules, claim);
                }
            }
            next = self.arrivals.next_message(&session);
        }
    }

    async fn steer_or_wait(self: Arc<Self>, pending: Pending) -> Result<(), StoreError> {
        let how = joins_as(&pending).filter(|_| self.conversations.is_busy(&pending.session));
        let Some(how) = how else {
            return self.wait_turn(pending);
        };
        let waits = |others: &VecDeque<Pending>| others.iter().any(|other| other.steered.is_none());
        let is_overtaking = self.conversations.inspect_waiting(&pending.session, waits);
        if is_overtaking.is_some_and(|(waits, _)| waits) {
            pending.recorder.note(Kind::NotSteered {
                running: None,
                why: "messages before it wait".to_owned(),
            })?;
            return self.wait_turn(pending);
        }
        let joined = |turn| self.joined.count(turn);
        let taken = self.steering.steer(&pending, how, joined).await?;
        let dropped = self.arrivals.take_drop_reason(&pending.session);
        match (taken, dropped) {
            (None, Some(stop)) => self.refuse_for_good(pending, &stop),
            (taken, _) => self.join_or_wait(pending, how, taken),
        }
    }

    fn join_or_wait(
        self: &Arc<Self>,
        mut pending: Pending,
        how: JoinKind,
        taken: Option<TurnId>,
    ) -> Result<(), StoreError> {
        match taken {
            None => self.wait_turn(pending),
            Some(into) => {
                self.joined.note_given(into, 1 + pending.parts.len());
                if how == JoinKind::SteeredToo {
                    pending.steered = Some(into);
                    return self.wait_turn(pending);
                }
                self.join(pending, into)
            }
        }
    }

    /// Has a message end with the turn whose agent was given it, and with no run of its own.
    fn join(&self, pending: Pending, into: TurnId) -> Result<(), StoreError> {
        let all = pending.into_messages(JoinKind::Steered);
        all.into_iter()
            .try_for_each(|message| self.joined.add(into, message))
    }

    /// Has a message that finds no place in the queue end with the turn `into`, whose agent has it already.
    pub(super) fn end_with_run(&self, pending: Pending, into: TurnId) -> Result<(), StoreError> {
        let how = JoinKind::Steered;
        // Until that turn has ended, the next start has to know that it waits for no run of its own any more.
        for recorder in pending.recorders() {
            recorder.note(Kind::Joined { into, how })?;
        }
        self.join(pending, into)
    }
}
