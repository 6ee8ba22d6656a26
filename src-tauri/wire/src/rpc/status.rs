//! The top bar's figures.

use super::DemoState;
use crate::{ChannelId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

/// The top bar's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Status {
    /// Name of the workspace.
    pub workspace: String,
    /// The configuration's file, an absolute path; `None` for the built-in configuration.
    pub configuration: Option<String>,
    /// True where all of it comes from files that were opened: nothing happens any more, and nothing can be sent.
    pub replayed: bool,
    /// The backends that answer, with the program or model of each, in words.
    pub agents: String,
    /// Version of Foldback.
    pub version: String,
    /// Channels that send for real.
    pub armed: Vec<ChannelId>,
    /// Channels in all.
    pub channels: u32,
    /// True where all outbound is muted.
    pub muted: bool,
    /// Events journalled in the last second.
    pub events_per_second: u32,
    /// Events live views could not show.
    pub dropped: u64,
    /// 95th percentile of the last 200 turns, from message to last outcome; `None` before the first.
    pub p95_turn_ms: Option<u64>,
    /// Turns running now.
    pub running: u32,
    /// Operations waiting in the outbox.
    pub waiting: u32,
    /// Operations whose outcome is unknown and which nobody has looked at.
    pub unknown: u32,
    /// The turns of those operations.
    pub unknown_turns: Vec<TurnId>,
    /// Times a byte of a directive reached a channel.
    pub leaks: u32,
    /// Stretches of answers that were masked as secrets.
    pub masked: u32,
    /// Planned faults that may still hit something.
    pub faults: u32,
    /// The time since which everything here and on the cards of the channels is counted: the start of the process.
    pub since: Timestamp,
    /// Last place of the journal.
    pub head: u64,
    /// The reason for which the journal takes nothing more, in words, once the disk has refused for good: what happens
    /// from then on is not journalled, and nothing is sent. `None` while all is well.
    pub stopped: Option<String>,
    /// The demo; `None` where a configuration has channels of its own.
    pub demo: Option<DemoState>,
}
