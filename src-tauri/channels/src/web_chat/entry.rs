//! The messages of a conversation and the changes to them, in the JSON that both the page and the log have.

use foldback_wire::{MessageId, Timestamp};
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// The author of a message or a reaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Author {
    Bot,
    Visitor,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChatMessage {
    pub(super) id: MessageId,
    pub(super) from: Author,
    pub(super) at: Timestamp,
    /// Markdown of the bot, plain text of the visitor.
    #[serde(default)]
    pub(super) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reply_to: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<ChatFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) reactions: Vec<Reaction>,
    /// True where the page makes no sound of it and does not announce it.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub(super) silent: bool,
}

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChatFile {
    /// Its name in the conversation's folder and in `/files/ID`.
    pub(super) id: String,
    /// Its name as the sender gave it.
    pub(super) name: String,
    pub(super) media_type: String,
    /// Bytes.
    pub(super) size: u64,
    #[serde(default, skip_serializing_if = "Not::not")]
    pub(super) voice: bool,
    /// The words of a voice note, for those who cannot hear it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) words: Option<String>,
    /// True once it gave way to newer ones.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub(super) gone: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reaction {
    pub(super) emoji: String,
    pub(super) from: Author,
}

/// A change to a conversation: a line of its log, and an event of its pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Change {
    /// A new message.
    Message { message: ChatMessage },
    /// Another text: the first `keep` UTF-16 units of the old one, and this.
    Text {
        id: MessageId,
        keep: usize,
        text: String,
    },
    /// A reaction was added, or taken away.
    Reaction {
        id: MessageId,
        emoji: String,
        from: Author,
        on: bool,
    },
    /// The message was removed.
    Removed { id: MessageId },
    /// A file of the message gave way to newer ones.
    FileGone { id: MessageId, file: String },
    /// The bot writes. Not kept.
    Typing,
}

/// What a page is given first where it cannot take up what it had.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "conversation")]
pub(super) struct Snapshot<'a> {
    pub(super) messages: Vec<&'a ChatMessage>,
}

impl Change {
    /// The change of a text into another one. While an answer streams, it is what was added.
    pub(super) fn of_text(id: &MessageId, old: &str, new: &str) -> Self {
        let same = old
            .chars()
            .zip(new.chars())
            .take_while(|(old, new)| old == new)
            .map(|(same, _)| same);
        let (mut bytes, mut units) = (0, 0);
        for c in same {
            bytes += c.len_utf8();
            units += c.len_utf16();
        }
        Self::Text {
            id: id.clone(),
            keep: units,
            text: new[bytes..].to_owned(),
        }
    }
}

/// The beginning of a text of so many UTF-16 units; all of it where it has no more.
pub(super) fn first_units(text: &str, units: usize) -> &str {
    let mut seen = 0;
    let end = text.char_indices().find(|(_, c)| {
        seen += c.len_utf16();
        seen > units
    });
    end.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_what_changed_in_the_units_of_the_page() {
        for (old, new, keep, added) in [
            ("", "Hi", 0, "Hi"),
            ("Hi", "Hi there", 2, " there"),
            ("a🎉b", "a🎉c", 3, "c"),
            ("a🎉", "a🎊", 1, "🎊"),
            ("longer", "long", 4, ""),
            ("same", "same", 4, ""),
        ] {
            let change = Change::of_text(&"w1".into(), old, new);
            let expected = Change::Text {
                id: "w1".into(),
                keep,
                text: added.into(),
            };
            assert_eq!(change, expected);
            assert_eq!(format!("{}{added}", first_units(old, keep)), new);
        }
        assert_eq!(first_units("a🎉", 2), "a", "half an emoji is none");
    }
}
