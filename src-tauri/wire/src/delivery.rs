//! Operations that are asked of a channel, and their outcomes.

use crate::{
    ChannelId, ChatId, DecidingSetting, MessageFlags, MessageId, OpId, OpKind, ThreadId, closed::closed_set,
};
use foldback_directives::{FileKind, Span};
use serde::{Deserialize, Serialize};

/// The target of an operation.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    ts_rs::TS,
)]
pub struct Target {
    /// The chat.
    pub chat: ChatId,
    /// The thread in it.
    pub thread: Option<ThreadId>,
}

/// The identity of a file and its state: what the open file itself told when it was checked. A path can mean
/// another file a moment later, and a file can be written over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FileIdentity {
    /// The device it lies on.
    pub device: u64,
    /// Its number there. It may be given to another file once this one is removed.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The time at which its content was last written, in nanoseconds since 1970.
    pub modified_ns: i64,
}

/// One operation as an adapter performs it. Text is final: rendered, split and within the limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Operation {
    /// Send a message.
    SendText {
        /// Its text.
        text: String,
        /// The message it answers.
        reply_to: Option<MessageId>,
        /// As its header asks.
        #[serde(default, skip_serializing_if = "MessageFlags::is_empty")]
        #[ts(as = "Option<MessageFlags>", optional)]
        flags: MessageFlags,
    },
    /// Replace the text of a message.
    EditText {
        /// The message.
        message: MessageId,
        /// The new text.
        text: String,
        /// As its header asks.
        #[serde(default, skip_serializing_if = "MessageFlags::is_empty")]
        #[ts(as = "Option<MessageFlags>", optional)]
        flags: MessageFlags,
    },
    /// Remove a message.
    Delete {
        /// The message.
        message: MessageId,
    },
    /// Add a reaction.
    React {
        /// To which message.
        message: MessageId,
        /// The Unicode emoji; `:name:` of one that only a workspace has.
        emoji: String,
        /// The sign that the platform is given: the emoji, its nearest supported one, or a shortcode name.
        emoji_sent: String,
    },
    /// Send a file. The file was checked and lies in the configured folder.
    SendFile {
        /// Path relative to the configured folder.
        path: String,
        /// The kind in which it is sent.
        kind: FileKind,
        /// Text beside it.
        caption: Option<String>,
        /// The message it answers.
        reply_to: Option<MessageId>,
        /// The file that was checked: no other one is sent. `None` where that is not known (operations of
        /// earlier versions); then whatever lies at the path is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        checked: Option<FileIdentity>,
        /// As its header asks.
        #[serde(default, skip_serializing_if = "MessageFlags::is_empty")]
        #[ts(as = "Option<MessageFlags>", optional)]
        flags: MessageFlags,
    },
    /// Send a voice note made from text.
    SendVoice {
        /// Path of the encoded speech, relative to the configured folder.
        path: String,
        /// The text that is spoken.
        text: String,
        /// The message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reply_to: Option<MessageId>,
        /// As of a file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        checked: Option<FileIdentity>,
        /// As its header asks.
        #[serde(default, skip_serializing_if = "MessageFlags::is_empty")]
        #[ts(as = "Option<MessageFlags>", optional)]
        flags: MessageFlags,
    },
    /// Show that an answer is being written.
    Typing,
}

impl Operation {
    /// The kind.
    pub const fn kind(&self) -> OpKind {
        match self {
            Self::SendText { .. } => OpKind::SendText,
            Self::EditText { .. } => OpKind::EditText,
            Self::Delete { .. } => OpKind::Delete,
            Self::React { .. } => OpKind::React,
            Self::SendFile { .. } => OpKind::SendFile,
            Self::SendVoice { .. } => OpKind::SendVoice,
            Self::Typing => OpKind::Typing,
        }
    }

    /// True of an operation that changes nothing where it was done before: an edit puts the same text into the same
    /// message. Without an answer of the platform it is done again; every other one needs the platform's memory of its
    /// key for that.
    pub const fn is_idempotent(&self) -> bool {
        matches!(self, Self::EditText { .. })
    }
}

closed_set! {
    /// The outcome of an operation. Every intent ends in exactly one of these.
    pub enum OutcomeCode {
        Sent = "sent": "The platform acknowledged it.",
        Unchanged = "unchanged": "The platform had it so already.",
        DryRun = "dry_run": "Everything but the platform call happened.",
        Unsupported = "unsupported": "The channel cannot do it; it was skipped.",
        NotAllowed = "not_allowed": "The policy forbids it.",
        Missing = "missing": "There is no such file.",
        Failed = "failed": "The platform refused it, or it failed too often.",
        Unknown = "unknown": "It was in flight when the process ended; only a person sends it again.",
        Cancelled = "cancelled": "It became superfluous before it was sent.",
    }
}

