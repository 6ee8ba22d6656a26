//! The delivery queues: one for every chat, first in, first out.
//!
//! The problem: a chat must read in the order in which things were said, while platforms refuse, ask to wait, or are
//! off, and while the process can end at any moment. One queue for everything would be simple and wrong: an operation
//! that waits for the rate limit of one chat would hold up all others. One task per operation would keep no order.
//!
//! So an operation enters the outbox (its intent is durable), then the queue of its chat. One task works through a queue
//! and carries one operation at a time to its outcome: it waits until the operation may go, calls the platform, and tries
//! again where that helps. What follows from an outcome (a plain message in place of a refused reply, the removal of
//! what was replaced) enters the outbox together with the outcome and stands at the front of the queue.
//!
//! An example: a turn answers in chat A with a reaction, a reply and more text, and tells chat B something.
//!
//! ```text
//!              chat A                                          chat B
//!    0 ms      op 1 react, op 2 reply, op 3 text enter         op 4 text enters
//!    1 ms      op 1 is called
//!   30 ms      op 1 is refused: no reaction for 5 s
//!   31 ms                                                      op 4 is called
//!   70 ms                                                      op 4 is sent
//!    2.0 s     op 1 has kept the text waiting for long enough: it is overtaken
//!              op 2 is called
//!    2.1 s     op 2 is refused, as the message that it answers is gone. It ends as failed, replaced by op 5, which
//!              says the text without answering, and enters at the front
//!    2.1 s     op 5 is called: sent
//!    2.2 s     op 3 is called: the connection breaks           <- the platform may have it
//!    2.7 s     op 3 is called again under its key: sent
//!    5.0 s     op 1 is called again, beside the queue: sent
//! ```
//!
//! Had the channel been switched off at 1 s, op 1 would not have been overtaken, and all of chat A would have waited:
//! whoever waits for an operation there is told that its queue is held. Switched on after longer than `outbox.max_age`,
//! the queue would have waited for a person's consent.
//!
//! What always holds:
//!
//! - An operation is in the outbox before it is in a queue, and leaves it with its outcome. The end of the process loses
//!   none: what has no outcome is there for the next start.
//! - Within a chat nothing overtakes text. Only what a directive asked for is overtaken, and only where it waits for its
//!   platform or its file, never where the channel is off.
//! - A message behind a part of its own text that did not arrive is not sent: see [`TextParts`](super::text_parts::TextParts).
//! - A conversation makes one platform call at a time, in whatever chat, so that a kill leaves at most one in doubt. One
//!   that takes longer than [`PATIENCE`] gives that right up.
//! - A live edit waits for no limit and no channel: it goes now, or ends as cancelled, since the whole text comes later. Nor
//!   does it wait for the disk but once: its attempt is durable before its call, and with it its intent and the outcome of
//!   the one before.
//! - Whatever an operation does, also panic, its queue goes on with the next.

mod attempts;
mod backoff;
mod calls;
mod clearance;
mod completion;
mod consent;
mod hold;
mod judge;
mod pace;
mod queued;
mod settle;
mod supervised;
mod work;

pub(crate) use calls::KEY_MEMORY;
pub(crate) use completion::{OperationCompletion, Origin, PendingOperation};
pub(crate) use queued::{QueuedOperation, ShownPlace};

use crate::{
    config::OutboxConfig,
    dead_targets::DeadTargets,
    deadline::Deadline,
    files::SendDir,
    own_messages::OwnMessages,
    recorder::{Ids, Recorder},
    rules::{Rule, Rules},
};
use consent::{GiveUpOrder, OperationAge, ReopenTime};
use foldback_wire::{ChannelId, Clock, HoldReason, OpId, Rng, SessionId, SteadyTime, Target, Timestamp};
pub(super) use pace::Pace;
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use tokio::sync::{oneshot, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The time for which directives may keep the text behind them waiting, all of them together. Then the text goes, and they
/// are carried on beside it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The chat that a queue belongs to.
type QueueKey = (ChannelId, Target);

/// The operations of one chat.
struct DeliveryQueue {
    waiting: VecDeque<QueuedOperation>,
    /// The operation that is being carried.
    first: Option<OperationAge>,
    /// The reason for which it is held for its channel, its platform or a person; `None` while it is not.
    held: watch::Sender<Option<HoldReason>>,
    reopened: ReopenTime,
    /// Operations that what stood behind them has overtaken, and that are still being carried.
    overtaken: BTreeMap<OpId, OperationAge>,
    /// The end of the time for which directives may keep what stands behind them waiting; `None` while none is carried.
    patience: Option<Deadline>,
    /// A task works through it.
    at_work: bool,
}

impl Default for DeliveryQueue {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            first: None,
            held: watch::Sender::new(None),
            reopened: ReopenTime::default(),
            overtaken: BTreeMap::new(),
            patience: None,
            at_work: false,
        }
    }
}

