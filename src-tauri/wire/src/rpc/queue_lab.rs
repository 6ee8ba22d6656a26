//! The queue lab: messages on a virtual clock, and what the queue makes of them.

use crate::{Terminal, TurnId, UserId};
use serde::{Deserialize, Serialize};

/// A message of the queue lab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct QueueLabMessage {
    /// When it comes, in milliseconds from the beginning; at most an hour.
    pub at_ms: u32,
    /// The text; directives and commands in it count.
    pub text: String,
    /// The sender's id; the same one for all when absent.
    #[serde(default)]
    #[ts(optional)]
    pub sender: Option<UserId>,
}

/// `queue_lab`: send these messages into one conversation on a virtual clock. Settings that are left out have their
/// defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(optional_fields)]
pub struct QueueLab {
    /// The mode, such as `collect`.
    #[serde(default)]
    pub mode: Option<String>,
    /// Most messages that wait, from 1.
    #[serde(default)]
    pub cap: Option<u32>,
    /// The message that goes where more come: `old`, `new` or `summarize`.
    #[serde(default)]
    pub drop: Option<String>,
    /// How long it must be quiet before what was collected runs, in milliseconds.
    #[serde(default)]
    pub debounce_ms: Option<u32>,
    /// How long a message waits for more of its sender before it comes into the queue (`channels.NAME.debounce`), in
    /// milliseconds; at most a minute.
    #[serde(default)]
    pub channel_debounce_ms: Option<u32>,
    /// How long the agent takes for each answer, in milliseconds.
    pub run_ms: u32,
    /// The messages, at most 100.
    pub messages: Vec<QueueLabMessage>,
}

/// Something that happened to a message of the queue lab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct QueueLabStep {
    /// When, in milliseconds from the beginning.
    pub at_ms: u64,
    /// The kind of its event, such as `queued`.
    pub kind: String,
    /// What happened, in words.
    pub text: String,
}

/// A message of the queue lab with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct QueueLabTurn {
    /// Its turn.
    pub turn: TurnId,
    /// Its text.
    pub text: String,
    /// Its sender's id.
    pub sender: UserId,
    /// When it came, in milliseconds from the beginning.
    pub came_ms: u64,
    /// When its run began and ended; `None` where it has none of its own.
    pub ran_ms: Option<(u64, u64)>,
    /// When it ended.
    pub ended_ms: Option<u64>,
    /// How it ended.
    pub terminal: Option<Terminal>,
    /// The prompt of its run.
    pub prompt: Option<String>,
    /// What happened to it in the queue, in order.
    pub steps: Vec<QueueLabStep>,
}

/// Answer of `queue_lab`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct QueueLabResult {
    /// The messages, in the order in which they came.
    pub turns: Vec<QueueLabTurn>,
    /// When all was over, in milliseconds from the beginning.
    pub lasted_ms: u64,
}
