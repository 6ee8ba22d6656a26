//! The turns of a conversation, one after the other, each with one of the runs.

use super::{
    TurnQueue,
    policy::{quiet_at, seen},
    told::queued,
};
use crate::{
    conversations::Batch, deadline::Deadline, pending::Pending, supervise::contained, turn::RunPermit,
};
use foldback_wire::{JoinKind, SessionId};
use std::{sync::Arc, time::Duration};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

impl TurnQueue {
    /// Runs a conversation's turns one after the other, until none waits, no run may begin, or the process ends: what
    /// still waits then is taken up by the next one. The first ones, where there are any, have one of the runs; with them
    /// goes whether they waited for it.
    pub(super) async fn converse(self: Arc<Self>, session: SessionId, first: Option<(Batch<Pending>, bool)>) {
        let mut next = first;
        loop {
            if next.is_none() {
                self.until_quiet(&session).await;
                if self.context.shutdown.no_new_turns.is_cancelled() {
                    return;
                }
                next = self.next_turn(&session).map(|batch| (batch, true));
            }
            let Some((batch, waited)) = next.take() else {
                return;
            };
            let run = self.allow_run();
            if self.context.shutdown.no_new_turns.is_cancelled() {
                return;
            }
            let free = CancellationToken::new();
            self.context
                .tasks
                .spawn(Arc::clone(&self).attend(batch, waited, free.clone(), run));
            free.cancelled().await;
        }
    }

    /// Waits until nothing has come in for as long as the messages that are collected say.
    async fn until_quiet(&self, session: &SessionId) {
        let clock = self.context.recorder.clock.as_ref();
        let began = clock.steady();
        loop {
            let until = self
                .conversations
                .inspect_waiting(session, |waiting| quiet_at(&seen(waiting), began));
            let Some((Some(until), came)) = until else { return };
            let until = Deadline::from(until, Duration::ZERO);
            if until.is_over(clock) {
                return;
            }
            tokio::select! {
                () = self.context.shutdown.no_new_turns.cancelled() => return,
                () = until.passed(clock) => {}
                () = came.notified() => {}
            }
        }
    }

    /// One of the runs, which goes to the turn that has waited longest for one once it is over.
    fn allow_run(self: &Arc<Self>) -> RunPermit {
        let queue = Arc::clone(self);
        RunPermit::new(move || {
            let next = queue.conversations.end_run(&queue.policy);
            // A runtime that is gone runs nothing; what waited stays open, and the next start takes it up.
            if let (Some(batch), Ok(runtime)) = (next, Handle::try_current())
                && let Some(session) = batch.turns.first().map(|pending| pending.session.clone())
            {
                let conversation = Arc::clone(&queue).converse(session, Some((batch, true)));
                queue.context.tasks.spawn_on(conversation, &runtime);
            }
        })
    }

    /// The next turns of a conversation, whose turn is over; they have one of the runs. Where none may begin, the first
    /// says that it waits, and goes on when one is over.
    fn next_turn(&self, session: &SessionId) -> Option<Batch<Pending>> {
        self.conversations
            .next_turn(session, &self.policy, |pending, wait| {
                if let Err(error) = pending.recorder.note(queued(wait)) {
                    tracing::error!(%error, "the queue goes on without a word");
                }
            })
    }

    /// One run, in a task of its own: one that panics takes neither its conversation nor its claims with it.
    /// `free` is cancelled as soon as its conversation may go on.
    async fn attend(
        self: Arc<Self>,
        batch: Batch<Pending>,
        waited: bool,
        free: CancellationToken,
        run: RunPermit,
    ) {
        let _at_the_latest = free.clone().drop_guard();
        let Batch { mut turns, set_aside } = batch;
        let Some(mut pending) = turns.pop() else { return };
        if waited && let Err(error) = pending.tell_wait_is_over() {
            tracing::error!(%error, "the queue goes on without a word");
        }
        let join = |how| move |pending: Pending| pending.into_messages(how);
        let summarised = set_aside.into_iter().flat_map(join(JoinKind::Summarised));
        let collected = turns.into_iter().flat_map(join(JoinKind::Collected));
        let parts = std::mem::take(&mut pending.parts);
        let joined: Vec<_> = summarised.chain(collected).chain(parts).collect();
        let (id, recorder) = (pending.id, pending.recorder.clone());
        let claims = joined.iter().map(|message| &message.pending.claim);
        let claims: Vec<_> = claims.chain([&pending.claim]).cloned().collect();
        self.joined.open(id);
        let turn = Arc::clone(&self.runner).run_turn(pending, joined, free, Some(run));
        match contained(turn).await {
            Ok((joined, end)) => self.joined.close(id, joined, end),
            Err(panicked) => {
                self.context.runs.lock().remove(&id);
                let mut seen = self.seen.lock();
                for claim in &claims {
                    seen.release(self.context.rules, claim);
                }
                drop(seen);
                self.joined.close(id, Vec::new(), None);
                recorder.tell_panic("the turn stays open", &panicked);
            }
        }
    }
}
