//! Platforms in memory that count calls as the real ones publish it, and refuse what is too many.

use async_trait::async_trait;
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, LimitScope, Loopback, Pause, Rates, Refusal,
    platform, rates,
};
use foldback_wire::{Attachment, Capabilities, ChatId, Clock, OpKind, Platform, RefusalCode, Rng, Timestamp};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Which calls a limit counts together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    All,
    Chat,
    Kinds,
    KindsInChat,
}

/// The counting of a limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// So many calls in every span.
    Window,
    /// So many calls at once; a place of theirs is free again after every span.
    Bucket,
}

/// A limit, as a platform publishes it.
struct Published {
    counting: Counting,
    calls: usize,
    per: Duration,
    together: Together,
    /// Of these operations; none for all.
    kinds: &'static [OpKind],
    /// Which calls it says are to wait.
    says: LimitScope,
}

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const NEW: &[OpKind] = &[OpKind::SendText, OpKind::SendFile, OpKind::SendVoice];
const FILES: &[OpKind] = &[OpKind::SendFile, OpKind::SendVoice];
const SHOWN: &[OpKind] = &[
    OpKind::SendText,
    OpKind::EditText,
    OpKind::SendFile,
    OpKind::SendVoice,
];

const fn published(
    calls: usize,
    per: Duration,
    together: Together,
    kinds: &'static [OpKind],
    says: LimitScope,
) -> Published {
    Published {
        counting: Counting::Window,
        calls,
        per,
        together,
        kinds,
        says,
    }
}

/// A bucket of so many calls to a chat, which gains one after every span.
const fn bucket(calls: usize, per: Duration, together: Together, kinds: &'static [OpKind]) -> Published {
    Published {
        counting: Counting::Bucket,
        ..published(calls, per, together, kinds, LimitScope::Unstated)
    }
}

/// The limits of a platform; `foldback_channels::rates` names the sources of what is published.
fn limits(platform: Platform) -> Vec<Published> {
    use Together::{All, Chat, Kinds, KindsInChat};
    match platform {
        platform::TELEGRAM => vec![
            published(30, SECOND, All, &[], LimitScope::Unstated),
            published(1, SECOND, Chat, SHOWN, LimitScope::Unstated),
        ],
        platform::DISCORD => vec![
            published(50, SECOND, All, &[], LimitScope::Channel),
            published(5, SECOND * 5, KindsInChat, NEW, LimitScope::RouteInChat),
        ],
        platform::SLACK => vec![
            published(300, MINUTE, Kinds, &[OpKind::SendText], LimitScope::Route),
            published(50, MINUTE, Kinds, &[OpKind::EditText], LimitScope::Route),
            published(1, SECOND, Chat, NEW, LimitScope::Route),
        ],
        platform::WHATSAPP => vec![
            published(80, SECOND, All, NEW, LimitScope::Channel),
            published(45, SECOND * 6, Chat, NEW, LimitScope::Chat),
        ],
        platform::SIGNAL => vec![
            bucket(60, SECOND, Chat, &[]),
            bucket(50, Duration::from_millis(1_200), Kinds, FILES),
            // Its filter against spam, whose limits nobody knows; whoever it stops is to solve a captcha.
            published(20, SECOND, All, &[], LimitScope::Channel),
        ],
        // On average over ten minutes.
        platform::REDDIT => vec![published(1_000, MINUTE * 10, All, &[], LimitScope::Channel)],
        platform::X => vec![published(
            100,
            MINUTE * 15,
            Kinds,
            &[OpKind::SendText],
            LimitScope::Route,
        )],
        _ => Vec::new(),
    }
}

/// A platform's behaviour beside its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conduct {
    /// It says how long to wait.
    Honest,
    /// It never says so, refuses every twentieth call without a reason, its front end fails for a minute, and every
    /// tenth connection is reset after the call.
    Dishonest,
}

/// The calls, and what they met.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Met {
    pub(crate) calls: u64,
    /// Beyond a published limit.
    pub(crate) refused: u64,
    /// Within every limit, all the same.
    pub(crate) unprovoked: u64,
    pub(crate) failed: u64,
    pub(crate) reset: u64,
}

/// When each place that calls have taken is free again.
type Spans = HashMap<(usize, Option<ChatId>), VecDeque<Timestamp>>;

