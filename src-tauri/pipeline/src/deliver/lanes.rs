//! The lanes: one for every chat, first in, first out. An operation that waits (for a rate limit, for its
//! channel, for a person) holds up its own chat and no other.

use super::{bubble::arrived, parts::TextParts};
use crate::{
    config::OutboxConfig,
    files::SendDir,
    leaks::{Place, Watch},
    recorder::{Ids, Recorder},
    rules::{Rule, Rules},
    sent::Sent,
};
use foldback_channels::Channel;
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{
    ChannelId, Clock, HoldReason, Kind, OpId, Operation, Outcome, OutcomeCode, Rng, SessionId, Target,
    Timestamp,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::sync::{oneshot, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// An operation on its way.
pub(crate) struct Job {
    pub(crate) entry: OutboxEntry,
    pub(crate) channel: Channel,
    pub(crate) recorder: Recorder,
    /// A live frame: superfluous when it cannot go out now.
    pub(crate) live: bool,
    /// Cancelled once nobody needs it.
    pub(crate) needless: Option<CancellationToken>,
    /// A directive's, with text behind it: given up rather than waited for.
    pub(crate) hurried: bool,
    /// What it puts on the screen, for the leak alarm.
    pub(crate) shows: Option<Shows>,
    pub(crate) parts: Option<Arc<TextParts>>,
    pub(crate) origin: Origin,
    pub(crate) done: oneshot::Sender<Carried>,
}

/// How an operation came into its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Somebody posted it, and notes when it waits.
    Posted,
    /// It follows from how the one before it ended.
    Follows,
    /// It was in the outbox when the process began.
    Resumed,
}

/// A place of an answer's clean text.
#[derive(Clone)]
pub(crate) struct Shows {
    pub(crate) place: Place,
    pub(crate) watch: Arc<Watch>,
}

impl Job {
    /// Ends once nobody needs it.
    async fn needless(&self) {
        match &self.needless {
            Some(needless) => needless.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Raises the alarm as soon as what the operation shows is on the screen, for all that is known.
    fn look_for_leaks(&self, outcome: &Outcome) -> Result<(), StoreError> {
        match (&self.shows, &self.entry.operation) {
            (
                Some(Shows { place, watch }),
                Operation::SendText { text, .. } | Operation::EditText { text, .. },
            ) if arrived(outcome) || outcome.code == OutcomeCode::Unknown => {
                self.recorder.alarm(watch.shown(self.entry.op, *place, text))
            }
            _ => Ok(()),
        }
    }
}

/// How an operation ended.
#[derive(Debug)]
pub(crate) struct Carried {
    pub(crate) outcome: Outcome,
    /// How long the platform wants no more of the kind.
    pub(crate) retry_after: Option<Duration>,
    /// What follows from it, next in its lane.
    pub(crate) follows: Option<Follows>,
}

/// An operation that follows from how another one ended.
#[derive(Debug)]
pub(crate) struct Follows {
    pub(crate) ended: oneshot::Receiver<Carried>,
    /// Whether its lane is held, now and later.
    pub(crate) held: watch::Receiver<bool>,
}

type Key = (ChannelId, Target);

struct Lane {
    waiting: VecDeque<Job>,
    /// The operation that is being carried.
    first: Option<Queued>,
    /// Whether it is held for its channel or a person.
    held: watch::Sender<bool>,
    reopened: Reopened,
}

/// When the channel opened again under a lane; the end of time while it has not. What is older was held.
pub(super) type Reopened = Arc<Mutex<Option<Timestamp>>>;

/// What there is to know of an operation in a lane.
#[derive(Clone, Copy)]
struct Queued {
    op: OpId,
    at: Timestamp,
    resumed: bool,
}

impl Queued {
    const fn of(job: &Job) -> Self {
        Self {
            op: job.entry.op,
            at: job.entry.at,
            resumed: matches!(job.origin, Origin::Resumed),
        }
    }

    /// Whether it waited for its channel, or for a start.
    fn was_held(self, reopened: Option<Timestamp>) -> bool {
        self.resumed || reopened.is_some_and(|at| self.at <= at)
    }
}

/// All lanes. A lane exists while it has something to do.
pub(crate) struct Lanes {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) rng: Arc<dyn Rng>,
    pub(super) policy: OutboxConfig,
    pub(super) rules: Rules,
    pub(super) ids: Arc<Ids>,
    /// What was spoken is deleted there with its outcome.
    pub(super) files: SendDir,
    busy: Mutex<HashMap<Key, Lane>>,
    /// Until when a person let the old operations of a channel go.
    released: watch::Sender<BTreeMap<ChannelId, Timestamp>>,
    /// What a person gave up on a channel.
    given_up: watch::Sender<BTreeMap<ChannelId, GivenUp>>,
    /// Held by a platform call of a conversation, which may speak in several chats; not for longer than `ALONE`.
    calls: Mutex<HashMap<SessionId, Weak<tokio::sync::Mutex<()>>>>,
    /// What platforms acknowledged.
    pub(crate) sent: Sent,
    tasks: TaskTracker,
    pub(super) stop: CancellationToken,
}

/// A person's word that what is old is not sent any more.
#[derive(Clone)]
struct GivenUp {
    at: Timestamp,
    by: String,
}

/// Whether an operation may go now.
pub(super) enum Way {
    Free,
    /// A live frame that nobody needs later.
    Superfluous,
    /// Nobody needs it any more.
    Needless,
    /// A person gave it up.
    GivenUp {
        by: String,
    },
    /// The process is ending; the operation stays in the outbox.
    Stopping,
}

impl Lanes {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
        policy: OutboxConfig,
        rules: Rules,
        ids: Arc<Ids>,
        files: SendDir,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            clock,
            rng,
            policy,
            rules,
            ids,
            files,
            busy: Mutex::default(),
            released: watch::Sender::new(BTreeMap::new()),
            given_up: watch::Sender::new(BTreeMap::new()),
            calls: Mutex::default(),
            sent: Sent::default(),
            tasks: TaskTracker::new(),
            stop,
        })
    }

    /// Puts an operation at the end of its lane. Answers whether the lane is held, now and later.
    pub(crate) fn enter(self: &Arc<Self>, job: Job) -> watch::Receiver<bool> {
        let key = (job.entry.channel.clone(), job.entry.target.clone());
        let mut lanes = self.lock();
        if let Some(lane) = lanes.get_mut(&key) {
            if self.rules.holds(Rule::DispatchOrder) {
                lane.waiting.push_back(job);
            } else {
                lane.waiting.push_front(job);
            }
            return lane.held.subscribe();
        }
        let (held, reopened) = (watch::Sender::new(false), Reopened::default());
        let seen = held.subscribe();
        lanes.insert(
            key.clone(),
            Lane {
                waiting: VecDeque::from([job]),
                first: None,
                held: held.clone(),
                reopened: Arc::clone(&reopened),
            },
        );
        self.tasks.spawn(Arc::clone(self).work(key, held, reopened));
        seen
    }

    /// Since when the first operation in a chat's lane has been in the outbox; `None` where there is none.
    pub(crate) fn busy_since(&self, channel: &ChannelId, target: &Target) -> Option<Timestamp> {
        let lanes = self.lock();
        let lane = lanes.get(&(channel.clone(), target.clone()))?;
        let first = lane.first.or_else(|| lane.waiting.front().map(Queued::of))?;
        Some(first.at)
    }

    /// Puts what follows from the end of the operation that is being carried before everything else in its lane.
    /// Answers whether the lane is held, now and later.
    pub(super) fn enter_first(&self, job: Job) -> watch::Receiver<bool> {
        let key = (job.entry.channel.clone(), job.entry.target.clone());
        match self.lock().get_mut(&key) {
            Some(lane) => {
                lane.waiting.push_front(job);
                lane.held.subscribe()
            }
            // No lane ends while it carries something. Without one the job would stay in the outbox.
            None => watch::Sender::new(false).subscribe(),
        }
    }

    /// Lanes with an operation in them.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether the lane of a chat is held at the moment.
    pub(crate) fn is_held(&self, channel: &ChannelId, target: &Target) -> bool {
        let lanes = self.lock();
        lanes
            .get(&(channel.clone(), target.clone()))
            .is_some_and(|lane| *lane.held.borrow())
    }

    /// The operations of a channel that go out only when a person agrees, as things are now.
    pub(crate) fn asking(&self, channel: &Channel) -> BTreeSet<OpId> {
        let now = self.clock.now();
        let open = channel.status().open().is_ok();
        let agreed = self.released.borrow().get(channel.id()).copied();
        let mut asking = BTreeSet::new();
        for (_, lane) in self.lock().iter().filter(|((id, _), _)| id == channel.id()) {
            let reopened = if open {
                at(&lane.reopened)
            } else {
                Some(Timestamp(i64::MAX))
            };
            let jobs = lane.first.into_iter().chain(lane.waiting.iter().map(Queued::of));
            let asks = jobs.filter(|job| self.needs_consent(*job, reopened, agreed, now));
            asking.extend(asks.map(|job| job.op));
        }
        asking
    }

    /// A person lets everything go that is held on a channel now, however old.
    pub(crate) fn release(&self, channel: &ChannelId) {
        let now = self.clock.now();
        self.released.send_modify(|released| {
            released.insert(channel.clone(), now);
        });
    }

    /// A person gives up what is held on a channel and too old now to go out by itself.
    pub(crate) fn give_up(&self, channel: &ChannelId, by: &str) {
        let word = GivenUp {
            at: self.clock.now(),
            by: by.to_owned(),
        };
        self.given_up.send_modify(|given_up| {
            given_up.insert(channel.clone(), word);
        });
    }

    /// Waits until every lane is empty or, once stopping, has finished the call it was in.
    pub(crate) async fn drained(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Lane>> {
        // Every change leaves the map whole, so that a panic elsewhere does not matter here.
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a conversation's platform call holds, so that it makes no two at once.
    pub(super) fn calls_of(&self, session: &SessionId) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(calls) = all.get(session).and_then(Weak::upgrade) {
            return calls;
        }
        all.retain(|_, calls| calls.strong_count() > 0);
        let calls = Arc::default();
        all.insert(session.clone(), Arc::downgrade(&calls));
        calls
    }

    fn next(&self, key: &Key) -> Option<Job> {
        let mut lanes = self.lock();
        let lane = lanes.get_mut(key)?;
        let job = lane.waiting.pop_front();
        lane.first = job.as_ref().map(Queued::of);
        if job.is_none() {
            lanes.remove(key);
        }
        job
    }

    async fn work(self: Arc<Self>, key: Key, held: watch::Sender<bool>, reopened: Reopened) {
        while !self.stop.is_cancelled()
            && let Some(job) = self.next(&key)
        {
            match self.carry(&job, &held, &reopened).await {
                Ok(Some(carried)) => {
                    if let Err(error) = job.look_for_leaks(&carried.outcome) {
                        tracing::error!(op = %job.entry.op, %error, "a leak is not in the journal");
                    }
                    // Whoever waited may have gone; the journal has the outcome all the same.
                    drop(job.done.send(carried));
                }
                Ok(None) => {}
                Err(error) => tracing::error!(op = %job.entry.op, %error, "an operation stays in the outbox"),
            }
        }
        if self.stop.is_cancelled() {
            // What is left stays in the outbox, and nobody waits for it any more.
            self.lock().remove(&key);
        }
    }

    /// Waits until the channel is open and, for what is old, until a person agrees.
    pub(super) async fn way(
        &self,
        job: &Job,
        held: &watch::Sender<bool>,
        reopened: &Reopened,
    ) -> Result<Way, StoreError> {
        let queued = Queued::of(job);
        let mut status = job.channel.watch();
        let mut released = self.released.subscribe();
        let mut given_up = self.given_up.subscribe();
        let mut noted = false;
        let way = loop {
            let open = status.borrow_and_update().open_for(job.entry.dry_run).is_ok()
                || !self.rules.holds(Rule::DeliverOff);
            let agreed = released.borrow_and_update().get(&job.entry.channel).copied();
            // A live frame that nobody waits for was overtaken while its lane was held.
            if job.live && (!open || job.done.is_closed()) {
                break Way::Superfluous;
            }
            if job.needless.as_ref().is_some_and(CancellationToken::is_cancelled) {
                break Way::Needless;
            }
            let word = given_up.borrow_and_update().get(&job.entry.channel).cloned();
            if (!open || queued.was_held(at(reopened)))
                && let Some(GivenUp { by, .. }) = word.filter(|word| self.is_old(queued, word.at))
            {
                break Way::GivenUp { by };
            }
            if open && !self.needs_consent(queued, at(reopened), agreed, self.clock.now()) {
                break Way::Free;
            }
            if !open {
                set(reopened, Timestamp(i64::MAX));
            }
            // Whoever posts an operation notes that it waits.
            if job.origin != Origin::Posted && !std::mem::replace(&mut noted, true) {
                let reason = HoldReason::ChannelOff;
                job.recorder.note(Kind::Waiting {
                    op: Some(job.entry.op),
                    reason,
                    until: None,
                })?;
            }
            held.send_replace(true);
            tokio::select! {
                biased;
                () = self.stop.cancelled() => break Way::Stopping,
                // Neither sender ends before this lane does.
                _ = status.changed() => {}
                _ = released.changed() => {}
                _ = given_up.changed() => {}
                () = job.needless() => {}
            }
            if at(reopened) == Some(Timestamp(i64::MAX))
                && job.channel.status().open_for(job.entry.dry_run).is_ok()
            {
                set(reopened, self.clock.now());
            }
        };
        held.send_replace(false);
        Ok(way)
    }

    fn is_old(&self, job: Queued, at: Timestamp) -> bool {
        at.since(job.at) > self.policy.max_age.0
    }

    /// Whether an operation was held too long to go out without a person's consent.
    fn needs_consent(
        &self,
        job: Queued,
        reopened: Option<Timestamp>,
        agreed: Option<Timestamp>,
        now: Timestamp,
    ) -> bool {
        let agreed = agreed.is_some_and(|at| at >= job.at);
        job.was_held(reopened) && self.is_old(job, now) && !agreed && self.rules.holds(Rule::DeliverOld)
    }
}

fn at(reopened: &Reopened) -> Option<Timestamp> {
    *reopened.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set(reopened: &Reopened, at: Timestamp) {
    *reopened.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
}
