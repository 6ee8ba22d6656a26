//! The kind, the capabilities and the state of a channel.

use crate::{MessageFlag, Platform, closed::closed_set, weight};
use serde::{Deserialize, Serialize};
use std::fmt;

closed_set! {
    /// The unit that a platform's text limit counts.
    pub enum LengthUnit {
        Utf16 = "utf16": "UTF-16 code units.",
        Scalars = "scalars": "Unicode scalar values.",
        Bytes = "bytes": "UTF-8 bytes.",
        Weighted = "weighted": "X-weighted characters.",
    }
}

impl LengthUnit {
    /// The length of `text` in this unit.
    pub fn measure(self, text: &str) -> usize {
        match self {
            Self::Utf16 => text.encode_utf16().count(),
            Self::Scalars => text.chars().count(),
            Self::Bytes => text.len(),
            Self::Weighted => weight::of_text(text),
        }
    }

    /// The length of one character in this unit.
    pub fn of_char(self, c: char) -> usize {
        match self {
            Self::Utf16 => c.len_utf16(),
            Self::Scalars => 1,
            Self::Bytes => c.len_utf8(),
            Self::Weighted => weight::of_char(c),
        }
    }
}

closed_set! {
    /// In which form a platform takes a reaction.
    pub enum EmojiForm {
        Unicode = "unicode": "The emoji itself.",
        FixedSet = "fixed_set": "One of a fixed set of emoji; the nearest supported one is used.",
        Shortcode = "shortcode": "A shortcode name such as thumbsup, also one that only the workspace has.",
    }
}

closed_set! {
    /// The way in which a reply names the message it answers.
    pub enum ReplyForm {
        Message = "message": "Any message id.",
        NumericReference = "numeric_reference": "A numeric message id.",
        Thread = "thread": "The message becomes a thread.",
        Context = "context": "A reply context.",
        Quote = "quote": "A quotation.",
    }
}

closed_set! {
    /// The markup a platform renders.
    pub enum Markup {
        Html = "html": "A subset of HTML.",
        Markdown = "markdown": "Markdown.",
        Mrkdwn = "mrkdwn": "Slack's mrkdwn.",
        Whatsapp = "whatsapp": "WhatsApp's styles.",
        Plain = "plain": "Plain text.",
    }
}

closed_set! {
    /// The way in which a voice directive arrives.
    pub enum VoiceForm {
        Note = "note": "A native voice note.",
        Attachment = "attachment": "A playable attachment.",
    }
}

closed_set! {
    /// Operations a channel performs; the names are the `op` of deliveries and faults.
    pub enum OpKind {
        SendText = "send_text": "Send a message.",
        EditText = "edit_text": "Replace a message's text.",
        Delete = "delete": "Remove a message.",
        React = "react": "Add a reaction.",
        SendFile = "send_file": "Send a file.",
        SendVoice = "send_voice": "Send a voice note.",
        Typing = "typing": "Show that an answer is being written.",
    }
}

closed_set! {
    /// The state of an adapter between off and up.
    pub enum ChannelState {
        Off = "off": "Switched off: nothing comes in, deliveries are held.",
        Connecting = "connecting": "Connecting to the platform.",
        Up = "up": "Receiving and sending.",
        Degraded = "degraded": "Connected, but some operations fail.",
        RateLimited = "rate_limited": "The platform asked to wait.",
        Down = "down": "Not connected; it tries again.",
    }
}

/// The capabilities of a channel. Decisions about what a channel cannot do are made from this, in one place (the
/// delivery engine). Sizes are in bytes, text lengths in `unit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Capabilities {
    /// Whose rules these are.
    pub platform: Platform,
    /// Longest text of one message, in `unit`.
    pub text_limit: usize,
    /// Longest caption, in `unit`.
    pub caption_limit: usize,
    /// The unit that the limits count.
    pub unit: LengthUnit,
    /// Sent messages can be edited.
    pub edit: bool,
    /// Sent messages can be removed.
    pub delete: bool,
    /// Least time between two edits of the live preview; `None` where there is no live preview.
    pub edit_interval_ms: Option<u64>,
    /// Form of reactions; `None` where there are none.
    pub react: Option<EmojiForm>,
    /// Form of replies; `None` where there are none.
    pub reply: Option<ReplyForm>,
    /// Largest file; `None` where files cannot be sent.
    pub file_limit: Option<u64>,
    /// Largest picture, where it is smaller than a file.
    pub image_limit: Option<u64>,
    /// Largest audio file, where it is smaller than a file.
    pub audio_limit: Option<u64>,
    /// Form of voice; `None` where there is none.
    pub voice: Option<VoiceForm>,
    /// It can show typing.
    pub typing: bool,
    /// Threads or topics exist.
    pub threads: bool,
    /// The markup that it renders.
    pub markup: Markup,
    /// The form of a mention, with `{id}` and `{name}`; `None` where mentions do not exist.
    pub mention: Option<String>,
    /// Flags of a header that it honours.
    #[serde(default)]
    pub flags: Vec<MessageFlag>,
    /// True where an operation can carry a key under which the platform recognises a repetition.
    pub idempotency_key: bool,
    /// Time for which the platform repeats a message that was not confirmed, where anybody can send a recorded one again:
    /// it comes to an open port, and its signature covers no time of sending. `None` where messages come over a
    /// connection that the bot opens, or where such a time is checked.
    #[serde(default)]
    pub redelivery_ms: Option<u64>,
}

/// The author of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person at the console.
    Console,
    /// A person at the command line.
    Cli,
    /// The configuration.
    Config,
    /// The adapter itself, for example on a lost connection.
    Adapter,
    /// The pipeline.
    Pipeline,
    /// A person in a chat.
    User(crate::UserId),
}

impl Actor {
    /// True where a person acted, not the bot by itself or as it is configured.
    pub const fn is_person(&self) -> bool {
        match self {
            Self::Console | Self::Cli | Self::User(_) => true,
            Self::Config | Self::Adapter | Self::Pipeline => false,
        }
    }
}

/// A name, as in "muted by the console"; with `{:#}` in the words for people in a chat, who do not know that name: "by a
/// person at the console".
impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() && matches!(self, Self::Console | Self::Cli) {
            f.write_str("a person at ")?;
        }
        match self {
            Self::Console => f.write_str("the console"),
            Self::Cli => f.write_str("the command line"),
            Self::Config => f.write_str("the configuration"),
            Self::Adapter => f.write_str("the adapter"),
            Self::Pipeline => f.write_str("the pipeline"),
            Self::User(id) if f.alternate() => write!(f, "the user {id}"),
            Self::User(id) => id.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_has_a_name_and_words_for_people_in_a_chat() {
        for (actor, name, told) in [
            (Actor::Console, "the console", "a person at the console"),
            (Actor::Cli, "the command line", "a person at the command line"),
            (Actor::Config, "the configuration", "the configuration"),
            (Actor::Adapter, "the adapter", "the adapter"),
            (Actor::Pipeline, "the pipeline", "the pipeline"),
            (Actor::User("U07ANA".into()), "U07ANA", "the user U07ANA"),
        ] {
            assert_eq!(actor.to_string(), name);
            assert_eq!(format!("{actor:#}"), told);
        }
    }
}