impl DeliveryQueue {
    fn is_over(&self) -> bool {
        !self.at_work && self.waiting.is_empty() && self.overtaken.is_empty()
    }
}

/// The queues of all chats. A queue exists while it has something to do.
pub(crate) struct DeliveryQueues {
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
    pub(super) policy: OutboxConfig,
    rules: Rules,
    ids: Arc<Ids>,
    /// The folder in which a spoken file is deleted with its outcome.
    files: SendDir,
    busy: Mutex<HashMap<QueueKey, DeliveryQueue>>,
    /// The time up to which a person let the old operations of a channel go.
    released: watch::Sender<BTreeMap<ChannelId, Timestamp>>,
    /// The orders of people who gave up what is held on a channel.
    given_up: watch::Sender<BTreeMap<ChannelId, GiveUpOrder>>,
    /// Held by a platform call of a conversation, which may speak in several chats; not for longer than `ALONE`.
    calls: Mutex<HashMap<SessionId, Weak<tokio::sync::Mutex<()>>>>,
    pub(super) pace: Pace,
    /// The messages that platforms acknowledged.
    pub(crate) own_messages: OwnMessages,
    /// The chats that take nothing more, as their platforms' refusals say.
    pub(crate) dead_targets: Arc<DeadTargets>,
    tasks: TaskTracker,
    /// Cancelled when the process ends: no call begins any more.
    pub(super) stop: CancellationToken,
}

impl DeliveryQueues {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
        policy: OutboxConfig,
        rules: Rules,
        ids: Arc<Ids>,
        (files, dead_targets): (SendDir, Arc<DeadTargets>),
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
            own_messages: OwnMessages::default(),
            dead_targets,
            tasks: TaskTracker::new(),
            stop,
        })
    }

    /// Puts an operation at the end of its queue.
    pub(crate) fn enqueue_operation(self: &Arc<Self>, queued: QueuedOperation) -> PendingOperation {
        let first = !self.rules.holds(Rule::DispatchOrder);
        self.enqueue_at(queued, first)
    }

    /// Puts what follows from the end of the operation that is being carried before everything else in its queue.
    fn enqueue_first(self: &Arc<Self>, queued: QueuedOperation) -> PendingOperation {
        self.enqueue_at(queued, true)
    }

    fn enqueue_at(self: &Arc<Self>, mut queued: QueuedOperation, first: bool) -> PendingOperation {
        let (done, ended) = oneshot::channel();
        queued.done = Some(done);
        let key = (queued.entry.channel.clone(), queued.entry.target.clone());
        let mut queues = self.lock();
        let queue = queues.entry(key.clone()).or_default();
        let pending = PendingOperation {
            op: queued.entry.op,
            live: queued.live,
            origin: queued.origin,
            instead: queued.instead,
            overtaken: queued.overtaken.clone(),
            held: queue.held.subscribe(),
            ended,
        };
        if first {
            queue.waiting.push_front(queued);
        } else {
            queue.waiting.push_back(queued);
        }
        if !std::mem::replace(&mut queue.at_work, true) {
            let (held, reopened) = (queue.held.clone(), Arc::clone(&queue.reopened));
            self.tasks
                .spawn(Arc::clone(self).work_through(key, held, reopened));
        }
        pending
    }

    /// The time since which the first operation in a chat's queue has been in the outbox; `None` where there is none.
    pub(crate) fn busy_since(&self, channel: &ChannelId, target: &Target) -> Option<SteadyTime> {
        let queues = self.lock();
        let queue = queues.get(&(channel.clone(), target.clone()))?;
        let first = queue
            .first
            .or_else(|| queue.waiting.front().map(OperationAge::of))?;
        Some(self.clock.steady_of(first.at))
    }

    /// Queues with an operation in them.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// True where the queue of a chat is held at the moment.
    pub(crate) fn is_held(&self, channel: &ChannelId, target: &Target) -> bool {
        let queues = self.lock();
        queues
            .get(&(channel.clone(), target.clone()))
            .is_some_and(|queue| queue.held.borrow().is_some())
    }

    /// Waits until every queue is empty or, once stopping, has finished the call it was in.
    pub(crate) async fn drained(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<QueueKey, DeliveryQueue>> {
        // Every change leaves the map whole, so that a panic elsewhere does not matter here.
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock that a conversation's platform call holds, so that it makes no two at once.
    fn calls_of(&self, session: &SessionId) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(calls) = all.get(session).and_then(Weak::upgrade) {
            return calls;
        }
        all.retain(|_, calls| calls.strong_count() > 0);
        let calls = Arc::default();
        all.insert(session.clone(), Arc::downgrade(&calls));
        calls
    }
}

/// The key of every attempt of an operation; at most 25 characters, as Discord's nonce allows. The time keeps
/// keys of different journals apart.
pub(super) fn key_of(op: OpId, recorder: &Recorder) -> String {
    format!("fb-{:x}-{:x}", recorder.now().0, op.0)
}
