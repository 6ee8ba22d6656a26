//! The queue: one turn at a time in a conversation, and no more runs at once than the setting allows. What waits for
//! either says so in the journal.
//!
//! A turn holds two things, and gives them back at different times: one of the runs until its agent is done, and its
//! conversation until its answer has arrived. An example with `agent.max_runs = 1`:
//!
//! ```text
//!   0 s  A1 enters. Conversation A is idle and the run is free: it begins.
//!   1 s  A2 enters. It waits for A1: `queued`, position 1 in its conversation.
//!   2 s  B1 enters. B is idle, but no run is free: `queued`, position 1 of those that wait for a run.
//!   5 s  The agent of A1 is done. The run goes to B1; A2 may not begin yet, as the answer of A1 is on its way.
//!   7 s  The answer of A1 has arrived, and A goes on with A2, which now waits for a run.
//!   9 s  The agent of B1 is done. The run goes to A2.
//! ```
//!
//! What must hold:
//! - A turn that panics gives both back: they are dropped with it.
//! - A run goes to the turn that has waited longest for one, whichever conversation it is of.
//! - A turn that waits for nothing but other chats leaves its conversation to the next one before it ends.
//! - While the process ends nothing begins. What waits stays open in the journal, and the next start takes it up.

use crate::{
    context::TurnContext,
    conversations::{Conversations, QueueEntry, TurnWait},
    flow::{Stop, record_stop},
    pending::Pending,
    rules::Rule,
    stages::dedupe::SeenMessages,
    supervise::contained,
    turn::{RunPermit, TurnRunner},
};
use foldback_store::StoreError;
use foldback_wire::{Actor, Gate, Kind, SessionId, Stage};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// The stop of a message that a person dropped while it waited.
pub(crate) fn dropped(by: &Actor) -> Stop {
    let who = format!("{by:#}");
    Stop::new(
        Stage::Queue,
        Gate::Dropped,
        format!("{who} dropped it while it waited"),
    )
    .given("by", who)
}

/// The event that a turn waits, and for what.
fn queued(wait: TurnWait) -> Kind {
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let (position, runs) = match wait {
        TurnWait::Conversation(place) => (place, None),
        TurnWait::Run { place, runs } => (place, Some(number(runs))),
    };
    Kind::Queued {
        position: number(position),
        runs,
        needs_consent: false,
    }
}

/// The turns that wait for their conversation or for a run.
pub(crate) struct TurnQueue {
    context: Arc<TurnContext>,
    seen: Arc<SeenMessages>,
    runner: Arc<TurnRunner>,
    pub(crate) conversations: Conversations<Pending>,
}

/// A conversation in which an earlier process left a turn: no other begins there before this one is finished.
pub(crate) struct OccupiedConversation {
    queue: Arc<TurnQueue>,
    session: SessionId,
}

impl Drop for OccupiedConversation {
    fn drop(&mut self) {
        if let Some(next) = self.queue.next_turn(&self.session) {
            let queue = Arc::clone(&self.queue);
            self.queue.context.tasks.spawn(queue.converse(next, true));
        }
    }
}

impl TurnQueue {
    pub(crate) fn new(
        context: &Arc<TurnContext>,
        seen: &Arc<SeenMessages>,
        runner: Arc<TurnRunner>,
    ) -> Arc<Self> {
        let most_runs = if context.rules.holds(Rule::QueueRuns) {
            context.ports.config.agent.max_runs
        } else {
            usize::MAX
        };
        Arc::new(Self {
            context: Arc::clone(context),
            seen: Arc::clone(seen),
            runner,
            conversations: Conversations::with_runs(most_runs),
        })
    }

    /// Keeps a conversation in which a turn has to be finished from going on. `None` where another turn of it is
    /// finished already.
    pub(crate) fn occupy(self: &Arc<Self>, session: SessionId) -> Option<OccupiedConversation> {
        self.conversations.occupy(&session).then(|| OccupiedConversation {
            queue: Arc::clone(self),
            session,
        })
    }

