//! The pace of the calls: they keep the rates of their platform, or those that its refusals teach, and the pauses that
//! it asks for. A call passes the
//! limiters of its chat, of its route, of its route in its chat and of its channel; who waits is let through in the order
//! of coming.

mod bucket;
mod learn;
mod limiter;

use crate::{config::OutboxConfig, rules::Rules};
use bucket::Bucket;
use foldback_channels::{Channel, LimitScope, Rates, platform::row};
use foldback_wire::{ChannelId, ChatId, Clock, OpKind, Platform, Rng, Target, Timestamp};
use limiter::CallLimiter;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::watch;

/// The first limiter of a passage that several chats share.
const SHARED: usize = 2;

/// Limiters of a channel that are kept although nobody waits at them.
const IDLE: usize = 1_024;

/// The pace of all channels.
pub(crate) struct Pace {
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
    policy: OutboxConfig,
    rules: Rules,
    channels: Mutex<HashMap<ChannelId, Paced>>,
    /// Counts the pauses.
    pauses: watch::Sender<u64>,
}

/// The limiters of a channel.
#[derive(Default)]
struct Paced {
    limiters: HashMap<Scope, Arc<SharedLimiter>>,
    /// The calls that were refused last without a word about which ones are meant, and until when they pause.
    unstated: Option<(ChatId, usize, Duration)>,
    /// The buckets in which the platform counts routes, as it named them last: those of one bucket have one limit in a
    /// chat.
    buckets: HashMap<usize, String>,
}

/// Calls that share a limiter, by the route's place in the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Scope {
    Chat(ChatId),
    Route(usize),
    RouteInChat(usize, ChatId),
    Channel,
}

/// A limiter, and the queue at it where several chats share it.
struct SharedLimiter {
    queue: tokio::sync::Mutex<()>,
    limiter: Mutex<CallLimiter>,
}

impl SharedLimiter {
    fn limiter(&self) -> MutexGuard<'_, CallLimiter> {
        // A limiter is whole after every change, so that a panic elsewhere does not matter here.
        self.limiter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call on its way to its platform.
#[derive(Clone)]
pub(crate) struct Passage {
    channel: ChannelId,
    chat: ChatId,
    route: usize,
    /// It counts as a message.
    counted: bool,
    limiters: [Arc<SharedLimiter>; 4],
}

impl Passage {
    /// True where it keeps the rates of a limiter: those of a chat are for messages.
    const fn is_counted(&self, at: usize) -> bool {
        self.counted || at > 0
    }

    /// The time at which it may go.
    fn free_at(&self, dispensable: bool) -> Duration {
        let limiters = self.limiters.iter().enumerate();
        let free = limiters.map(|(at, waited)| waited.limiter().free_at(self.is_counted(at), dispensable));
        free.max().unwrap_or_default()
    }

    /// The limiter of the calls that a limit means.
    fn limiter_of(&self, scope: LimitScope) -> &SharedLimiter {
        let [chat, route_in_chat, route, channel] = &self.limiters;
        match scope {
            LimitScope::Chat => chat,
            LimitScope::Route => route,
            LimitScope::Unstated | LimitScope::RouteInChat => route_in_chat,
            LimitScope::Channel => channel,
        }
    }

    fn spend(&self, now: Duration, alone: bool) {
        for (at, waited) in self.limiters.iter().enumerate() {
            waited.limiter().spend(now, self.is_counted(at), alone);
        }
    }
}

impl Pace {
    pub(crate) fn new(clock: Arc<dyn Clock>, rng: Arc<dyn Rng>, policy: OutboxConfig, rules: Rules) -> Self {
        Self {
            clock,
            rng,
            policy,
            rules,
            channels: Mutex::default(),
            pauses: watch::Sender::new(0),
        }
    }

    /// The way of a call that is about to be made.
    pub(crate) fn passage(&self, channel: &Channel, target: &Target, kind: OpKind) -> Passage {
        let rates = channel.rates();
        let (route, of_route) = rates.route(kind);
        let chat = counted_chat(channel.capabilities().platform, target);
        let now = self.time();
        let mut channels = self.channels();
        let paced = channels.entry(channel.id().clone()).or_default();
        let mut limiter = |scope, make: &dyn Fn() -> CallLimiter| paced.limiter(scope, now, make);
        let limiters = [
            limiter(Scope::Chat(chat.clone()), &|| {
                CallLimiter::new(rates.in_chat(&chat).map(Bucket::published))
            }),
            limiter(Scope::RouteInChat(route, chat.clone()), &CallLimiter::default),
            limiter(Scope::Route(route), &|| {
                CallLimiter::new(of_route.into_iter().map(Bucket::published))
            }),
            limiter(Scope::Channel, &|| {
                let published = rates.channel.into_iter().map(Bucket::published);
                CallLimiter::new(published.chain(rates.assumed.map(Bucket::assumed)))
            }),
        ];
        Passage {
            channel: channel.id().clone(),
            route,
            counted: is_message(&rates, kind),
            limiters,
            chat,
        }
    }