closed_set! {
    /// The kind of a platform's refusal, as every adapter reports it.
    pub enum RefusalCode {
        RateLimited = "rate_limited": "Too many requests; wait as long as it says.",
        Gone = "gone": "The message or file no longer exists, or the chat, where the platform does not say which.",
        ChatGone = "chat_gone": "The chat or thread no longer exists, or takes no messages.",
        Forbidden = "forbidden": "The bot may not do that there.",
        Unauthorized = "unauthorized": "The platform does not take the bot's token or account, or they may not do that in any chat.",
        TooLong = "too_long": "Longer or larger than the platform takes.",
        Unsupported = "unsupported": "The platform cannot do that.",
        Transient = "transient": "A passing fault; trying again may work.",
        Rejected = "rejected": "Refused for another reason.",
    }
}

impl RefusalCode {
    /// True where what the operation is about no longer exists.
    pub const fn is_gone(self) -> bool {
        matches!(self, Self::Gone | Self::ChatGone)
    }

    /// True where the bot lacks a right, in that chat or everywhere: a person has to give it, and trying again does not
    /// help.
    pub const fn is_denied(self) -> bool {
        matches!(self, Self::Forbidden | Self::Unauthorized)
    }
}

closed_set! {
    /// The progress of a message that was acknowledged, as its platform tells later. In order: who has read it was
    /// given it.
    pub enum Receipt {
        Sent = "sent": "The platform sent it on.",
        Delivered = "delivered": "It reached a device of who it is for.",
        Read = "read": "Who it is for has seen it.",
        Played = "played": "Who it is for has listened to it.",
    }
}

/// The end of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Outcome {
    /// Its end.
    pub code: OutcomeCode,
    /// The platform's id of the message, for operations that make one.
    pub message: Option<MessageId>,
    /// Other messages that it made, with ids of their own: the caption sent after a file, a reaction where that is a
    /// message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<MessageId>>")]
    pub also: Vec<MessageId>,
    /// The reason, in words, where it is not plainly `sent`.
    pub detail: Option<String>,
    /// The kind of the platform's refusal, where it refused.
    pub refusal: Option<RefusalCode>,
    /// Platform calls made.
    pub attempts: u32,
    /// The operation that was done in its place, because the platform refused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub replaced_by: Option<OpId>,
    /// The setting behind it, as it was then; `None` where there is none, and in records of versions that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub decided_by: Option<Box<DecidingSetting>>,
}

impl Outcome {
    /// An outcome without more to say.
    pub fn new(code: OutcomeCode) -> Self {
        Self {
            code,
            message: None,
            also: Vec::new(),
            detail: None,
            refusal: None,
            attempts: 0,
            replaced_by: None,
            decided_by: None,
        }
    }

    /// Everything it made, by the platform's ids.
    pub fn messages(&self) -> impl Iterator<Item = &MessageId> {
        self.message.iter().chain(&self.also)
    }

    /// The same, with an explanation.
    #[must_use]
    pub fn because(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// True where the operation did not arrive, or nobody knows, and nothing was done in its place.
    pub const fn is_dead(&self) -> bool {
        matches!(self.code, OutcomeCode::Failed | OutcomeCode::Unknown) && self.replaced_by.is_none()
    }

    /// True where nobody knows how the operation ended, and nothing was done in its place.
    pub const fn is_in_doubt(&self) -> bool {
        matches!(self.code, OutcomeCode::Unknown) && self.replaced_by.is_none()
    }
}

/// The text of an operation, as the journal keeps it: a place in the clean text, so that the raw text is
/// stored once, or words of Foldback's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Body {
    /// Bytes of the clean text of an assistant message.
    Clean {
        /// The assistant message of the turn, from 0.
        message: u32,
        /// Bytes of its clean text.
        span: Span,
    },
    /// Text that no agent wrote (empty text, notice, command answer), or one that rendering changed.
    Literal {
        /// The text.
        text: String,
        /// The bytes of the clean text that it stands for, where an agent wrote it: a code fence that was closed and
        /// opened again, an answer that was cut off.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        place: Option<CleanPlace>,
    },
    /// Text beside the answer, of which it is no part: a question about a permission, a tool call.
    Aside {
        /// The text.
        text: String,
    },
}

