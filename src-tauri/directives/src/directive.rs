//! The directives an agent can embed, as they come out of the scanner: read, not yet executed.

use crate::{Span, closed::closed_set};

closed_set! {
    /// How a file is sent.
    pub enum FileKind {
        Image = "image": "Shown as a picture.",
        File = "file": "Sent as a document.",
        Audio = "audio": "Sent as a voice note where the channel has one, else as playable audio.",
    }
}

/// One directive, in the order it was written. Aliases of emoji are not yet resolved and paths not yet
/// checked: that needs the channel and the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "serde", serde(tag = "type", rename_all = "snake_case"))]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Directive {
    /// `<react emoji=… message=…/>`
    React {
        /// An alias, `:alias:` or Unicode emoji, trimmed.
        emoji: String,
        /// The message to react to; `None` is the one that triggered the turn.
        message: Option<String>,
        /// The tag.
        span: Span,
    },
    /// `<send-file path=… …/>`
    SendFile {
        /// The path as written.
        path: String,
        /// Text beside the file; not trimmed.
        caption: Option<String>,
        /// From the attribute, else from the extension.
        kind: FileKind,
        /// Delete the file after it was sent, if the configuration allows.
        cleanup: bool,
        /// Another channel.
        channel: Option<String>,
        /// Another chat.
        chat: Option<String>,
        /// The tag.
        span: Span,
    },
    /// `<voice>…</voice>`
    Voice {
        /// What to say.
        text: String,
        /// From the opening to the closing tag.
        span: Span,
    },
    /// `<send-message channel=… chat=…>…</send-message>`
    SendMessage {
        /// Target channel.
        channel: String,
        /// Target chat.
        chat: String,
        /// What to send.
        text: String,
        /// From the opening to the closing tag.
        span: Span,
    },
}

impl Directive {
    /// The bytes it was written in.
    pub const fn span(&self) -> Span {
        match self {
            Self::React { span, .. }
            | Self::SendFile { span, .. }
            | Self::Voice { span, .. }
            | Self::SendMessage { span, .. } => *span,
        }
    }

    /// Hands over every text in it that an agent makes up: not channels and chats, see [`Self::each_address`].
    pub fn each_text(&mut self, mut each: impl FnMut(&mut String)) {
        match self {
            Self::React { emoji, message, .. } => {
                each(emoji);
                message.iter_mut().for_each(each);
            }
            Self::SendFile { path, caption, .. } => {
                each(path);
                caption.iter_mut().for_each(each);
            }
            Self::Voice { text, .. } | Self::SendMessage { text, .. } => each(text),
        }
    }

    /// Hands over the channel and the chat it names. Only those that an operator allows are ever used.
    pub fn each_address(&mut self, mut each: impl FnMut(&mut String)) {
        match self {
            Self::React { .. } | Self::Voice { .. } => {}
            Self::SendFile { channel, chat, .. } => channel.iter_mut().chain(chat).for_each(each),
            Self::SendMessage { channel, chat, .. } => {
                each(channel);
                each(chat);
            }
        }
    }

    /// The tag's name as an agent writes it.
    pub const fn tag(&self) -> &'static str {
        match self {
            Self::React { .. } => "react",
            Self::SendFile { .. } => "send-file",
            Self::Voice { .. } => "voice",
            Self::SendMessage { .. } => "send-message",
        }
    }
}

/// The valid keys and tags of a `[[key:value]]` header. Absent keys are absent in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Header {
    /// The message to reply to: an id of the channel's form, else 1–64 of ASCII letters, digits, `.`, `_`, `-`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub reply_to: Option<String>,
    /// Only the person addressed sees it, where the platform can.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub ephemeral: Option<bool>,
    /// No link previews.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub suppress_embeds: Option<bool>,
    /// No notification sound.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub silent: Option<bool>,
    /// Reply to the message that triggered the turn.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub reply_to_current: Option<bool>,
    /// Audio files go out as voice notes.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub audio_as_voice: Option<bool>,
}

impl Header {
    /// Hands over every text in it that an agent makes up.
    pub fn each_text(&mut self, each: impl FnMut(&mut String)) {
        self.reply_to.iter_mut().for_each(each);
    }

    /// Adds what was written later, which wins.
    pub fn merge(&mut self, later: Self) {
        let Self {
            reply_to,
            ephemeral,
            suppress_embeds,
            silent,
            reply_to_current,
            audio_as_voice,
        } = later;
        self.reply_to = reply_to.or(self.reply_to.take());
        self.ephemeral = ephemeral.or(self.ephemeral);
        self.suppress_embeds = suppress_embeds.or(self.suppress_embeds);
        self.silent = silent.or(self.silent);
        self.reply_to_current = reply_to_current.or(self.reply_to_current);
        self.audio_as_voice = audio_as_voice.or(self.audio_as_voice);
    }

    /// Whether nothing valid was written.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One action of the dialect `json`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct JsonAction {
    /// The action's `type`.
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    pub kind: String,
    /// Its `payload`, as JSON text.
    pub payload: String,
    /// The value's bytes.
    pub span: Span,
}

impl JsonAction {
    /// Hands over every text in it that an agent makes up.
    pub fn each_text(&mut self, mut each: impl FnMut(&mut String)) {
        each(&mut self.kind);
        each(&mut self.payload);
    }
}