/// A platform with limits.
pub(crate) struct LimitedPlatform {
    inner: Arc<Loopback>,
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
    conduct: Conduct,
    limits: Vec<Published>,
    state: Mutex<(Spans, Met)>,
    /// When the front end begins to fail.
    fails_at: Timestamp,
}

impl LimitedPlatform {
    pub(crate) fn new(
        inner: Arc<Loopback>,
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
        conduct: Conduct,
    ) -> Self {
        let limits = limits(inner.capabilities().platform);
        let fails_at = clock.now().plus(SECOND * 3);
        Self {
            inner,
            clock,
            rng,
            conduct,
            limits,
            state: Mutex::default(),
            fails_at,
        }
    }

    pub(crate) fn met(&self) -> Met {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Counts a call. A refusal, or the wait after one that was the last of its kind.
    fn count(&self, call: &Call) -> Result<Option<Pause>, Refusal> {
        let now = self.clock.now();
        let kind = call.operation.kind();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (spans, met) = &mut *state;
        met.calls += 1;
        if self.conduct == Conduct::Dishonest && met.calls % 20 == 7 {
            met.unprovoked += 1;
            return Err(Refusal::new(RefusalCode::RateLimited, "too many calls"));
        }
        let concerned: Vec<_> = self
            .limits
            .iter()
            .enumerate()
            .filter(|(_, limit)| limit.kinds.is_empty() || limit.kinds.contains(&kind))
            .map(|(at, limit)| {
                let by_chat = matches!(limit.together, Together::Chat | Together::KindsInChat);
                ((at, by_chat.then(|| call.target.chat.clone())), limit)
            })
            .collect();
        for (key, limit) in &concerned {
            let span = spans.entry(key.clone()).or_default();
            while span.front().is_some_and(|free| *free <= now) {
                span.pop_front();
            }
            if span.len() >= limit.calls {
                met.refused += 1;
                let free = span.front().copied().unwrap_or(now);
                // In whole seconds, as most say it.
                let wait = Duration::from_secs(free.since(now).as_millis().div_ceil(1_000) as u64);
                return Err(Refusal {
                    retry_after: (self.conduct == Conduct::Honest).then_some(wait),
                    scope: limit.says,
                    ..Refusal::new(RefusalCode::RateLimited, "too many calls")
                });
            }
        }
        let mut pause = None;
        for (key, limit) in concerned {
            let span = spans.entry(key).or_default();
            let from = match limit.counting {
                Counting::Window => now,
                Counting::Bucket => span.back().copied().unwrap_or(now),
            };
            span.push_back(from.plus(limit.per));
            // Only Discord says so.
            if limit.says == LimitScope::RouteInChat && span.len() == limit.calls {
                let free = span.front().copied().unwrap_or(now);
                pause = Some(Pause {
                    scope: limit.says,
                    after: free.since(now),
                });
            }
        }
        Ok(pause)
    }

    /// Somewhere on the way: a fifth to four fifths of a tenth of a second.
    async fn travel(&self) {
        let way = Duration::from_millis(20 + self.rng.next() % 60);
        self.clock.sleep_until(self.clock.now().plus(way)).await;
    }

    /// The front end fails, and passes nothing on.
    fn is_failing(&self) -> bool {
        let now = self.clock.now();
        self.conduct == Conduct::Dishonest && now >= self.fails_at && now < self.fails_at.plus(MINUTE)
    }
}

#[async_trait]
impl ChannelAdapter for LimitedPlatform {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn rates(&self) -> Rates {
        rates(self.inner.capabilities().platform)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.inner.connect(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.travel().await;
        let limited = self.count(&call);
        let failing = self.is_failing();
        let answer = match limited {
            Err(refusal) => Err(refusal),
            Ok(_) if failing => Err(Refusal::new(RefusalCode::Transient, "503 Service Unavailable")),
            Ok(pause) => self.inner.perform(call).await.map(|ack| Ack { pause, ..ack }),
        };
        self.travel().await;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let met = &mut state.1;
        met.failed += u64::from(failing);
        if self.conduct == Conduct::Dishonest && met.calls.is_multiple_of(10) && answer.is_ok() {
            met.reset += 1;
            return Err(Refusal::new(RefusalCode::Transient, "connection reset").or_done());
        }
        answer
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.inner.fetch(chat, file, limit).await
    }
}
