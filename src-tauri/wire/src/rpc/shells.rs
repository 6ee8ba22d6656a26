//! Shells that are kept for owners between commands, as the window shows them.

use crate::{SessionId, Timestamp, TurnId, UserId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// The state of a shell.
    pub enum ShellState {
        Idle = "idle": "It waits for a command.",
        Running = "running": "A command runs in it.",
        Ended = "ended": "It has ended, with everything that it started.",
    }
}

/// A shell on a terminal, which is kept for an owner in a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ShellLine {
    /// Its number, from 1, for as long as the process lives.
    pub number: u32,
    /// The owner of the bot at whose word its commands run.
    pub owner: UserId,
    /// The conversation that it is kept for.
    pub session: SessionId,
    /// The time at which it began.
    pub started: Timestamp,
    /// Its state.
    pub state: ShellState,
    /// The reason for its end, in words; `None` while it goes on.
    pub why_ended: Option<String>,
    /// Its last commands, at most 50, the oldest first.
    pub commands: Vec<ShellCommand>,
    /// Commands before those.
    pub earlier: u32,
    /// Grows with every change of the shell, its screen included.
    pub revision: u64,
}

/// A command of a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ShellCommand {
    /// The turn whose answer asked for it.
    pub turn: TurnId,
    /// The command, masked; its beginning, with `…`, where it is longer than 1 KiB.
    pub command: String,
    /// The time at which it began.
    pub started: Timestamp,
    /// The time at which it ended; `None` while it runs.
    pub ended: Option<Timestamp>,
    /// Its exit status, where it ended with one.
    pub exit: Option<i32>,
    /// The way in which it ended, in words, where the exit status does not say it.
    pub note: Option<String>,
}

/// The screen of a shell, with the lines that have left it at the top.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ShellScreen {
    /// The shell.
    pub number: u32,
    /// Its revision, as it was then.
    pub revision: u64,
    /// Columns of a line.
    pub columns: u32,
    /// The lines, at most 440, without the empty ones at the end.
    pub lines: Vec<Vec<ScreenRun>>,
}

/// Text of one line in one style.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ScreenRun {
    /// The text, masked.
    pub text: String,
    /// Its colour: `0` to `15` of the terminal's own, or `#rrggbb`; the default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub colour: Option<String>,
    /// The colour behind it, alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub background: Option<String>,
    /// True for bold text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub bold: bool,
    /// True for dim text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub dim: bool,
    /// True for italic text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub italic: bool,
    /// True for underlined text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub underline: bool,
    /// True where both colours change places.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub inverse: bool,
}

/// One shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ShellRef {
    /// Its number.
    pub number: u32,
}
