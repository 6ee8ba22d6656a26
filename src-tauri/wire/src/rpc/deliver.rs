//! Delivery requests from outside, and chats that take nothing more.

use crate::{
    ChannelId, ChatId, DeadTarget, DeliveryRefused, DeliveryRequestId, ThreadId, Timestamp, TurnId, UserId,
};
use serde::{Deserialize, Serialize};

/// `deliver`: a request, in any of the shapes of docs/delivery-turns.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DeliveryCall {
    /// The request.
    #[ts(type = "unknown")]
    pub request: serde_json::Value,
}

/// What came of a delivery request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum DeliveryAnswer {
    /// The journal has it, and it has a turn.
    Accepted {
        /// Its id: the one it came with, or a new one.
        id: DeliveryRequestId,
        /// Its turn.
        turn: TurnId,
        /// True where it was accepted before: nothing new was begun.
        before: bool,
    },
    /// It is not delivered.
    Refused(DeliveryRefused),
}

/// A chat or thread that takes nothing more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct DeadTargetRef {
    /// The channel.
    pub channel: ChannelId,
    /// The chat.
    pub chat: ChatId,
    /// The thread, where only that is dead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thread: Option<ThreadId>,
}

/// Deliveries to the agent as they stand: the chats that take nothing more, and how much of the budgets is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DeliveryState {
    /// The chats that their platforms take nothing more for, by channel and chat.
    pub dead: Vec<DeadTarget>,
    /// Milliseconds for which a delivery counts in the budgets (`deliveries.window`).
    pub window_ms: u64,
    /// The budget of all (`deliveries.total`).
    pub total: BudgetUse,
    /// Those of single people, the fullest first, at most 100. Whoever had no delivery of late has no entry.
    pub requesters: Vec<RequesterBudget>,
}

/// The use of one budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct BudgetUse {
    /// Deliveries that count.
    pub used: u32,
    /// Most of them; more are refused.
    pub limit: u32,
    /// The time at which the oldest of them counts no more; none where none counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub next_free: Option<Timestamp>,
}

/// The budget of one person on one channel (`deliveries.per_requester`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RequesterBudget {
    /// The channel.
    pub channel: ChannelId,
    /// The person.
    pub requester: UserId,
    /// The person's name, as the last delivery has it.
    pub name: String,
    /// The use.
    pub budget: BudgetUse,
}

/// An order about deliveries, from another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum DeliveryOrder {
    /// To deliver.
    Deliver(DeliveryCall),
    /// To see the chats that take nothing more.
    DeadTargets,
    /// To accept deliveries to one of them again.
    Revive(DeadTargetRef),
}
