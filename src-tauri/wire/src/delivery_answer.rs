//! The fate of a delivery request before it has a turn, and chats that take nothing more.

use crate::{
    ChannelId, ChatId, DeliveryRequestId, RefusalCode, Target, Timestamp, TurnId, closed::closed_set,
};
use serde::{Deserialize, Serialize};

closed_set! {
    /// The reason for which a delivery request was not accepted.
    pub enum DeliveryRefusal {
        Invalid = "invalid": "Something in it cannot be.",
        ReservedId = "reserved_id": "Its id is one that the bot gives to what its own actions and reminders produce.",
        UnknownChannel = "unknown_channel": "There is no such channel.",
        DeadTarget = "dead_target": "The platform takes nothing more for its chat.",
        DepthLimit = "depth_limit": "As many delivery turns as may follow one message have followed it.",
        RequesterBudget = "requester_budget": "Its requester had as many deliveries as one person may have.",
        TotalBudget = "total_budget": "There were as many deliveries as there may be.",
    }
}

/// A delivery request that was not accepted. The agent never sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DeliveryRefused {
    /// The request.
    pub id: DeliveryRequestId,
    /// The chat that its answer would have gone to.
    pub chat: ChatId,
    /// The reason.
    pub reason: DeliveryRefusal,
    /// The reason in words.
    pub detail: String,
}

/// A delivery request that was accepted: it has a turn, which the journal keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DeliveryAccepted {
    /// The request.
    pub id: DeliveryRequestId,
    /// Its turn.
    pub turn: TurnId,
}

/// A chat that its platform takes nothing more for. Deliveries to it are refused without a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DeadTarget {
    /// The channel.
    pub channel: ChannelId,
    /// The chat.
    pub target: Target,
    /// The kind of the platform's refusal.
    pub refusal: RefusalCode,
    /// The platform's reason, in words.
    pub detail: String,
    /// The time of the refusal.
    pub since: Timestamp,
    /// Delivery requests for it that were refused since this process started.
    #[serde(default)]
    pub refused: u64,
}
