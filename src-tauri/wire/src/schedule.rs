//! Schedules: what a clock begins, and what came of it.

use crate::{Actor, ChannelId, ChatId, Terminal, Timestamp, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

/// A schedule came due, or a person began it: the turn is its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ScheduleDue {
    /// Its name in the configuration.
    pub schedule: String,
    /// The time at which it was due, the latest where several were missed; now where a person began it.
    pub due: Timestamp,
    /// True where it could not begin in time: the bot or the channel was off, or the machine slept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Earlier times that this run stands for, too; at most 1,000 are counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u32,
    /// True for a heartbeat, whose acknowledgement is dropped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heartbeat: bool,
    /// The model that it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<String>,
    /// The author: the configuration, or a person who began it now.
    pub by: Actor,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

closed_set! {
    /// The reason for which a schedule that was due did not run.
    pub enum ScheduleSkip {
        NoTask = "no_task": "The heartbeat's file holds no task.",
        StillRunning = "still_running": "Its earlier run has not ended.",
        Unreadable = "unreadable": "Its prompt cannot be read.",
        NoPrompt = "no_prompt": "The file of its prompt is empty.",
    }
}

/// A schedule was due and did not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ScheduleSkipped {
    /// Its name in the configuration.
    pub schedule: String,
    /// The time at which it was due.
    pub due: Timestamp,
    /// The reason.
    pub reason: ScheduleSkip,
    /// The reason in words.
    pub detail: String,
}

/// The configuration has a schedule with these times from here on; none where it has it no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ScheduleSet {
    /// Its name.
    pub schedule: String,
    /// Its times, such as `cron 0 9 * * * Europe/Berlin`.
    pub times: Option<String>,
}

/// A person paused a schedule, or let it go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SchedulePaused {
    /// Its name.
    pub schedule: String,
    /// True where it does not run from here on.
    pub paused: bool,
    /// The author.
    pub by: Actor,
}

/// The latest run of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ScheduleRun {
    /// Its turn.
    pub turn: TurnId,
    /// When it began.
    pub at: Timestamp,
    /// What began it.
    pub due: ScheduleDue,
    /// Its end; none while it runs.
    pub terminal: Option<Terminal>,
    /// The beginning of what its chat got of the answer; empty where nothing arrived there.
    pub said: String,
}

/// A schedule, what comes next and what it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ScheduleLine {
    /// Its name in the configuration.
    pub name: String,
    /// Its times, such as `cron 0 9 * * * Europe/Berlin`.
    pub times: String,
    /// The channel that it runs on.
    pub channel: ChannelId,
    /// The chat that its answer goes to.
    pub chat: ChatId,
    /// True for a heartbeat.
    pub heartbeat: bool,
    /// True where a person paused it.
    pub paused: bool,
    /// True where the channel is off: it runs once, late, when the channel is on again. Not known while no bot runs.
    pub channel_off: bool,
    /// The next time; none where there is none, or it is paused. A time that is over is made up for.
    pub next: Option<Timestamp>,
    /// The latest run; none where it never ran.
    pub last: Option<ScheduleRun>,
    /// What was due after that run and did not run.
    pub skipped: Option<ScheduleSkipped>,
}
