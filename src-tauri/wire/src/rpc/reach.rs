//! The reach of a channel once it is armed: which chats, at what rate, and what waits.

use crate::{ChannelId, ChatId, ChatType, OpId, OpKind, Timestamp, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// The fate of a waiting operation when its channel is armed.
    pub enum WaitingFate {
        Sends = "sends": "It goes out as soon as the channel is open.",
        Asks = "asks": "It waited too long: a person is asked first.",
        Stays = "stays": "It is about a test, and reaches no platform.",
    }
}

/// `channel_reach`: whom a channel would reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReachOf {
    /// The channel.
    pub channel: ChannelId,
}

/// Answer of `channel_reach`: everything in it was counted in the journal and the outbox. The chat of Compose is
/// no chat: no platform knows it. Its turns count among the rates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChannelReach {
    /// The channel.
    pub channel: ChannelId,
    /// The chats that wrote there, the latest first, at most fifty.
    pub chats: Vec<ReachedChat>,
    /// The number of chats.
    pub chats_total: u32,
    /// The number of them that were answered.
    pub answered_total: u32,
    /// Messages that were looked at: the latest twenty thousand.
    pub messages: u64,
    /// The time at which the first of them came; `None` when there are none.
    pub since: Option<Timestamp>,
    /// The traffic of late, the shortest time first.
    pub rates: Vec<ReachRate>,
    /// The operations that wait in the outbox, oldest first, at most fifty.
    pub waiting: Vec<WaitingOperation>,
    /// The number of operations that wait.
    pub waiting_total: u32,
    /// The number of them that go out as soon as the channel is armed and open.
    pub sends_total: u32,
}

/// A chat that wrote on a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReachedChat {
    /// The chat.
    pub chat: ChatId,
    /// Direct or group.
    pub chat_type: ChatType,
    /// The one who wrote last.
    pub name: String,
    /// The number of people who wrote.
    pub people: u32,
    /// Messages that came from it.
    pub messages: u64,
    /// Messages of it that a gate turned away: nothing answers them.
    pub stopped: u64,
    /// The time at which the latest came.
    pub last_at: Timestamp,
    /// Its beginning, on one line.
    pub last_text: String,
    /// Its turn.
    pub last_turn: Option<TurnId>,
}

/// The traffic of the last hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReachRate {
    /// The number of hours back.
    pub hours: u32,
    /// Turns that began.
    pub turns: u64,
    /// The filter that shows them.
    pub turns_filter: String,
    /// Messages, files and voice notes that were sent, or would have been but for the dry run.
    pub sent: u64,
    /// The filter that shows them.
    pub sent_filter: String,
}

/// An operation in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WaitingOperation {
    /// The operation.
    pub op: OpId,
    /// Its turn.
    pub turn: TurnId,
    /// Its kind.
    pub kind: OpKind,
    /// The chat.
    pub chat: ChatId,
    /// Its text or name, on one line.
    pub about: String,
    /// The time at which it was intended.
    pub at: Timestamp,
    /// Its fate.
    pub fate: WaitingFate,
}
