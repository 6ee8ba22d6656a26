//! The lanes: one for every chat, first in, first out. An operation that waits (for a rate limit, for its
//! channel, for a person) holds up its own chat and no other.

use super::{
    consent::{GivenUp, Queued, Reopened},
    job::{Hold, Job},
    pace::Pace,
};
use crate::{
    config::OutboxConfig,
    files::SendDir,
    recorder::Ids,
    rules::{Rule, Rules},
    sent::Sent,
};
use foldback_wire::{ChannelId, Clock, HoldReason, OpId, Rng, SessionId, SteadyTime, Target, Timestamp};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(super) type Key = (ChannelId, Target);

pub(super) struct Lane {
    pub(super) waiting: VecDeque<Job>,
    /// The operation that is being carried.
    pub(super) first: Option<Queued>,
    /// Why it is held for its channel, its platform or a person; `None` while it is not.
    held: watch::Sender<Option<HoldReason>>,
    pub(super) reopened: Reopened,
    /// Operations that what stood behind them has overtaken, and that are still being carried.
    pub(super) overtaken: BTreeMap<OpId, Queued>,
    /// Until when directives may keep what stands behind them waiting; `None` while no directive is carried.
    patience: Option<SteadyTime>,
    /// Somebody works through it.
    at_work: bool,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            first: None,
            held: watch::Sender::new(None),
            reopened: Reopened::default(),
            overtaken: BTreeMap::new(),
            patience: None,
            at_work: false,
        }
    }
}

impl Lane {
    fn is_over(&self) -> bool {
        !self.at_work && self.waiting.is_empty() && self.overtaken.is_empty()
    }
}

