//! Pairing: who asked to talk to the bot, whom an operator let in.

use crate::{Actor, ChannelId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// Somebody who waits for an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PairingRequest {
    /// On which channel they wrote.
    pub channel: ChannelId,
    /// Who; the platform's id.
    pub sender: UserId,
    /// What they call themselves. People choose that.
    pub name: String,
    /// The code they were given.
    pub code: String,
    /// Since when they wait.
    pub since: Timestamp,
    /// Until when the code is valid.
    pub until: Timestamp,
}

/// A request that gave way to a newer one: it left the list, but its code is good until its time is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReplacedRequest {
    /// The request as it was made.
    pub request: PairingRequest,
    /// The sender of the newer request.
    pub by: UserId,
    /// When it gave way.
    pub at: Timestamp,
}

/// Somebody an operator let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Approval {
    /// On which channel.
    pub channel: ChannelId,
    /// Who; the platform's id.
    pub sender: UserId,
    /// What they called themselves when they asked.
    pub name: String,
    /// Who let them in.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// Whether it counts: only while the channel's `dm_policy` is `pairing`.
    pub in_force: bool,
}

/// Who waits and who was let in; answer of `pairings` and of every command that changes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Pairings {
    /// The channels whose `dm_policy` is `pairing`.
    pub channels: Vec<ChannelId>,
    /// Who waits, in the order in which they asked.
    pub pending: Vec<PairingRequest>,
    /// Whose request gave way to a newer one, in the order in which they asked.
    #[serde(default)]
    pub replaced: Vec<ReplacedRequest>,
    /// Who was let in, by channel and id.
    pub approved: Vec<Approval>,
}

/// `pairing_approve` and `pairing_refuse`: decide about a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PairingCode {
    /// Its code, in capitals or not.
    pub code: String,
}

/// `pairing_revoke`: take an approval back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PairingRevoke {
    /// On which channel.
    pub channel: ChannelId,
    /// Whose.
    pub sender: UserId,
}
