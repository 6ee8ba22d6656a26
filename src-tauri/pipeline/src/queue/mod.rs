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
//! behind the others, together with the others, or in the place of the run. The decisions are in `policy`.
//!
//! What must hold:
//! - A turn that panics gives both back: they are dropped with it.
//! - A run goes to the turn that has waited longest for one, whichever conversation it is of.
//! - A turn that waits for nothing but other chats leaves its conversation to the next one before it ends.
//! - While the process ends nothing begins. What waits stays open in the journal, and the next start takes it up.
//! - A message that came into the run of another turn is open in the journal until that one has ended, so that a kill on
//!   the way does not lose it without a word.

mod arrivals;
mod debounce;
mod gather;
mod joined;
mod policy;

use crate::{
    context::TurnContext,
    conversations::{Batch, Conversations, QueueEntry, TurnWait},
    deadline::Deadline,
    flow::{Stop, record_stop},
    pending::Pending,
    queue_settings::QueueSettings,
    rules::Rule,
    stages::dedupe::SeenMessages,
    steering::Steering,
    supervise::contained,
    turn::{RunPermit, TurnRunner},
};
use arrivals::Arrivals;
use debounce::Debounced;
use foldback_directives::inbound::{Queue, QueueMode};
use foldback_store::StoreError;
use foldback_wire::{Actor, Gate, JoinKind, Kind, SessionId, Stage, TurnId};
use joined::JoinedMessages;
use policy::{BySettings, quiet_at, seen};
use std::{sync::Arc, time::Duration};
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

/// The stop of the oldest message that waits, for a newer one.
fn displaced_by(turn: TurnId, settings: &QueueSettings) -> Stop {
    let cap = settings.cap.value;
    let detail = format!("it waited longest of {cap}, as many as may wait, and turn {turn} came");
    Stop::new(Stage::Queue, Gate::Displaced, detail)
        .given("waiting", cap.to_string())
        .given("drop", settings.drop.value.to_string())
        .changed_by(settings.drop_is_set_at())
        .set_by(settings.drop.source)
}

/// The event that only a summary of a message goes to the agent.
fn evicted(settings: &QueueSettings) -> Kind {
    Kind::Evicted {
        cap: u32::try_from(settings.cap.value).unwrap_or(u32::MAX),
        setting: settings.drop_is_set_at(),
        source: Some(settings.drop.source),
    }
}

