//! Pairing: who asked to talk to the bot, whom an operator let in.

use crate::{Actor, ChannelId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// Somebody who waits for an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PairingRequest {
    /// On which channel they wrote.
    pub channel: ChannelId,
    /// The person; the platform's id.
    pub sender: UserId,
    /// The name that they give themselves. People choose that.
    pub name: String,
    /// The code they were given.
    pub code: String,
    /// The time since which they wait.
    pub since: Timestamp,
    /// The time until which the code is valid.
    pub until: Timestamp,
}

/// A request that gave way to a newer one: it left the list, but its code is good until its time is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReplacedRequest {
    /// The request as it was made.
    pub request: PairingRequest,
    /// The sender of the newer request.
    pub by: UserId,
    /// The time at which it gave way.
    pub at: Timestamp,
}

/// Somebody an operator let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Approval {
    /// On which channel.
    pub channel: ChannelId,
    /// The person; the platform's id.
    pub sender: UserId,
    /// The name that they gave themselves when they asked.
    pub name: String,
    /// The operator who let them in.
    pub by: Actor,
    /// The time.
    pub at: Timestamp,
    /// True where it counts: only while the channel's `dm_policy` is `pairing`.
    pub in_force: bool,
}

/// The people who wait, and those who were let in; answer of `pairings` and of every command that changes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Pairings {
    /// The channels whose `dm_policy` is `pairing`.
    pub channels: Vec<ChannelId>,
    /// The people who wait, in the order in which they asked.
    pub pending: Vec<PairingRequest>,
    /// Whose request gave way to a newer one, in the order in which they asked.
    #[serde(default)]
    pub replaced: Vec<ReplacedRequest>,
    /// The people who were let in, by channel and id.
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