impl Body {
    /// Foldback's own words, which stand for nothing that an agent wrote.
    pub fn own(text: impl Into<String>) -> Self {
        Self::Literal {
            text: text.into(),
            place: None,
        }
    }

    /// The bytes of a clean text that it shows; `None` for words of Foldback's own.
    pub const fn place(&self) -> Option<CleanPlace> {
        match self {
            Self::Clean { message, span } => Some(CleanPlace {
                message: *message,
                span: *span,
            }),
            Self::Literal { place, .. } => *place,
            Self::Aside { .. } => None,
        }
    }
}

/// Bytes of the clean text of an assistant message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct CleanPlace {
    /// The assistant message of the turn, from 0.
    pub message: u32,
    /// Bytes of its clean text.
    pub span: Span,
}

/// An intended operation as the journal keeps it; see [`Operation`] for the fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(optional_fields)]
pub struct Intent {
    /// The operation.
    pub kind: OpKind,
    /// The channel it goes to, where that is another one than the turn's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<ChannelId>,
    /// The target.
    pub target: Target,
    /// The message it is about (edit, delete, react).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// Text or caption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// Unicode emoji.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// The emoji that the platform is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji_sent: Option<String>,
    /// Path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The kind in which the file is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_kind: Option<FileKind>,
    /// The file is to be deleted once it arrived.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub cleanup: bool,
    /// The directive it carries out, by its place in the assistant message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<DirectiveRef>,
    /// The first message of the answer, or of what a directive says, where that takes several and this is a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<OpId>,
    /// The number of the block in its turn, from 0, where it went out before its assistant message was complete. One that
    /// does not arrive is sent again with what follows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub block: Option<u32>,
    /// As its header asks.
    #[serde(default, skip_serializing_if = "MessageFlags::is_empty")]
    #[ts(as = "Option<MessageFlags>", optional)]
    pub flags: MessageFlags,
    /// True where this is a live edit that a later edit replaces.
    pub live: bool,
}

/// A directive of a turn.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS,
)]
pub struct DirectiveRef {
    /// The assistant message of the turn, from 0.
    pub message: u32,
    /// The number of the directive in it, from 0.
    pub index: u32,
}

/// A delivery as replay and `foldback send` print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Delivery {
    /// The operation.
    pub op: OpKind,
    /// The channel it went to, where that is another one than that of the turn or of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub channel: Option<ChannelId>,
    /// The message made or meant.
    pub message: Option<MessageId>,
    /// Text or caption.
    pub text: Option<String>,
    /// Always the Unicode form.
    pub emoji: Option<String>,
    /// The emoji that the platform was given.
    pub emoji_sent: Option<String>,
    /// The message answered.
    pub reply_to: Option<MessageId>,
    /// File path.
    pub path: Option<String>,
    /// The kind in which the file was sent.
    pub kind: Option<FileKind>,
    /// Its end.
    pub outcome: OutcomeCode,
    /// Milliseconds since the scenario began.
    pub at_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json, to_value};

    #[test]
    fn what_an_intent_and_a_voice_note_were_not_asked_for_is_not_written() {
        let intent = json!({"kind": "send_text", "target": {"chat": "c", "thread": null}, "live": false});
        let voice = json!({"op": "send_voice", "path": "a", "text": "hi"});
        let read: Intent = from_value(intent.clone()).unwrap();
        assert!(read.flags.is_empty());
        assert_eq!(to_value(&read).unwrap(), intent);
        let read: Operation = from_value(voice.clone()).unwrap();
        assert_eq!(to_value(&read).unwrap(), voice);
    }

    #[test]
    fn which_file_was_checked_survives_and_may_be_unknown() {
        let mut file =
            json!({"op": "send_file", "path": "a", "kind": "file", "caption": null, "reply_to": null});
        let mut voice = json!({"op": "send_voice", "path": "a", "text": "hi"});
        for earlier in [&file, &voice] {
            let read: Operation = from_value(earlier.clone()).unwrap();
            let (Operation::SendFile { checked, .. } | Operation::SendVoice { checked, .. }) = &read else {
                panic!("{read:?}");
            };
            assert_eq!(*checked, None);
            assert_eq!(to_value(&read).unwrap(), *earlier);
        }
        let checked = json!({"device": u64::MAX, "inode": 1_u64 << 60, "size": 3, "modified_ns": -1});
        for now in [&mut file, &mut voice] {
            now["checked"] = checked.clone();
            let read: Operation = from_value(now.clone()).unwrap();
            assert_eq!(to_value(&read).unwrap(), *now);
        }
    }
}