    /// Has a message wait for its turn, which begins at once where nothing goes on in its conversation and a run is
    /// free.
    pub(crate) fn enter_turn(self: &Arc<Self>, pending: Pending) -> Result<(), StoreError> {
        let cap = pending.queue_cap.unwrap_or(self.context.ports.config.queue.cap);
        let cap = if self.context.rules.holds(Rule::QueueCap) {
            cap
        } else {
            usize::MAX
        };
        let session = pending.session.clone();
        if !self.context.rules.holds(Rule::QueueFifo) {
            let free = CancellationToken::new();
            self.context
                .tasks
                .spawn(Arc::clone(&self.runner).run_turn(pending, free, None));
            return Ok(());
        }
        let recorder = pending.recorder.clone();
        let mut noted = Ok(());
        let entry = self.conversations.enter_turn(&session, pending, cap, |place| {
            noted = recorder.note(queued(place));
        });
        noted?;
        match entry {
            QueueEntry::Run(pending) => {
                self.context
                    .tasks
                    .spawn(Arc::clone(self).converse(pending, false));
                Ok(())
            }
            QueueEntry::Waits(_) => Ok(()),
            QueueEntry::Full(pending) => {
                let detail = format!("{cap} messages wait in this conversation already");
                let stop = Stop::new(Stage::Queue, Gate::QueueFull, detail)
                    .given("waiting", cap.to_string())
                    .changed_by("queue.cap");
                self.refuse(pending, stop)
            }
        }
    }

    /// Stops a turn that had passed the gates; another copy of its message is a new one.
    fn refuse(&self, pending: Pending, stop: Stop) -> Result<(), StoreError> {
        self.seen.lock().release(self.context.rules, &pending.claim);
        let _ = pending.ended.send(record_stop(&pending.recorder, stop)?);
        Ok(())
    }

    /// Stops it like [`Self::refuse`], and another copy of its message is not answered either: a person does not want it.
    pub(crate) fn refuse_for_good(&self, pending: Pending, stop: Stop) -> Result<(), StoreError> {
        self.seen.lock().commit(&pending.claim);
        let _ = pending.ended.send(record_stop(&pending.recorder, stop)?);
        Ok(())
    }

    /// Runs a conversation's turns one after the other, until none waits, no run may begin, or the process ends: what
    /// still waits then is taken up by the next one. The first one has one of the runs; `waited` says that it waited
    /// for it.
    async fn converse(self: Arc<Self>, first: Pending, waited: bool) {
        let session = first.session.clone();
        let mut next = Some((first, waited));
        while let Some((pending, waited)) = next {
            let run = self.allow_run();
            if self.context.shutdown.no_new_turns.is_cancelled() {
                return;
            }
            if waited && let Err(error) = pending.tell_wait_is_over() {
                tracing::error!(%error, "the queue goes on without a word");
            }
            let free = CancellationToken::new();
            self.context
                .tasks
                .spawn(Arc::clone(&self).attend(pending, free.clone(), run));
            free.cancelled().await;
            next = self.next_turn(&session).map(|pending| (pending, true));
        }
    }

    /// One of the runs, which goes to the turn that has waited longest for one once it is over.
    fn allow_run(self: &Arc<Self>) -> RunPermit {
        let queue = Arc::clone(self);
        RunPermit::new(move || {
            let next = queue.conversations.end_run();
            // A runtime that is gone runs nothing; what waited stays open, and the next start takes it up.
            if let (Some(pending), Ok(runtime)) = (next, Handle::try_current()) {
                let conversation = Arc::clone(&queue).converse(pending, true);
                queue.context.tasks.spawn_on(conversation, &runtime);
            }
        })
    }

    /// The next turn of a conversation, whose turn is over; it has one of the runs. Where none may begin, it says that it
    /// waits, and goes on when one is over.
    fn next_turn(&self, session: &SessionId) -> Option<Pending> {
        self.conversations.next_turn(session, |pending, wait| {
            if let Err(error) = pending.recorder.note(queued(wait)) {
                tracing::error!(%error, "the queue goes on without a word");
            }
        })
    }

    /// One turn, in a task of its own: one that panics takes neither its conversation nor its claim with it.
    /// `free` is cancelled as soon as its conversation may go on.
    async fn attend(self: Arc<Self>, pending: Pending, free: CancellationToken, run: RunPermit) {
        let (id, claim, recorder) = (pending.id, pending.claim.clone(), pending.recorder.clone());
        let _at_the_latest = free.clone().drop_guard();
        let turn = Arc::clone(&self.runner).run_turn(pending, free, Some(run));
        if let Err(panicked) = contained(turn).await {
            self.context.runs.lock().remove(&id);
            self.seen.lock().release(self.context.rules, &claim);
            recorder.tell_panic("the turn stays open", &panicked);
        }
    }
}
