//! Manual tests: an agent output, read, linted and shown as each channel would show it.

use super::{MessageContext, RenderedBlock, Ruler, VoiceOf};
use crate::{
    ActionRefusalCode, ChannelId, Diagnostic, FileFate, FileKind, MessageId, Parsed, Platform, Span, TurnId,
    UnderstoodFile, closed::closed_set,
};
use serde::{Deserialize, Serialize};

/// `compose`: read this output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Compose {
    /// The user's text; the echo guard compares with it.
    pub user_text: String,
    /// The agent's answer.
    pub agent_output: String,
    /// The channels to preview; empty for all.
    pub channels: Vec<ChannelId>,
    /// The channels through which it would be sent as a dry run. One that is not armed makes dry runs in any case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ChannelId>>")]
    pub dry_run: Vec<ChannelId>,
}

/// A finding with its place in lines and columns, both from 1; columns in Unicode scalars.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Lint {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// Line of its first byte.
    pub line: u32,
    /// Column of its first byte.
    pub column: u32,
    /// Line of its end.
    pub end_line: u32,
    /// Column of its end.
    pub end_column: u32,
    /// The meaning of this rule, at length.
    pub explanation: String,
}

/// A secret in an output, which is masked in what is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(rename = "Masked")]
pub struct MaskedSecrets {
    /// Its raw bytes, from the first to the last.
    pub span: Span,
    /// Line of its first byte, from 1.
    pub line: u32,
    /// Column of its first byte in Unicode scalars, from 1.
    pub column: u32,
    /// The patterns that found it: ids of [`SecretEntry`](super::SecretEntry).
    pub secrets: Vec<String>,
    /// The secrets that they find, in words.
    pub about: String,
    /// The directive or JSON action that says it; `None` in the text.
    pub inside: Option<String>,
}

/// Answer of `compose`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(rename = "Composed")]
pub struct ComposeResult {
    /// The operations that would be sent: secrets are masked in them where the configuration says so.
    pub parsed: Parsed,
    /// The findings with places. They are about the text as it was written.
    pub lints: Vec<Lint>,
    /// The secrets that are masked.
    pub masked: Vec<MaskedSecrets>,
    /// True where secrets are masked at all.
    pub redacts: bool,
    /// One per channel.
    pub previews: Vec<ChannelPreview>,
    /// The way in which the messages of each preview fill what its channel takes.
    pub rulers: Vec<Ruler>,
    /// The outcome of the actions in it on each channel that was asked for; empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ChannelActions>>")]
    pub actions: Vec<ChannelActions>,
}

closed_set! {
    /// The outcome of an action in an output that is only looked at.
    pub enum ActionPreviewOutcome {
        CarriedOut = "carried_out": "It is carried out at once.",
        AskedFirst = "asked_first": "A person is asked first.",
        Refused = "refused": "It is not carried out.",
    }
}

/// The outcome of an output's actions on one channel, at the word of the sender of Compose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChannelActions {
    /// The channel.
    pub channel: ChannelId,
    /// The sender of Compose there.
    pub sender: String,
    /// The actions, in order.
    pub actions: Vec<ActionPreview>,
}

/// An action in an output that is only looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ActionPreview {
    /// Its name; empty for JSON that cannot be read.
    pub name: String,
    /// The words by which people know what it asks for, such as the command line; none where it has none, and where its
    /// payload is what is wrong.
    pub command: Option<String>,
    /// Its bytes in the output.
    pub span: Span,
    /// Its outcome.
    pub outcome: ActionPreviewOutcome,
    /// The reason where it is refused; none where it is off.
    pub refusal: Option<ActionRefusalCode>,
    /// The reason, in words; empty where there is nothing to say.
    pub why: String,
    /// The setting that decides, where one does.
    pub setting: Option<String>,
}

