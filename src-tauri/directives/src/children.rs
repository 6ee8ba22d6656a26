//! The children of `<actions>`: one table of plain data that scanner, lint, envelope and templates read.

mod build;
#[cfg(test)]
mod tests;

use crate::closed::closed_set;

pub(crate) use build::Maker;

closed_set! {
    /// What a child is turned into. Several children may make the same.
    pub enum Makes {
        React = "react": "A reaction.",
        SendFile = "send-file": "A file.",
        Voice = "voice": "A voice note.",
        SendMessage = "send-message": "A message to another chat.",
    }
}

closed_set! {
    /// The part of a directive that an attribute gives.
    pub enum Part {
        Emoji = "emoji": "The emoji of a reaction.",
        Message = "message": "The message that is reacted to.",
        Path = "path": "Where the file is.",
        Caption = "caption": "The text beside the file.",
        Kind = "kind": "How the file is sent.",
        Cleanup = "cleanup": "Whether the file is deleted after it was sent.",
        Channel = "channel": "The channel it goes to.",
        Chat = "chat": "The chat it goes to.",
        Text = "text": "What is said, where the tag has no content.",
    }
}

impl Makes {
    /// The parts without which there is no directive. Text may stand in the tag's content instead.
    pub const fn needs(self) -> &'static [Part] {
        match self {
            Self::React => &[Part::Emoji],
            Self::SendFile => &[Part::Path],
            Self::Voice => &[Part::Text],
            Self::SendMessage => &[Part::Channel, Part::Chat, Part::Text],
        }
    }
}

/// One attribute of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeRow {
    /// Its name.
    pub name: &'static str,
    /// Another name, which counts where the first is not given.
    pub or_else: Option<&'static str>,
    /// The part of the directive that its value is.
    pub gives: Part,
    /// The values it takes, where they are few.
    pub values: &'static [&'static str],
    /// What it means.
    pub about: &'static str,
}

impl AttributeRow {
    /// An attribute with one name, which takes any value.
    pub const fn new(name: &'static str, gives: Part, about: &'static str) -> Self {
        Self {
            name,
            or_else: None,
            gives,
            values: &[],
            about,
        }
    }
}

/// One child of `<actions>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildRow {
    /// The tag's name: ASCII letters in lower case, digits and `-`, unlike every other known name.
    pub name: &'static str,
    /// Whether it takes the text up to its closing tag.
    pub paired: bool,
    /// The directive it is turned into.
    pub makes: Makes,
    /// What it does, for a person.
    pub about: &'static str,
    /// A correct example.
    pub example: &'static str,
    /// What an agent is told after the example, where its channel can do it.
    pub teach: &'static str,
    /// Its attributes.
    pub attributes: &'static [AttributeRow],
}

impl ChildRow {
    /// What it cannot do without, by the names that it gives them.
    pub fn needs(&self) -> impl Iterator<Item = &'static str> {
        self.makes.needs().iter().map(|part| self.name_of(*part))
    }

    /// What it calls a part.
    pub(crate) fn name_of(&self, part: Part) -> &'static str {
        let row = self.attributes.iter().find(|row| row.gives == part);
        row.map_or(part.code(), |row| row.name)
    }
}

/// The children, one row each.
pub const CHILDREN: &[ChildRow] = &[
    ChildRow {
        name: "react",
        paired: false,
        makes: Makes::React,
        about: "Reacts to a message with an emoji.",
        example: r#"<react emoji="thumbsup" />"#,
        teach: "reacts to the message below; `message=\"ID\"` reacts to another one. An emoji or its name, \
                such as eyes, thumbsup, heart, fire, smile, laughing, tada, clap, ok_hand.",
        attributes: &[
            AttributeRow::new("emoji", Part::Emoji, "An alias, :alias: or Unicode emoji."),
            AttributeRow::new(
                "message",
                Part::Message,
                "The message to react to; default is the one being answered.",
            ),
        ],
    },
    ChildRow {
        name: "send-file",
        paired: false,
        makes: Makes::SendFile,
        about: "Sends a file.",
        example: r#"<send-file path="report.pdf" caption="The report" />"#,
        teach: "sends a file from the outgoing folder; `kind=\"image\"`, `\"file\"` or `\"audio\"` \
                overrides what the name says.",
        attributes: &[
            AttributeRow {
                or_else: Some("file"),
                ..AttributeRow::new(
                    "path",
                    Part::Path,
                    "The file, below the folder for outgoing files; `file` works too.",
                )
            },
            AttributeRow {
                or_else: Some("text"),
                ..AttributeRow::new(
                    "caption",
                    Part::Caption,
                    "Text beside the file; `text` works too.",
                )
            },
            AttributeRow {
                values: &["image", "file", "audio"],
                ..AttributeRow::new(
                    "kind",
                    Part::Kind,
                    "How it is sent; default is decided by the extension.",
                )
            },
            AttributeRow {
                values: &["true", "false"],
                ..AttributeRow::new("cleanup", Part::Cleanup, "Delete the file after it was sent.")
            },
            AttributeRow::new("channel", Part::Channel, "Another channel, where allowed."),
            AttributeRow::new("chat", Part::Chat, "Another chat, where allowed."),
        ],
    },
    ChildRow {
        name: "voice",
        paired: true,
        makes: Makes::Voice,
        about: "Says a text as a voice note.",
        example: "<voice>Good evening</voice>",
        teach: "says the text as a voice note.",
        attributes: &[],
    },
    ChildRow {
        name: "send-message",
        paired: true,
        makes: Makes::SendMessage,
        about: "Sends a message to another chat, where allowed.",
        example: r#"<send-message channel="NAME" chat="ID">Text</send-message>"#,
        teach: "sends a message to another chat.",
        attributes: &[
            AttributeRow::new("channel", Part::Channel, "The channel."),
            AttributeRow::new("chat", Part::Chat, "The chat."),
            AttributeRow::new("text", Part::Text, "The message, where the tag has no content."),
        ],
    },
];
