//! What is in the channels.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The moment at which time stands still for the ids given out here: 2023-11-14T22:13:20Z, as Discord counts.
const NOW: u64 = (1_700_000_000_000 - 1_420_070_400_000) << 22;

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The part of the form it stood in.
    pub field: String,
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A message of the bot, or to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posted {
    /// Whether the bot sent it.
    pub by_bot: bool,
    /// Its content.
    pub text: String,
    /// The message it answers.
    pub reply_to: Option<u64>,
    /// Its files.
    pub files: Vec<File>,
    /// The bot's reactions to it.
    pub reactions: BTreeSet<String>,
    /// How often it was edited.
    pub edits: u32,
    /// Its flags: 4 without previews of links, 4096 without a sound.
    pub flags: u64,
    /// Whom it notified: `everyone`, ids of people, `&` and ids of roles; the author of the message it answers.
    pub notified: BTreeSet<String>,
}

/// What a channel is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Text,
    /// A thread of this channel.
    Thread(u64),
    Direct,
}

#[derive(Debug, Default)]
pub(super) struct Chat {
    pub(super) kind: Kind,
    pub(super) messages: BTreeMap<u64, Posted>,
    /// The same as the gateway told of them.
    pub(super) told: BTreeMap<u64, Value>,
    pub(super) typing: u32,
    /// The refusal of whatever the bot does there: an error code and its message.
    pub(super) closed: Option<(u32, &'static str)>,
    /// The bot may not read what was said before.
    pub(super) without_history: bool,
}

impl Chat {
    /// <https://discord.com/developers/docs/resources/channel#channel-object>
    pub(super) fn object(&self, id: u64) -> Value {
        let (kind, parent, name) = match self.kind {
            // A text channel may lie in a category, which is no thread's parent.
            Kind::Text => (0, Some(7), Some("general")),
            Kind::Thread(parent) => (11, Some(parent), Some("lunch")),
            Kind::Direct => (1, None, None),
        };
        let parent = parent.map(|id| id.to_string());
        json!({"id": id.to_string(), "type": kind, "parent_id": parent, "name": name})
    }
}

/// The channels, and everything said in them.
#[derive(Debug, Default)]
pub(super) struct Chats {
    pub(super) all: BTreeMap<u64, Chat>,
    /// Messages by nonce.
    pub(super) nonces: BTreeMap<String, (u64, u64)>,
    last: u64,
}

impl Chats {
    pub(super) fn mint(&mut self) -> u64 {
        self.last += 1;
        NOW + self.last
    }

    /// A message as the gateway and REST show it; `with` says what is different from a plain one.
    /// <https://discord.com/developers/docs/resources/message#message-object>
    pub(super) fn object(&self, channel: u64, id: u64, with: &Value) -> Value {
        let mut message = json!({
            "id": id.to_string(), "channel_id": channel.to_string(), "content": "",
            "author": {"id": "42", "username": "ana", "global_name": "Ana Lima", "discriminator": "0", "avatar": null},
            "timestamp": "2023-11-14T22:13:20.000000+00:00", "edited_timestamp": null, "tts": false,
            "mention_everyone": false, "mentions": [], "mention_roles": [], "attachments": [], "embeds": [],
            "pinned": false, "type": 0,
        });
        if self
            .all
            .get(&channel)
            .is_some_and(|chat| chat.kind != Kind::Direct)
        {
            message["guild_id"] = "900".into();
            message["member"] =
                json!({"roles": [], "joined_at": "2023-01-01T00:00:00Z", "deaf": false, "mute": false});
        }
        for (name, value) in with.as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        message
    }
}