    /// Waits until a call may be made, and counts it.
    pub(crate) async fn wait_to_pass(&self, passage: &Passage) {
        let mut waited = false;
        loop {
            // At a limiter of its chat nobody waits but the little that goes on in it at once, which stands in no line.
            let (of_chat, shared) = passage.limiters.split_at(SHARED);
            for (at, limiter) in of_chat.iter().enumerate() {
                waited |= self.wait(passage, at, limiter).await;
            }
            let mut places = Vec::with_capacity(shared.len());
            for (at, limiter) in shared.iter().enumerate() {
                if let Ok(place) = limiter.queue.try_lock() {
                    places.push(place);
                } else {
                    waited = true;
                    places.push(limiter.queue.lock().await);
                }
                waited |= self.wait(passage, SHARED + at, limiter).await;
            }
            let now = self.time();
            // A limiter may have closed while it waited at the next one: then others go first.
            if passage.free_at(false) <= now {
                passage.spend(now, !waited);
                return;
            }
        }
    }

    /// Waits until a limiter is free for a call. Gives whether that took any time.
    async fn wait(&self, passage: &Passage, at: usize, limiter: &SharedLimiter) -> bool {
        let mut waited = false;
        loop {
            let left = limiter
                .limiter()
                .free_at(passage.is_counted(at), false)
                .saturating_sub(self.time());
            if left.is_zero() {
                return waited;
            }
            waited = true;
            self.clock.sleep_until(self.after(left)).await;
        }
    }

    /// The time of day after a while, in whole milliseconds and never before it is over.
    fn after(&self, left: Duration) -> Timestamp {
        let whole = u64::try_from(left.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
        self.clock.now().plus(Duration::from_millis(whole))
    }

    /// Makes a call at once, if it may be and nobody waits: one that is of no use later. Else until when a platform
    /// wants none, if it is that.
    pub(crate) fn pass_now(&self, passage: &Passage) -> Result<(), Option<Timestamp>> {
        let shared = passage.limiters[SHARED..].iter();
        let places: Vec<_> = shared.map(|limiter| limiter.queue.try_lock()).collect();
        let now = self.time();
        if places.iter().all(Result::is_ok) && passage.free_at(true) <= now {
            passage.spend(now, true);
            return Ok(());
        }
        Err(self.closed_until(passage))
    }

    /// The time until which a platform wants no such call, if it said so.
    pub(crate) fn closed_until(&self, passage: &Passage) -> Option<Timestamp> {
        let limiters = passage.limiters.iter();
        let until = limiters.map(|waited| waited.limiter().closed_until()).max()?;
        let left = until.checked_sub(self.time()).filter(|left| !left.is_zero())?;
        Some(self.after(left))
    }

    /// Changes with every pause that a platform asks for.
    pub(crate) fn pauses(&self) -> watch::Receiver<u64> {
        self.pauses.subscribe()
    }

    /// The time now, for [`learn`](Self::learn).
    pub(crate) fn time(&self) -> Duration {
        self.clock.monotonic()
    }

    fn channels(&self) -> MutexGuard<'_, HashMap<ChannelId, Paced>> {
        // Every change leaves the map whole, so that a panic elsewhere does not matter here.
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Paced {
    fn limiter(&mut self, scope: Scope, now: Duration, make: &dyn Fn() -> CallLimiter) -> Arc<SharedLimiter> {
        if let Some(waited) = self.limiters.get(&scope) {
            return Arc::clone(waited);
        }
        if self.limiters.len() >= IDLE {
            self.limiters
                .retain(|_, waited| Arc::strong_count(waited) > 1 || !waited.limiter().is_idle(now));
        }
        let waited = Arc::new(SharedLimiter {
            queue: tokio::sync::Mutex::default(),
            limiter: Mutex::new(make()),
        });
        self.limiters.insert(scope, Arc::clone(&waited));
        waited
    }
}

fn is_message(rates: &Rates, kind: OpKind) -> bool {
    rates.messages.contains(&kind)
}

/// The chat by which a platform counts: a thread, where that is a chat of its own.
fn counted_chat(platform: Platform, target: &Target) -> ChatId {
    match &target.thread {
        Some(thread) if row(platform).counts_threads => thread.as_str().into(),
        _ => target.chat.clone(),
    }
}
