//! Workspaces: files that are opened beside the live bot, each with a journal of its own, and links to a moment.

use crate::TurnId;
use serde::{Deserialize, Serialize};

/// The source of a workspace of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum WorkspaceSource {
    /// Recordings, fixtures, logs and exports, or folders of them; together they become one workspace.
    Files {
        /// Their paths; `~/` at the beginning is the person's folder.
        paths: Vec<String>,
        /// The bot among the people of an export, by id or name, where the format does not say.
        bot: Option<String>,
    },
    /// A run of a fixture on one channel.
    Case {
        /// Path below the fixtures folder.
        path: String,
        /// The channel.
        channel: String,
    },
}

/// `workspace_open`: opens files in a workspace of their own. The live bot goes on and its journal is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WorkspaceOpen {
    /// The source.
    pub source: WorkspaceSource,
}

/// A file that came with the program, to be opened as an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ExampleFile {
    /// Its name.
    pub name: String,
    /// Its path, to be opened.
    pub path: String,
}

/// `workspace_close`: closes a workspace and forgets its journal; the file stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WorkspaceClose {
    /// The workspace.
    pub workspace: u32,
}

/// An open workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Workspace {
    /// Its number, from 1; 0 is the live bot.
    pub workspace: u32,
    /// Its name in the window: the name of the file.
    pub name: String,
    /// The source that it was opened from.
    pub source: WorkspaceSource,
    /// Turns in it.
    pub turns: u32,
    /// Events in it.
    pub events: u64,
    /// The files that were read.
    pub files: Vec<OpenedFile>,
    /// Files that were not read while others were, a sentence each.
    pub refused: Vec<String>,
}

/// A file in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct OpenedFile {
    /// Its path.
    pub path: String,
    /// The code of its format, such as `lettabot_turns`; `fixture` for a fixture.
    pub format: String,
    /// The common name of the format.
    pub format_name: String,
    /// Its content in words, such as `raw output`.
    pub holds: String,
    /// Conversations.
    pub conversations: u32,
    /// Turns with raw output.
    pub turns: u32,
    /// Messages as the chat saw them.
    pub messages: u32,
    /// Entries of a log without texts.
    pub log_lines: u32,
    /// The parts that the format does not hold, a sentence each.
    pub losses: Vec<String>,
    /// Notes about this file, a sentence each.
    pub notes: Vec<String>,
    /// Entries of a known type that are no part of a conversation, by type.
    pub left_out: Vec<EntryCount>,
    /// Entries of an unknown type, by type; nothing of them is guessed.
    pub unknown: Vec<EntryCount>,
    /// Places that could not be read, the first ones.
    pub damaged: Vec<DamagedPlace>,
    /// The number of places that could not be read.
    pub damaged_places: u64,
    /// The markup that a bot without a scanner would have shown of it; `None` where it holds no raw output.
    pub leaks: Option<WouldBeLeaks>,
}

/// Entries of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct EntryCount {
    /// The type, as the file names it.
    pub name: String,
    /// Their number.
    pub count: u64,
}

/// A place of a file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DamagedPlace {
    /// The line, from 1.
    pub line: u64,
    /// The byte, from 0.
    pub offset: u64,
    /// The mistake in it, one sentence.
    pub about: String,
}

/// Bytes of directives, markers and scaffolding that a bot without a scanner would have shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WouldBeLeaks {
    /// Turns with raw output.
    pub turns: u32,
    /// Turns of which something would have leaked.
    pub leaking_turns: u32,
    /// Bytes that would have leaked.
    pub bytes: u64,
    /// Findings of lint.
    pub findings: u32,
    /// The turns that would have leaked or of which there is a finding, the first ones.
    pub found: Vec<LeakingTurn>,
}

/// A turn that would have leaked, or of which there is a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LeakingTurn {
    /// Its number in the workspace; `None` where it was not played.
    pub turn: Option<TurnId>,
    /// The conversation's id in the file.
    pub conversation: String,
    /// Bytes that would have leaked.
    pub bytes: u64,
    /// Codes of what they are and of the findings, in order.
    pub codes: Vec<String>,
}

/// A link as text: what `link_read` reads and `link_write` writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LinkText {
    /// The link, such as `foldback://turn/10@+631ms`.
    pub link: String,
}

/// The target of a link: a turn, maybe at a moment, maybe of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct TurnLink {
    /// The turn.
    pub turn: TurnId,
    /// Milliseconds since the turn began; `None` for its end.
    pub at_ms: Option<u64>,
    /// The file whose turn it is; `None` for the live bot.
    pub file: Option<String>,
}
