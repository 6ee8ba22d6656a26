//! The seam between the pipeline and a platform.

use crate::{Connection, ConnectionEnd, Pause, Rates, Refusal, ThreadPart, ThreadQuery};
use async_trait::async_trait;
use foldback_wire::{Attachment, Capabilities, ChatId, MessageId, Operation, Target, Timestamp};
use serde::{Deserialize, Serialize};

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
    /// When the platform says that message was sent, by the clock that gives [`foldback_wire::Inbound::at`] to messages of
    /// that chat; some tell whole seconds. `None` where it does not tell.
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

/// One channel's way to its platform. Every implementation passes the contract suite.
#[async_trait]
pub trait ChannelAdapter: Send + Sync {
    /// What this channel can do. Constant while the adapter lives.
    fn capabilities(&self) -> &Capabilities;

    /// The rates that its calls are to keep. Constant while the adapter lives.
    fn rates(&self) -> Rates {
        Rates::NONE
    }

    /// Makes one attempt: connects, reports states and messages through `connection`, and returns once that connection is
    /// over, with the reason. Who calls it ([`crate::stay_connected`]) reports the end, waits and calls it again; there is
    /// one attempt at a time. Where the channel stops, or nobody takes its signals any more, the attempt is dropped at
    /// whichever point it waits: what must not be lost then belongs into the adapter, and [`Self::disconnect`] sees to it.
    async fn connect(&self, connection: &Connection) -> ConnectionEnd;

    /// Parts from the platform after the last attempt has returned or was dropped. What it still hands over through
    /// `connection` is taken for a few seconds.
    async fn disconnect(&self, connection: &Connection) {
        let _ = connection;
    }

    /// Performs one operation. May be called while the adapter is not connected; does not retry.
    async fn perform(&self, call: Call) -> Result<Ack, Refusal>;

    /// Fetches a file that came with a message in `chat`. It has at most `limit` bytes: a longer one is refused as
    /// `too_long` as soon as that is known, whatever size was told, and no more of it is kept. A token goes only to
    /// the platform's own hosts, and no redirect is followed. Ends within a time of its own; changes nothing, so
    /// that it may be dropped at any point and called while the adapter is not connected. Does not retry.
    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal>;

    /// Reads the thread that a message stands in, as it was before that message. `None` where the platform has no call
    /// for it. Ends within a time of its own; changes nothing, so that it may be dropped at any point and called while
    /// the adapter is not connected. Does not retry, and calls nobody while a limit of its calls lasts.
    async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        // What is asked for makes no difference where nobody can be asked.
        let _ = query;
        Ok(None)
    }
}
