//! Delivery requests from outside, and chats that take nothing more.

use crate::{ChannelId, ChatId, DeliveryRefused, DeliveryRequestId, ThreadId, TurnId};
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