/// The screen of a channel (an approximation where `rules` is set, or what was acknowledged).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChannelPreview {
    /// The channel.
    pub channel: ChannelId,
    /// Its platform.
    pub platform: Platform,
    /// Version of the rules the approximation follows.
    pub rules: String,
    /// Messages in order.
    pub bubbles: Vec<Bubble>,
    /// True where typing is shown.
    pub typing: bool,
    /// The parts of it that this channel cannot do, in words.
    pub notes: Vec<String>,
}

/// A message as a chat shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Bubble {
    /// The platform's id, where known.
    pub message: Option<MessageId>,
    /// True where the bot wrote it.
    pub from_bot: bool,
    /// The author.
    pub author: String,
    /// The beginning of the message it answers.
    pub quote: Option<String>,
    /// Its content.
    pub part: BubblePart,
    /// The files that came with a person's message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<BubbleAttachment>>")]
    pub attachments: Vec<BubbleAttachment>,
    /// Reactions on it.
    pub reactions: Vec<Reaction>,
    /// The number of edits.
    pub edits: u32,
    /// True where it was removed.
    pub deleted: bool,
    /// The length that counts against the limit, in the platform's unit.
    pub length: u32,
    /// The limit.
    pub limit: u32,
}

/// A file that came with a person's message, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct BubbleAttachment {
    /// Its name.
    pub name: String,
    /// Its media type: what its bytes say, or else what the platform says.
    pub media_type: String,
    /// Its size in bytes, where known.
    pub bytes: Option<u64>,
    /// The outcome; `None` as long as that is open.
    pub fate: Option<FileFate>,
    /// The reason, in words, where there is something to say.
    pub why: String,
    /// What was understood of it; none where nobody tried.
    pub understood: Option<UnderstoodFile>,
}

/// A part of a bubble.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum BubblePart {
    /// Text.
    Text {
        /// As the agent wrote it, or the person.
        text: String,
        /// Its rendered form; `None` where the platform is given this very text and shows it letter by letter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        rendering: Option<Rendering>,
    },
    /// A file.
    File {
        /// The file.
        file: BubbleFile,
    },
    /// A voice note or playable audio.
    Voice {
        /// The text that is spoken.
        text: String,
        /// True where it is a native voice note.
        note: bool,
        /// The way in which it can be heard; none where it cannot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        sound: Option<VoiceOf>,
        /// The time for which it plays, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        duration_ms: Option<u64>,
    },
}

/// A text in the markup of a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Rendering {
    /// As the platform is given it.
    pub sent: String,
    /// As it shows it.
    pub shown: Vec<RenderedBlock>,
}

/// A file in a bubble.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct BubbleFile {
    /// Its name.
    pub name: String,
    /// The kind in which it is sent.
    pub kind: FileKind,
    /// Text beside it, as the agent wrote it.
    pub caption: Option<String>,
    /// The rendered form of that, as of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rendering: Option<Rendering>,
}

/// A reaction in a bubble.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Reaction {
    /// The Unicode emoji meant.
    pub emoji: String,
    /// The emoji that the platform is given.
    pub sent: String,
}

/// `compose_send`: one message through the whole pipeline of a channel. A channel that is not armed makes a dry
/// run of it in any case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ComposeSend {
    /// Through which channel.
    pub channel: ChannelId,
    /// The user's text.
    pub user_text: String,
    /// The agent's answer; `None` asks the configured agent.
    pub agent_output: Option<String>,
    /// True where nothing may reach the platform although the channel is armed.
    #[serde(default)]
    pub dry_run: bool,
    /// Files that come with the user's message. Only a simulated channel hands them over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ComposeFile>>")]
    pub files: Vec<ComposeFile>,
    /// What surrounds the message.
    #[serde(default)]
    #[ts(optional, as = "Option<MessageContext>")]
    pub context: MessageContext,
}

/// A file of a message written by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ComposeFile {
    /// Its name.
    pub name: String,
    /// Its media type; empty where it is not known.
    pub media_type: String,
    /// Its content, in base64.
    pub base64: String,
}

/// Answer of `compose_send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(rename = "Sent")]
pub struct SendResult {
    /// The turn to watch.
    pub turn: TurnId,
}
