//! The delivery ledger of a channel: what was intended, and what the platform acknowledged.

use super::LedgerEntry;
use crate::{ChannelId, ChatId, OpId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

/// `deliveries`: the ledger of a channel, or of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct BookOf {
    /// The channel; all of them when absent.
    pub channel: Option<ChannelId>,
    /// Most lines of each part, at most a hundred.
    pub limit: u32,
}

/// Answer of `deliveries`. Typing is left out: it comes and goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Book {
    /// Without an outcome, the oldest first.
    pub open: Vec<BookLine>,
    /// Their number.
    pub open_total: u32,
    /// Failed, or with an unknown outcome, and not done: nothing is sent of them any more by itself. The latest first.
    pub dead: Vec<BookLine>,
    /// The number of them among the outcomes looked at.
    pub dead_total: u32,
    /// Dead letters about which nothing is left to do: a person sent them again, or what they were to show went out with
    /// a later text. The latest first.
    pub done: Vec<BookLine>,
    /// The number of them among the outcomes looked at.
    pub done_total: u32,
    /// The filter that shows all dead letters, those that are done included.
    pub dead_filter: String,
    /// Everything else that ended, the latest first. What was acknowledged and did not arrive after all stands among
    /// the dead ones only.
    pub settled: Vec<BookLine>,
    /// The number of outcomes of that kind among those looked at, acknowledgements of what did not arrive included.
    pub settled_total: u32,
    /// The filter that shows them.
    pub settled_filter: String,
}

/// An operation in the ledger of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct BookLine {
    /// The channel.
    pub channel: ChannelId,
    /// The chat.
    pub chat: ChatId,
    /// The turn.
    pub turn: TurnId,
    /// The time at which it was intended.
    pub at: Timestamp,
    /// The operation and its outcome.
    pub entry: LedgerEntry,
    /// True where a person may send it again.
    pub can_resend: bool,
    /// The turn that sent it again.
    pub resent: Option<TurnId>,
    /// The turn that is to send it again, while it waits in the queue of its conversation.
    pub resend_waits: Option<TurnId>,
}

/// `resend`: a person sends a dead letter again, as a turn of its own; once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Resend {
    /// The turn it belonged to.
    pub turn: TurnId,
    /// The operation that failed, or whose outcome is unknown.
    pub op: OpId,
}