/// The time for which directives may keep the text behind them waiting, all of them together. Then the text goes, and they are
/// carried on beside it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

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
    pub(super) released: watch::Sender<BTreeMap<ChannelId, Timestamp>>,
    /// What a person gave up on a channel.
    pub(super) given_up: watch::Sender<BTreeMap<ChannelId, GivenUp>>,
    /// Held by a platform call of a conversation, which may speak in several chats; not for longer than `ALONE`.
    calls: Mutex<HashMap<SessionId, Weak<tokio::sync::Mutex<()>>>>,
    pub(crate) pace: Pace,
    /// What platforms acknowledged.
    pub(crate) sent: Sent,
    tasks: TaskTracker,
    pub(super) stop: CancellationToken,
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
            pace: Pace::new(Arc::clone(&clock), Arc::clone(&rng), policy, rules),
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

    /// Puts an operation at the end of its lane. Answers why the lane is held, now and later.
    pub(crate) fn enter(self: &Arc<Self>, job: Job) -> watch::Receiver<Option<HoldReason>> {
        let first = !self.rules.holds(Rule::DispatchOrder);
        self.queue(job, first)
    }

    /// Puts what follows from the end of the operation that is being carried before everything else in its lane.
    /// Answers why the lane is held, now and later.
    pub(super) fn enter_first(self: &Arc<Self>, job: Job) -> watch::Receiver<Option<HoldReason>> {
        self.queue(job, true)
    }

    fn queue(self: &Arc<Self>, job: Job, first: bool) -> watch::Receiver<Option<HoldReason>> {
        let key = (job.entry.channel.clone(), job.entry.target.clone());
        let mut lanes = self.lock();
        let lane = lanes.entry(key.clone()).or_default();
        if first {
            lane.waiting.push_front(job);
        } else {
            lane.waiting.push_back(job);
        }
        let seen = lane.held.subscribe();
        if !std::mem::replace(&mut lane.at_work, true) {
            let (held, reopened) = (lane.held.clone(), Arc::clone(&lane.reopened));
            self.tasks.spawn(Arc::clone(self).work(key, held, reopened));
        }
        seen
    }

    /// Since when the first operation in a chat's lane has been in the outbox; `None` where there is none.
    pub(crate) fn busy_since(&self, channel: &ChannelId, target: &Target) -> Option<SteadyTime> {
        let lanes = self.lock();
        let lane = lanes.get(&(channel.clone(), target.clone()))?;
        let first = lane.first.or_else(|| lane.waiting.front().map(Queued::of))?;
        Some(self.clock.steady_of(first.at))
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
            .is_some_and(|lane| lane.held.borrow().is_some())
    }

    /// Waits until every lane is empty or, once stopping, has finished the call it was in.
    pub(crate) async fn drained(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Lane>> {
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
        lane.at_work = job.is_some();
        if lane.is_over() {
            lanes.remove(key);
        }
        job
    }

    async fn work(self: Arc<Self>, key: Key, held: watch::Sender<Option<HoldReason>>, reopened: Reopened) {
        while !self.stop.is_cancelled()
            && let Some(job) = self.next(&key)
        {
            let hold = Hold::of(&held, &job);
            if job.overtaken.is_none() || !self.rules.holds(Rule::DeliverPatience) {
                self.set_patience(&key, None);
                self.see_through(job, hold, &reopened).await;
            } else {
                self.hurry(&key, job, hold, &reopened).await;
            }
        }
        if self.stop.is_cancelled() {
            // What is left stays in the outbox, and nobody waits for it any more.
            self.lock().remove(&key);
        }
    }

    fn patience(&self, key: &Key) -> Option<SteadyTime> {
        self.lock().get(key)?.patience
    }

    fn set_patience(&self, key: &Key, until: Option<SteadyTime>) {
        if let Some(lane) = self.lock().get_mut(key) {
            lane.patience = until;
        }
    }

    /// Carries a directive's operation, and goes on without it once what stands behind it has waited long enough.
    async fn hurry(self: &Arc<Self>, key: &Key, job: Job, hold: Hold, reopened: &Reopened) {
        let op = job.entry.op;
        let mut carried = Box::pin({
            let (lanes, hold, reopened) = (Arc::clone(self), hold.clone(), Arc::clone(reopened));
            async move { lanes.see_through(job, hold, &reopened).await }
        });
        loop {
            let now = self.clock.steady();
            let until = self.patience(key).unwrap_or_else(|| now.plus(PATIENCE));
            self.set_patience(key, Some(until));
            tokio::select! {
                biased;
                () = &mut carried => return,
                () = self.clock.sleep_until_steady(until) => {}
            }
            if !hold.is_closed() {
                break;
            }
            // Nothing goes meanwhile, so that nothing overtakes it.
            tokio::select! {
                biased;
                () = &mut carried => return,
                () = hold.opened() => self.set_patience(key, None),
            }
        }
        if let Some(lane) = self.lock().get_mut(key) {
            lane.overtaken.extend(lane.first.map(|first| (op, first)));
        }
        hold.overtake();
        let (lanes, key) = (Arc::clone(self), key.clone());
        self.tasks.spawn(async move {
            carried.await;
            let mut busy = lanes.lock();
            if let Some(lane) = busy.get_mut(&key) {
                lane.overtaken.remove(&op);
                if lane.is_over() {
                    busy.remove(&key);
                }
            }
        });
    }

    /// Carries an operation to its end, and tells who waits for it.
    async fn see_through(self: &Arc<Self>, job: Job, hold: Hold, reopened: &Reopened) {
        let job = Arc::new(job);
        match self.carry_supervised(&job, &hold, reopened).await {
            Ok(Some(carried)) => {
                if let Err(error) = job.look_for_leaks(&carried.outcome) {
                    tracing::error!(op = %job.entry.op, %error, "a leak is not in the journal");
                }
                // Whoever waited may have gone; the journal has the outcome all the same.
                if let Some(job) = Arc::into_inner(job) {
                    drop(job.done.send(carried));
                }
            }
            Ok(None) => {}
            Err(error) => tracing::error!(op = %job.entry.op, %error, "an operation stays in the outbox"),
        }
    }
}
