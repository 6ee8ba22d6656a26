//! What an adapter tells the pipeline while it is connected.

use crate::Refusal;
use foldback_wire::{ChannelId, ChannelState, Inbound, MessageId, Receipt, Timestamp};
use tokio::sync::{mpsc, oneshot};

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
    /// A person should know this, in words. The state of the connection stays as it is.
    Warned(String),
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

/// Data of a platform that an adapter could not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Part of the platform's interface, such as `message` or `gateway payload`.
    pub part: &'static str,
    /// The reason, in words; it quotes nothing of the data.
    pub error: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its beginning, at most 4 KiB; bytes that are no text are replaced.
    pub raw: String,
}
