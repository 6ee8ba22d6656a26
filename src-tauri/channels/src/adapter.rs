//! The seam between the pipeline and a platform.

use crate::{LimitScope, Pause, Rates, ThreadPart, ThreadQuery, Unreadable};
use async_trait::async_trait;
use foldback_wire::{
    Attachment, Capabilities, ChannelId, ChannelState, ChatId, Inbound, MessageId, Operation, Receipt,
    RefusalCode, Target, Timestamp,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// A message that came in, and who waits until it is in safe hands.
#[derive(Debug)]
pub struct Arrival {
    /// The message.
    pub message: Inbound,
    /// To be told once the message is durable; only then may it be confirmed to a platform that keeps it so
    /// long. Dropped untold, the platform delivers it again. `None` where the platform does not wait.
    pub kept: Option<oneshot::Sender<()>>,
}

impl Arrival {
    /// A message that the platform delivers once, whatever becomes of it.
    pub const fn new(message: Inbound) -> Self {
        Self { message, kept: None }
    }

    /// A message that the platform delivers until it is confirmed, and when it may be.
    pub fn until_kept(message: Inbound) -> (Self, oneshot::Receiver<()>) {
        let (kept, told) = oneshot::channel();
        let kept = Some(kept);
        (Self { message, kept }, told)
    }

    /// Whether its adapter has ended its wait: the platform delivers the message again.
    pub(crate) fn is_given_up(&self) -> bool {
        self.kept.as_ref().is_some_and(oneshot::Sender::is_closed)
    }
}

/// What an adapter tells the pipeline while it runs.
#[derive(Debug)]
pub enum Signal {
    /// A message came in.
    Message(Box<Arrival>),
    /// The connection changed. The adapter reports what it sees; only a person switches it off.
    State {
        /// The new state.
        state: ChannelState,
        /// Why, in words.
        why: String,
    },
    /// A message that was acknowledged did not arrive after all: a platform that delivers later says so later.
    Undelivered {
        /// The message, as it was acknowledged.
        message: MessageId,
        /// Why.
        refusal: Refusal,
        /// To be told once that is durable, like [`Arrival::kept`].
        kept: Option<oneshot::Sender<()>>,
    },
    /// A message that was acknowledged has come further. It may be told twice, in any order, and of messages that
    /// another program sent.
    Receipt {
        /// The message, as it was acknowledged.
        message: MessageId,
        /// How far it has come.
        receipt: Receipt,
        /// When, as the platform says.
        when: Timestamp,
        /// To be told once that is durable, like [`Arrival::kept`].
        kept: Option<oneshot::Sender<()>>,
    },
    /// The platform sent data that could not be read. It is passed over; what came with it is not.
    Unreadable(Unreadable),
}

/// What a platform tells of a message after it acknowledged it, on its way on.
#[derive(Debug)]
pub struct Late {
    /// The channel.
    pub channel: ChannelId,
    /// The message, as it was acknowledged.
    pub message: MessageId,
    /// What it tells.
    pub news: LateNews,
    /// To be told once that is durable. Dropped untold, the platform says it again.
    pub kept: Option<oneshot::Sender<()>>,
}

/// What became of a message after it was acknowledged.
#[derive(Debug)]
pub enum LateNews {
    /// It did not arrive: [`Signal::Undelivered`].
    Undelivered(Refusal),
    /// It has come further: [`Signal::Receipt`].
    Receipt {
        /// How far.
        receipt: Receipt,
        /// When, as the platform says.
        when: Timestamp,
    },
}

/// Where an adapter puts its signals. Bounded: an adapter waits when the pipeline cannot keep up.
pub type SignalSink = mpsc::Sender<Signal>;

/// An operation with what identifies it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Where it goes.
    pub target: Target,
    /// What to do.
    pub operation: Operation,
    /// The same key for every attempt of the same intent; sent where the platform has idempotency keys.
    pub key: String,
}

/// What a platform acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ack {
    /// The message it made, for operations that make one.
    pub message: Option<MessageId>,
    /// When the platform says that message was sent, by the clock that gives [`Inbound::at`] to messages of that chat;
    /// some tell whole seconds. `None` where it does not tell.
    #[serde(default)]
    pub sent_at: Option<Timestamp>,
    /// What else it made and has an id of its own, of which a platform may say later that it did not arrive: the
    /// caption sent after a file, a reaction where that is a message.
    #[serde(default)]
    pub also: Vec<MessageId>,
    /// The platform had it so already (an edit to the same text, a reaction that was there).
    pub unchanged: bool,
    /// Something was given up on the way, in words (a reply target that was refused, for example).
    pub warning: Option<String>,
    /// The platform wants no more calls like it for a while: this one was the last that it takes.
    #[serde(default)]
    pub pause: Option<Pause>,
    /// The name of the bucket in which the platform counts calls of its route, where it tells: routes of the same bucket
    /// share one limit.
    #[serde(default)]
    pub bucket: Option<String>,
    /// Calls that it took beyond the one, as a text that the platform could not read the markup of. The pace counts them.
    #[serde(default)]
    pub more_calls: u32,
}

