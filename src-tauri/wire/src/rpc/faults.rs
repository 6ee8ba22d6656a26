//! The fault deck: what a person plans to go wrong, on a channel or with an agent.

use crate::{ChannelId, DeckFault, Fault, OpId};
use serde::{Deserialize, Serialize};

/// The place where something goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum FaultPlace {
    /// Calls to a platform.
    Channel {
        /// The channel.
        channel: ChannelId,
    },
    /// Runs of an agent.
    Agent {
        /// Its backend, such as `openai`.
        agent: String,
    },
}

/// A planned fault, for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PlannedFault {
    /// The fault, and what came of it.
    pub planned: DeckFault,
    /// The fault in words.
    pub about: String,
    /// True where it has hit all that it was planned for.
    pub spent: bool,
}

/// The planned faults of one place; answer of `faults` is a list of them, channels first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FaultDeck {
    /// The channel or the agent.
    pub place: FaultPlace,
    /// Oldest first.
    pub planned: Vec<PlannedFault>,
}

/// `fault_plan`: let something go wrong from now on. A deck is kept in memory: a restart empties it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FaultPlan {
    /// The channel or the agent.
    pub place: FaultPlace,
    /// The fault: of calls for a channel, of runs for an agent.
    pub fault: Fault,
}

/// `fault_remove`: a planned fault is to hit no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FaultRemove {
    /// Its number.
    pub number: u64,
}

/// A planned fault that hit a turn: a mark on its timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FaultMark {
    /// The event.
    pub seq: u64,
    /// Milliseconds since the turn began.
    pub at_ms: u64,
    /// The number it was planned under.
    pub number: u64,
    /// The operation, for a fault of a call.
    pub op: Option<OpId>,
    /// The fault in words.
    pub about: String,
}