/// The way in which a message comes into the run that goes on; `None` for one that waits.
fn joins_as(pending: &Pending) -> Option<JoinKind> {
    match pending.queue.mode.value {
        QueueMode::Steer => Some(JoinKind::Steered),
        QueueMode::SteerBacklog => Some(JoinKind::SteeredToo),
        QueueMode::Followup | QueueMode::Collect | QueueMode::Interrupt => None,
    }
}

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
        let mut arrivals = self.arrivals.lock();
        if let Some(line) = arrivals.get_mut(&session) {
            line.push_back(pending);
            return Ok(());
        }
        if steers {
            arrivals.insert(session, std::collections::VecDeque::new());
            self.context.tasks.spawn(Arc::clone(self).steer_in_order(pending));
            return Ok(());
        }
        self.wait_turn(pending)
    }

    /// Gives messages of a conversation to the agent that runs there, one after the other, and has those wait that it does
    /// not take.
    async fn steer_in_order(self: Arc<Self>, first: Pending) {
        let session = first.session.clone();
        let mut next = Some(first);
        while let Some(pending) = next {
            if self.context.shutdown.no_new_turns.is_cancelled() {
                // They stay open, and the next start takes them up.
                self.arrivals.lock().remove(&session);
                return;
            }
            let (claim, recorder) = (pending.claim.clone(), pending.recorder.clone());
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
                self.seen.lock().release(self.context.rules, &claim);
            }
            next = self.arrivals.next(&session);
        }
    }

    async fn steer_or_wait(self: Arc<Self>, mut pending: Pending) -> Result<(), StoreError> {
        let how = joins_as(&pending).filter(|_| self.conversations.is_busy(&pending.session));
        let Some(how) = how else {
            return self.wait_turn(pending);
        };
        let waits = |others: &std::collections::VecDeque<Pending>| others.iter().any(|other| !other.steered);
        let is_overtaking = self.conversations.look(&pending.session, waits);
        if is_overtaking.is_some_and(|(waits, _)| waits) {
            pending.recorder.note(Kind::NotSteered {
                running: None,
                why: "messages before it wait".to_owned(),
            })?;
            return self.wait_turn(pending);
        }
        let joined = |turn| self.joined.count(turn);
        match self.steering.steer(&pending, how, joined).await? {
            None => self.wait_turn(pending),
            Some(_) if how == JoinKind::SteeredToo => {
                pending.steered = true;
                self.wait_turn(pending)
            }
            Some(into) => {
                let all = pending.into_messages(how);
                all.into_iter()
                    .try_for_each(|message| self.joined.add(into, message))
            }
        }
    }

    /// Has a message wait for its turn, which begins at once where nothing goes on in its conversation and a run is
    /// free.
    fn wait_turn(self: &Arc<Self>, pending: Pending) -> Result<(), StoreError> {
        let session = pending.session.clone();
        let settings = pending.queue.clone();
        let (turn, by) = (pending.id, Actor::User(pending.message.sender.id.clone()));
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
                    self.refuse_for_good(old, &displaced_by(turn, &settings))?;
                }
                if settings.mode.value == QueueMode::Interrupt {
                    self.interrupt(&session, turn, &by)?;
                }
            }
            QueueEntry::Full(pending) => {
                let cap = settings.cap.value;
                let detail = format!("{cap} messages wait in this conversation already");
                let stop = Stop::new(Stage::Queue, Gate::QueueFull, detail)
                    .given("waiting", cap.to_string())
                    .changed_by(settings.cap_is_set_at())
                    .set_by(settings.cap.source);
                self.refuse(pending, &stop)?;
            }
        }
        noted.into_inner()
    }

    /// Stops what runs in a conversation for a message that interrupts it. What was said so far is delivered.
    fn interrupt(&self, session: &SessionId, turn: TurnId, by: &Actor) -> Result<(), StoreError> {
        let runs = self.context.runs.lock();
        let of: Vec<_> = runs
            .values()
            .filter(|run| run.session == *session)
            .cloned()
            .collect();
        drop(runs);
        of.iter()
            .try_for_each(|run| run.interrupt(by.clone(), turn).map(drop))
    }

    /// The settings of a session changed: they count for what waits there, too.
    pub(crate) fn change_settings(&self, session: &SessionId, stored: &Queue) {
        let config = &self.context.ports.config;
        self.conversations.change_waiting(session, |pending| {
            let (channel, own) = (&pending.message.channel, &pending.overrides.queue);
            pending.queue = QueueSettings::resolve(config, channel, stored, own);
        });
    }

    /// The conversations in which something waits, and how much.
    pub(crate) fn all_waiting(&self) -> Vec<(SessionId, usize)> {
        let mut all = self.conversations.all_waiting();
        all.extend(self.debounced.sessions());
        all
    }

    /// Takes out everything that waits; it stays open, and the next start takes it up.
    pub(crate) fn leave_open(&self) {
        drop(self.debounced.take_all());
        drop(self.conversations.take_waiting());
    }

    /// The turns that wait in a conversation, in order.
    pub(crate) fn turns_waiting(&self, session: &SessionId) -> Vec<TurnId> {
        let mut turns = self.conversations.waiting(session, Pending::id);
        turns.extend(self.arrivals.turns(session));
        turns.extend(self.debounced.turns(session));
        turns
    }

    /// Puts what waits in a conversation into another order, and answers it.
    pub(crate) fn reorder(&self, session: &SessionId, order: &[TurnId]) -> Vec<TurnId> {
        let place = |pending: &Pending| order.iter().position(|turn| *turn == pending.id());
        self.conversations.reorder(session, place, Pending::id)
    }

    /// What `of` tells of each message that waits in a conversation, in order.
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
        taken.extend(self.arrivals.take(session, &meant));
        taken.extend(self.debounced.take_of(session, meant));
        taken
    }

    /// Stops a turn that had passed the gates; another copy of its message is a new one.
    fn refuse(&self, pending: Pending, stop: &Stop) -> Result<(), StoreError> {
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

    /// Runs a conversation's turns one after the other, until none waits, no run may begin, or the process ends: what
    /// still waits then is taken up by the next one. The first ones, where there are any, have one of the runs; with them
    /// goes whether they waited for it.
    async fn converse(self: Arc<Self>, session: SessionId, first: Option<(Batch<Pending>, bool)>) {
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
                .look(session, |waiting| quiet_at(&seen(waiting), began));
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