/// How a platform refused. Typed, so that nobody matches on error texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{code}: {detail}")]
pub struct Refusal {
    /// Which kind.
    pub code: RefusalCode,
    /// What the platform said, in words, without secrets.
    pub detail: String,
    /// How long to wait, for `rate_limited`. Milliseconds in JSON.
    #[serde(rename = "retry_after_ms", with = "crate::millis")]
    pub retry_after: Option<Duration>,
    /// Which calls are to wait, for `rate_limited`.
    #[serde(default)]
    pub scope: LimitScope,
    /// As in [`Ack::bucket`].
    #[serde(default)]
    pub bucket: Option<String>,
    /// The call never left this machine: no name was found, no connection made. Never together with `maybe_done`.
    #[serde(default)]
    pub unsent: bool,
    /// Whether the platform may have done it all the same (a time-out, a connection lost after sending).
    pub maybe_done: bool,
    /// A front end answered in the platform's place, with 502, 503 or 504 and no word of the platform's own: it almost
    /// never has passed the call on. Only together with `maybe_done`.
    #[serde(default)]
    pub by_front_end: bool,
}

impl Refusal {
    /// A refusal that certainly changed nothing on the platform.
    pub fn new(code: RefusalCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            retry_after: None,
            scope: LimitScope::Unstated,
            bucket: None,
            unsent: false,
            maybe_done: false,
            by_front_end: false,
        }
    }

    /// What [`ChannelAdapter::fetch`] answers about a file without a handle: older journals have none, and some
    /// platforms none for some things.
    pub(crate) fn no_handle() -> Self {
        Self::new(
            RefusalCode::Unsupported,
            "the platform gave nothing to fetch it by",
        )
    }

    /// What [`ChannelAdapter::fetch`] answers about a file that is too large.
    pub(crate) fn too_large(limit: u64) -> Self {
        Self::new(RefusalCode::TooLong, format!("it has more than {limit} bytes"))
    }

    /// This refusal, of a call that never left this machine.
    #[must_use]
    pub(crate) fn never_sent(self) -> Self {
        Self {
            unsent: true,
            maybe_done: false,
            ..self
        }
    }

    /// The same, when nobody can know whether the platform did it.
    #[must_use]
    pub fn or_done(self) -> Self {
        Self {
            maybe_done: true,
            ..self
        }
    }
}

/// One channel's connection to its platform. Every implementation passes the contract suite.
#[async_trait]
pub trait ChannelAdapter: Send + Sync {
    /// What this channel can do. Constant while the adapter lives.
    fn capabilities(&self) -> &Capabilities;

    /// The rates that its calls are to keep. Constant while the adapter lives.
    fn rates(&self) -> Rates {
        Rates::NONE
    }

    /// Receives until `stop` is cancelled: connects, reports states and messages, reconnects by itself.
    /// Returns only when stopped or when trying again is senseless (bad credentials).
    async fn run(&self, sink: SignalSink, stop: CancellationToken) -> Result<(), Refusal>;

    /// Performs one operation. May be called while `run` is not running; does not retry.
    async fn perform(&self, call: Call) -> Result<Ack, Refusal>;

    /// Fetches a file that came with a message in `chat`. It has at most `limit` bytes: a longer one is refused as
    /// `too_long` as soon as that is known, whatever size was told, and no more of it is kept. A token goes only to
    /// the platform's own hosts, and no redirect is followed. Ends within a time of its own; changes nothing, so
    /// that it may be dropped at any point and called while `run` is not running. Does not retry.
    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal>;

    /// Reads the thread that a message stands in, as it was before that message. `None` where the platform has no call
    /// for it. Ends within a time of its own; changes nothing, so that it may be dropped at any point and called while
    /// `run` is not running. Does not retry, and calls nobody while a limit of its calls lasts.
    async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        // What is asked for makes no difference where nobody can be asked.
        let _ = query;
        Ok(None)
    }
}
