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
//! What comes while its conversation is busy goes the way that its settings say (`queue.mode`): into the agent that runs,
//! behind the others, together with the others, or in the place of the run. The decisions are in `policy`, the way into the
//! agent that runs in `steer`, the turns one after the other in `converse`.
//!
//! What must hold:
//! - A turn that panics gives both back: they are dropped with it.
//! - A run goes to the turn that has waited longest for one, whichever conversation it is of.
//! - A turn that waits for nothing but other chats leaves its conversation to the next one before it ends.
//! - While the process ends nothing begins. What waits stays open in the journal, and the next start takes it up.
//! - A message that came into the run of another turn is open in the journal until that one has ended, so that a kill on
//!   the way does not lose it without a word.

mod arrivals;
mod converse;
mod debounce;
mod gather;
mod joined;
mod policy;
mod steer;
mod told;
mod waiting;

pub(crate) use told::dropped;

use crate::{
    context::TurnContext,
    conversations::{Batch, Conversations, QueueEntry},
    flow::Stop,
    pending::Pending,
    route::Route,
    rules::Rule,
    stages::dedupe::SeenMessages,
    steering::Steering,
    turn::TurnRunner,
};
use arrivals::Arrivals;
use debounce::Debounced;
use foldback_directives::inbound::QueueMode;
use foldback_store::StoreError;
use foldback_wire::{Actor, Gate, Kind, SessionId, Stage, TurnId, messages_wait};
use joined::JoinedMessages;
use policy::BySettings;
use std::sync::Arc;
use steer::joins_as;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use told::{displaced_by, evicted, queued};

/// The turns that wait for their conversation or for a run.
pub(crate) struct TurnQueue {
    context: Arc<TurnContext>,
    seen: Arc<SeenMessages>,
    runner: Arc<TurnRunner>,
    steering: Steering,
    policy: BySettings,
    pub(crate) conversations: Conversations<Pending>,
    debounced: Debounced,
    arrivals: Arrivals,
    joined: JoinedMessages,
}

/// A conversation in which an earlier process left a turn: no other begins there before this one is finished.
pub(crate) struct OccupiedConversation {
    queue: Arc<TurnQueue>,
    session: SessionId,
}

impl Drop for OccupiedConversation {
    fn drop(&mut self) {
        // A runtime that is gone runs nothing; what waited stays open, and the next start takes it up.
        if let Ok(runtime) = Handle::try_current() {
            let next = Arc::clone(&self.queue).converse(self.session.clone(), None);
            self.queue.context.tasks.spawn_on(next, &runtime);
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
            steering: Steering::new(context),
            policy: BySettings {
                is_bounded: context.rules.holds(Rule::QueueCap),
            },
            conversations: Conversations::with_runs(most_runs),
            debounced: Debounced::default(),
            arrivals: Arrivals::default(),
            joined: JoinedMessages::new(seen, context.rules),
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

    /// Takes a message in. Its turn begins at once where nothing goes on in its conversation and a run is free; else the
    /// mode of the queue says what becomes of it.
    pub(crate) fn enter_turn(self: &Arc<Self>, mut pending: Pending) -> Result<(), StoreError> {
        if !self.context.rules.holds(Rule::QueueFifo) {
            let free = CancellationToken::new();
            let parts = std::mem::take(&mut pending.parts);
            let alone = Arc::clone(&self.runner).run_turn(pending, parts, free, None);
            self.context.tasks.spawn(async move { drop(alone.await) });
            return Ok(());
        }
        let session = pending.session.clone();
        if self.conversations.is_busy(&session) {
            let settings = pending.queue.effective();
            pending.recorder.note(Kind::SettingsResolved { settings })?;
        }
        let steers = joins_as(&pending).is_some() && self.conversations.is_busy(&session);
        // Nothing overtakes what is about to be given to the agent.
        let entered = self.arrivals.add_message(pending, steers, |pending| {
            if steers {
                self.context.tasks.spawn(Arc::clone(self).steer_in_order(pending));
                return Ok(());
            }
            self.wait_turn(pending)
        });
        entered.unwrap_or(Ok(()))
    }

    /// Has a message wait for its turn, which begins at once where nothing goes on in its conversation and a run is
    /// free.
    fn wait_turn(self: &Arc<Self>, pending: Pending) -> Result<(), StoreError> {
        let session = pending.session.clone();
        let settings = pending.queue.clone();
        let (turn, by) = (pending.id, Actor::User(pending.message.sender.id.clone()));
        let route = pending.route.clone();
        let gathers = pending.resumed && settings.mode.value == QueueMode::Collect;
        let noted = std::cell::Cell::new(Ok(()));
        let note = |told: Result<(), StoreError>| {
            if told.is_err() {
                noted.set(told);
            }
        };
        let entry = self.conversations.enter_turn(
            &session,
            pending,
            gathers,
            &self.policy,
            |pending, place| note(pending.recorder.note(queued(place))),
            |old, _| {
                for recorder in old.recorders() {
                    note(recorder.note(evicted(&settings)));
                }
            },
        );
        match entry {
            QueueEntry::Run(pending) => {
                let batch = Batch {
                    turns: vec![pending],
                    set_aside: Vec::new(),
                };
                let conversation = Arc::clone(self).converse(session, Some((batch, false)));
                self.context.tasks.spawn(conversation);
            }
            QueueEntry::Opened => {
                self.context.tasks.spawn(Arc::clone(self).converse(session, None));
            }
            QueueEntry::Waits(displaced) => {
                for old in displaced {
                    match old.steered {
                        Some(into) => self.end_with_run(old, into)?,
                        None => self.refuse_for_good(old, &displaced_by(turn, &settings))?,
                    }
                }
                if settings.mode.value == QueueMode::Interrupt {
                    self.interrupt((&session, &route), turn, &by)?;
                }
            }
            QueueEntry::Full(pending) => {
                if let Some(into) = pending.steered {
                    self.end_with_run(pending, into)?;
                    return noted.into_inner();
                }
                let cap = settings.cap.value;
                let waiting = messages_wait(cap);
                let detail = format!("{waiting} in this conversation already");
                let stop = Stop::new(Stage::Queue, Gate::QueueFull, detail)
                    .given("waiting", cap.to_string())
                    .changed_by(settings.cap_is_set_at())
                    .set_by(settings.cap.source);
                self.refuse(pending, &stop)?;
            }
        }
        noted.into_inner()
    }

    /// Stops what runs in a conversation and answers the same place, for a message that interrupts it. What was said so far
    /// is delivered. A run that answers another chat is waited for.
    fn interrupt(
        &self,
        (session, route): (&SessionId, &Route),
        turn: TurnId,
        by: &Actor,
    ) -> Result<(), StoreError> {
        let runs = self.context.runs.lock();
        let of: Vec<_> = runs
            .values()
            .filter(|run| run.session == *session && run.route == *route)
            .cloned()
            .collect();
        drop(runs);
        of.iter()
            .try_for_each(|run| run.interrupt(by.clone(), turn).map(drop))
    }
}
