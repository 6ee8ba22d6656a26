//! A conversation in full: what counts in it, what was set, what waits, and what a new one keeps.

use super::SessionLine;
use crate::closed::closed_set;
use crate::{Actor, EffectiveSetting, KeptSetting, SessionId, SettingChange, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

/// Settings of a conversation that were changed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct OverrideChange {
    /// The event behind it.
    pub seq: u64,
    /// The time.
    pub at: Timestamp,
    /// The author.
    pub by: Actor,
    /// What changed; empty where the conversation began anew.
    pub changes: Vec<SettingChange>,
    /// What it kept, where it began anew; `None` for every other change.
    pub kept: Option<Vec<KeptSetting>>,
}

closed_set! {
    /// What a message waits for.
    pub enum MessageWait {
        Consent = "consent": "A person lets it go on: it waited over a stop for too long.",
        Summary = "summary": "The next run, whose agent is given a summary of it: too many waited.",
        Turn = "turn": "Its turn in the conversation, and a run.",
        Arrival = "arrival": "The message before it, which is being given to the agent.",
        Debounce = "debounce": "More of its sender.",
    }
}

/// A message that waits in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WaitingMessage {
    /// Its turn.
    pub turn: TurnId,
    /// The author, by the name they give themselves.
    pub sender: String,
    /// The beginning of its text.
    pub text: String,
    /// The time since which it waits.
    pub since: Timestamp,
    /// What it waits for.
    pub waits_for: MessageWait,
    /// True where it can be moved: it waits for its turn.
    pub movable: bool,
}

/// Tokens of a conversation since it began, as far as the backend tells them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS,
)]
pub struct SessionUsage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Answers and summaries that they were told of.
    pub counted: u64,
}

/// Answer of `session_detail`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionDetail {
    /// The conversation.
    pub line: SessionLine,
    /// The settings that count for its next message, each with the place its value comes from.
    pub settings: Vec<EffectiveSetting>,
    /// The latest changes of what is stored on it, the newest first; at most 50.
    pub history: Vec<OverrideChange>,
    /// What waits, in order.
    pub waiting: Vec<WaitingMessage>,
    /// Tokens.
    pub usage: SessionUsage,
    /// What is stored on it and a new one keeps (`session.carry_over`).
    pub keeps: Vec<KeptSetting>,
    /// What is stored on it and a new one clears.
    pub clears: Vec<KeptSetting>,
}

/// `session_reorder`: the order of what waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionReorder {
    /// The conversation.
    pub session: SessionId,
    /// The turns that wait, in their new order. One that does not wait any more is passed over; those that are not named
    /// come after them, in the order that they had.
    pub turns: Vec<TurnId>,
}
