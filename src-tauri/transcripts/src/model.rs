//! The one model that every format is read into.

use crate::{Damage, FormatContent, TranscriptFormat};
use foldback_wire::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// A file, read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transcript {
    /// What the file was recognised as.
    pub format: TranscriptFormat,
    /// Conversations in the order of their first entry.
    pub conversations: Vec<Conversation>,
    /// Entries of a log without texts: deliveries, jobs, errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogEntry>,
    /// Names that a file of a Slack export brings for the other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<SlackNames>,
    /// What the format does not hold, a sentence each.
    pub losses: &'static [&'static str],
    /// What a person should know about this file, a sentence each.
    pub notes: Vec<String>,
    /// Entries of a known type that are no part of a conversation, counted by type.
    pub aside: BTreeMap<String, u64>,
    /// Entries of an unknown type, counted by type; nothing of them is guessed.
    pub unknown: BTreeMap<String, u64>,
    /// Places that cannot be read, up to the limit.
    pub damaged: Vec<Damage>,
    /// How many places cannot be read.
    pub damaged_places: u64,
}

impl Transcript {
    /// Whether nothing was found in it, not even something unknown or damaged.
    pub fn is_empty(&self) -> bool {
        self.conversations.is_empty()
            && self.log.is_empty()
            && self.names.is_none()
            && self.aside.is_empty()
            && self.unknown.is_empty()
            && self.damaged_places == 0
            && self.format != TranscriptFormat::Recording
    }

    /// How many turns it has.
    pub fn turns(&self) -> usize {
        self.conversations.iter().map(|one| one.turns.len()).sum()
    }

    /// How many delivered messages it has, those beside raw output included.
    pub fn messages(&self) -> usize {
        let beside = |turn: &TranscriptTurn| {
            let delivered = |part: &&TurnPart| matches!(part, TurnPart::Delivered { .. });
            turn.parts.iter().filter(delivered).count()
        };
        let of = |one: &Conversation| one.messages.len() + one.turns.iter().map(beside).sum::<usize>();
        self.conversations.iter().map(of).sum()
    }

    /// Whether its format holds raw output.
    pub fn is_raw(&self) -> bool {
        self.format.row().content == FormatContent::Raw
    }
}

/// A conversation: turns with raw output, or delivered messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// Its name in the file: a session, a chat, a job, or one that is made up.
    pub id: String,
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it took place, where the file says it of the whole conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<ChatPlace>,
    /// Turns with raw output, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TranscriptTurn>,
    /// Delivered messages, in their order, where the file holds no raw output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<DeliveredMessage>,
}

/// A place where people talk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ChatPlace {
    /// The platform in lower case, such as `telegram`; also one that Foldback has no adapter for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The platform's id of the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<String>,
    /// The thread in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Several people talk there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub group: bool,
}

/// Someone who wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Person {
    /// The platform's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What began a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnTrigger {
    /// A person wrote.
    Message,
    /// The clock asked whether there is anything to do.
    Heartbeat,
    /// A schedule was due.
    Schedule,
    /// A program put something in: a hook, a finished job, a web call.
    Injected,
    /// The file does not say.
    Unknown,
}

/// A turn: what came in, and what the agent wrote about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranscriptTurn {
    /// The format's id of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What began it.
    pub trigger: TurnTrigger,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// What came in. For a turn that no person began, what the agent was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inbound: Option<PersonMessage>,
    /// What the agent did, in order.
    pub parts: Vec<TurnPart>,
    /// Other answers that the model gave to the same question, raw; none was sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// The conversation later went on from an earlier place, without this turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub abandoned: bool,
}

impl TranscriptTurn {
    /// The raw text of each assistant message, in order.
    pub fn raw_texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TurnPart::Raw { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }
}

/// A message that came in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PersonMessage {
    /// Its text, without the envelope that the format puts around it.
    pub text: String,
    /// The text with its envelope, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// The platform's id of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The message it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<Person>,
    /// Where it came in, where the file says it of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<ChatPlace>,
    /// Pictures and other files that came with it; their bytes are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: u32,
}

/// One thing that the agent did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum TurnPart {
    /// It wrote an assistant message; directives stand in it.
    Raw {
        /// The raw text.
        text: String,
        /// When it was complete.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// It reasoned.
    Reasoning {
        /// What it thought.
        text: String,
        /// When.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// It used a tool.
    Tool(ToolUse),
    /// A message went out that no model wrote: a program or a tool sent it.
    Delivered {
        /// Its text.
        text: String,
        /// When.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// It failed.
    Failed {
        /// The words of the file.
        detail: String,
        /// When.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
}

impl TurnPart {
    /// When it was complete.
    pub const fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Raw { at, .. }
            | Self::Reasoning { at, .. }
            | Self::Delivered { at, .. }
            | Self::Failed { at, .. } => *at,
            Self::Tool(tool) => tool.at,
        }
    }
}

/// A tool call with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolUse {
    /// The format's id of the call; may be empty.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Arguments as JSON text, as the file has them: they may be cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The result; none where the file has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The tool said that it failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// When it was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A message as a chat saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DeliveredMessage {
    /// The platform's id; made up from its place where the format has none.
    pub id: String,
    /// When it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// `at` is the time of a clock whose zone the file does not say, read as UTC.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub local_time: bool,
    /// Who wrote it.
    pub sender: Person,
    /// Whether a bot wrote it; none where the format does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_bot: Option<bool>,
    /// Its text.
    pub text: String,
    /// The message it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The thread it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Its text was changed after it was sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// It was removed again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// It is passed on from elsewhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forwarded: bool,
    /// The platform wrote it: a join, a pin, a new subject.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub service: bool,
    /// Reactions to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<DeliveredReaction>,
    /// Names of its files; their bytes are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// A reaction to a delivered message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliveredReaction {
    /// The emoji, or the platform's name of it.
    pub emoji: String,
    /// How many gave it.
    pub count: u64,
}

/// Weight of a log entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// It went as it should, or nothing says otherwise.
    Info,
    /// It failed.
    Error,
}

/// An entry of a log without texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The kind of entry: an event's name or a part of the program.
    pub kind: String,
    /// Whether it failed.
    pub level: LogLevel,
    /// The job it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The platform and chat that were delivered to, as `telegram:700100`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// Names of people and channels in a Slack export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SlackNames {
    /// Name and whether it is a bot, by user id.
    pub people: BTreeMap<String, (String, bool)>,
    /// Ids by channel name.
    pub channels: BTreeMap<String, String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}
