//! The lanes: one for every chat, first in, first out. An operation that waits (for a rate limit, for its
//! channel, for a person) holds up its own chat and no other.

use super::bubble::arrived;
use crate::{
    config::OutboxConfig,
    leaks::Watch,
    recorder::Recorder,
    rules::{Rule, Rules},
    sent::Sent,
};
use foldback_channels::Channel;
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{
    ChannelId, Clock, HoldReason, Kind, Outcome, OutcomeCode, Rng, SessionId, Span, Target, Timestamp,
};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
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
    /// A directive's, with text behind it: given up rather than waited for.
    pub(crate) hurried: bool,
    /// What it puts on the screen, for the leak alarm.
    pub(crate) shows: Option<Shows>,
    /// It was in the outbox when the process began.
    pub(crate) resumed: bool,
    pub(crate) done: oneshot::Sender<Carried>,
}

/// A place of an answer's clean text.
pub(crate) struct Shows {
    pub(crate) message: u32,
    pub(crate) span: Span,
    pub(crate) watch: Arc<Watch>,
}

impl Job {
    /// Raises the alarm as soon as what the operation shows is on the screen, for all that is known.
    fn look_for_leaks(&self, outcome: &Outcome) -> Result<(), StoreError> {
        match &self.shows {
            Some(Shows { message, span, watch })
                if arrived(outcome) || outcome.code == OutcomeCode::Unknown =>
            {
                self.recorder.alarm(watch.shown(self.entry.op, *message, *span))
            }
            _ => Ok(()),
        }
    }
}

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) outcome: Outcome,
    /// How long the platform wants no more of the kind.
    pub(crate) retry_after: Option<Duration>,
}

type Key = (ChannelId, Target);

struct Lane {
    waiting: VecDeque<Job>,
    /// Whether the first operation is held for its channel or a person.
    held: watch::Sender<bool>,
}

/// All lanes. A lane exists while it has something to do.
pub(crate) struct Lanes {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) rng: Arc<dyn Rng>,
    pub(super) policy: OutboxConfig,
    pub(super) rules: Rules,
    busy: Mutex<HashMap<Key, Lane>>,
    /// Until when a person let the old operations of a channel go.
    released: watch::Sender<BTreeMap<ChannelId, Timestamp>>,
    /// What a person gave up on a channel.
    given_up: watch::Sender<BTreeMap<ChannelId, GivenUp>>,
    /// Held by a platform call of a conversation, which may speak in several chats.
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
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            clock,
            rng,
            policy,
            rules,
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
        let held = watch::Sender::new(false);
        let seen = held.subscribe();
        lanes.insert(
            key.clone(),
            Lane {
                waiting: VecDeque::from([job]),
                held: held.clone(),
            },
        );
        self.tasks.spawn(Arc::clone(self).work(key, held));
        seen
    }

    /// Whether the lane of a chat is held at the moment.
    pub(crate) fn is_held(&self, channel: &ChannelId, target: &Target) -> bool {
        let lanes = self.lock();
        lanes
            .get(&(channel.clone(), target.clone()))
            .is_some_and(|lane| *lane.held.borrow())
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
        let job = lanes.get_mut(key)?.waiting.pop_front();
        if job.is_none() {
            lanes.remove(key);
        }
        job
    }

    async fn work(self: Arc<Self>, key: Key, held: watch::Sender<bool>) {
        let mut reopened = None;
        while !self.stop.is_cancelled()
            && let Some(job) = self.next(&key)
        {
            match self.carry(&job, &held, &mut reopened).await {
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
        reopened: &mut Option<Timestamp>,
    ) -> Result<Way, StoreError> {
        let mut status = job.channel.watch();
        let mut released = self.released.subscribe();
        let mut given_up = self.given_up.subscribe();
        let mut noted = false;
        let way = loop {
            let open = status.borrow_and_update().open().is_ok() || !self.rules.holds(Rule::DeliverOff);
            let agreed = released.borrow_and_update().get(&job.entry.channel).copied();
            // A live frame that nobody waits for was overtaken while its lane was held.
            if job.live && (!open || job.done.is_closed()) {
                break Way::Superfluous;
            }
            let word = given_up.borrow_and_update().get(&job.entry.channel).cloned();
            if (!open || was_held(job, *reopened))
                && let Some(GivenUp { by, .. }) = word.filter(|word| self.is_old(job, word.at))
            {
                break Way::GivenUp { by };
            }
            if open && !self.needs_consent(job, *reopened, agreed) {
                break Way::Free;
            }
            if !open {
                *reopened = Some(Timestamp(i64::MAX));
            }
            // Whoever posts an operation notes that it waits; nobody posted this one.
            if job.resumed && !std::mem::replace(&mut noted, true) {
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
            }
            if *reopened == Some(Timestamp(i64::MAX)) && job.channel.status().open().is_ok() {
                *reopened = Some(self.clock.now());
            }
        };
        held.send_replace(false);
        Ok(way)
    }

    fn is_old(&self, job: &Job, at: Timestamp) -> bool {
        at.since(job.entry.at) > self.policy.max_age.0
    }

    /// Whether an operation was held too long to go out without a person's consent.
    fn needs_consent(&self, job: &Job, reopened: Option<Timestamp>, agreed: Option<Timestamp>) -> bool {
        let old = self.is_old(job, self.clock.now());
        let agreed = agreed.is_some_and(|at| at >= job.entry.at);
        was_held(job, reopened) && old && !agreed && self.rules.holds(Rule::DeliverOld)
    }
}

/// Whether an operation waited for its channel, or for a start.
fn was_held(job: &Job, reopened: Option<Timestamp>) -> bool {
    job.resumed || reopened.is_some_and(|at| job.entry.at <= at)
}
