//! Updates as messages: <https://core.telegram.org/bots/api#update>.

use super::told;
use crate::unread::Reader;
use foldback_wire::{Attachment, ChannelId, ChatType, Inbound, InboundContext, Sender, Timestamp};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

/// An update, of which only the number is read at first: one that cannot be read can still be confirmed.
#[derive(Debug, Deserialize)]
pub(super) struct Update {
    pub(super) update_id: i64,
    #[serde(default)]
    message: Value,
}

impl Update {
    /// The group that became a supergroup, and the id that it has now. Telegram tells it in both of them:
    /// <https://core.telegram.org/bots/api#message>.
    pub(super) fn moved(&self) -> Option<(i64, i64)> {
        let number = Value::as_i64;
        let here = number(&self.message["chat"]["id"])?;
        let to = number(&self.message["migrate_to_chat_id"]).map(|to| (here, to));
        to.or_else(|| Some((number(&self.message["migrate_from_chat_id"])?, here)))
    }

    /// The message as Foldback knows it; `None` for what nobody wrote or what cannot be read.
    pub(super) fn inbound(self, channel: &ChannelId, bot: &User, reader: &mut Reader) -> Option<Inbound> {
        let parts = Parts::read(&self.message, reader);
        let message: Message = reader.read("message", &self.message)?;
        message.inbound(parts, channel, bot)
    }
}

/// The parts of a message without which it is a message all the same.
#[derive(Debug)]
struct Parts {
    entities: Vec<Entity>,
    answered: Option<Answered>,
    files: Vec<Attachment>,
    context: InboundContext,
}

impl Parts {
    fn read(message: &Value, reader: &mut Reader) -> Self {
        let mut entities = reader.read_all("entity", &message["entities"]);
        entities.extend(reader.read_all("entity", &message["caption_entities"]));
        Self {
            entities,
            answered: reader.read("answered message", &message["reply_to_message"]),
            files: files(message, reader),
            context: told::context(message),
        }
    }
}

#[derive(Debug, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the Bot API names them so")]
struct Message {
    message_id: i64,
    message_thread_id: Option<i64>,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    is_topic_message: bool,
    from: Option<User>,
    chat: Chat,
    date: i64,
    text: Option<String>,
    caption: Option<String>,
    /// From where it is passed on: <https://core.telegram.org/bots/api#messageorigin>.
    forward_origin: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct Answered {
    message_id: i64,
    from: Option<User>,
}

/// <https://core.telegram.org/bots/api#user>
#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub(super) id: i64,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    is_bot: bool,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    first_name: String,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    last_name: Option<String>,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    pub(super) username: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Chat {
    id: i64,
    #[serde(rename = "type")]
    kind: String,
}

/// A special part of a text. Offset and length are in UTF-16 units.
/// <https://core.telegram.org/bots/api#messageentity>
#[derive(Debug, Deserialize)]
struct Entity {
    #[serde(rename = "type")]
    kind: String,
    offset: usize,
    length: usize,
    user: Option<User>,
}

#[derive(Debug, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the Bot API names them so")]
struct File {
    /// <https://core.telegram.org/bots/api#file>
    file_id: Option<String>,
    file_name: Option<String>,
    mime_type: Option<String>,
    file_size: Option<u64>,
}

impl Message {
    /// The message as Foldback knows it; `None` for what nobody wrote, such as that somebody joined.
    fn inbound(self, parts: Parts, channel: &ChannelId, bot: &User) -> Option<Inbound> {
        let sender = self.from.as_ref()?;
        let text = self
            .text
            .as_deref()
            .or(self.caption.as_deref())
            .unwrap_or_default();
        let files = parts.files;
        let context = parts.context;
        if text.is_empty() && files.is_empty() && context.location.is_none() {
            return None;
        }
        let answers_bot = parts
            .answered
            .as_ref()
            .and_then(|answered| answered.from.as_ref())
            .is_some_and(|author| author.id == bot.id);
        Some(Inbound {
            channel: channel.clone(),
            // The same person has the same chat with every bot, and each chat counts its messages anew.
            account: Some(bot.id.to_string()),
            chat: self.chat.id.to_string().into(),
            chat_type: if self.chat.kind == "private" {
                ChatType::Direct
            } else {
                ChatType::Group
            },
            // A reply outside forums carries a thread as well, which nobody can write in.
            thread: self
                .message_thread_id
                .filter(|_| self.is_topic_message)
                .map(|thread| thread.to_string().into()),
            message: self.message_id.to_string().into(),
            reply_to: parts
                .answered
                .as_ref()
                .map(|answered| answered.message_id.to_string().into()),
            sender: Sender {
                id: sender.id.to_string().into(),
                name: sender.username.clone().unwrap_or_else(|| sender.id.to_string()),
                display_name: [Some(sender.first_name.as_str()), sender.last_name.as_deref()]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" "),
                is_bot: sender.is_bot,
            },
            mentioned: answers_bot || mentions(&parts.entities, text, bot),
            forwarded: self.forward_origin.is_some(),
            text: text.to_owned(),
            files,
            at: Timestamp(self.date.saturating_mul(1_000)),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: context.bounded(),
        })
    }
}

/// Says that the text names the bot: by its name, by its account, or in a command meant for it.
fn mentions(entities: &[Entity], text: &str, bot: &User) -> bool {
    let units: Vec<u16> = text.encode_utf16().collect();
    let name = bot.username.as_deref().unwrap_or_default().to_lowercase();
    entities.iter().any(|entity| {
        let end = entity.offset.saturating_add(entity.length);
        let words = units.get(entity.offset..end).map(String::from_utf16_lossy);
        let words = words.unwrap_or_default().to_lowercase();
        match entity.kind.as_str() {
            "mention" => words.strip_prefix('@') == Some(name.as_str()),
            "bot_command" => words.split_once('@').is_some_and(|(_, to)| to == name),
            "text_mention" => entity.user.as_ref().is_some_and(|user| user.id == bot.id),
            _ => false,
        }
    })
}

fn files(message: &Value, reader: &mut Reader) -> Vec<Attachment> {
    // A picture comes in several sizes, the largest last.
    let picture = reader.read_all::<File>("photo", &message["photo"]).pop();
    let document: Option<File> = reader.read("document", &message["document"]);
    // An animation comes as a document too.
    let animation = reader
        .read("animation", &message["animation"])
        .filter(|_| document.is_none());
    let all = [
        (picture, "photo.jpg", "image/jpeg"),
        (animation, "animation.mp4", "video/mp4"),
        (document, "document", "application/octet-stream"),
        (reader.read("audio", &message["audio"]), "audio.mp3", "audio/mpeg"),
        (
            reader.read("voice note", &message["voice"]),
            "voice.ogg",
            "audio/ogg",
        ),
        (reader.read("video", &message["video"]), "video.mp4", "video/mp4"),
        (
            reader.read("video note", &message["video_note"]),
            "video-note.mp4",
            "video/mp4",
        ),
        (
            reader.read("sticker", &message["sticker"]),
            "sticker.webp",
            "image/webp",
        ),
    ];
    let there = all
        .into_iter()
        .filter_map(|(file, name, media)| Some((file?, name, media)));
    there
        .map(|(file, name, media)| Attachment {
            name: file.file_name.unwrap_or_else(|| name.to_owned()),
            media_type: file.mime_type.unwrap_or_else(|| media.to_owned()),
            size: file.file_size,
            source: file.file_id,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn update(message: Value) -> Update {
        Update {
            update_id: 1,
            message,
        }
    }

    #[test]
    fn only_ids_and_texts_are_asked_to_be_what_they_should_be() {
        let bot: User = serde_json::from_value(json!({"id": 9, "username": "bot"})).expect("a user");
        for field in [
            "from/is_bot",
            "from/first_name",
            "from/last_name",
            "from/username",
            "is_topic_message",
        ] {
            for value in [json!({"of": "a new kind"}), json!(null)] {
                let mut message = json!({"message_id": 5, "date": 1, "text": "Hello", "is_topic_message": false,
                    "chat": {"id": 6, "type": "private"},
                    "from": {"id": 7, "is_bot": false, "first_name": "Ana", "last_name": "Lima", "username": "ana"}});
                *message.pointer_mut(&format!("/{field}")).expect("a field") = value.clone();
                let mut reader = Reader::default();
                let read = update(message).inbound(&"telegram".into(), &bot, &mut reader);
                assert_eq!(read.expect("a message").text, "Hello", "{field} {value}");
                assert!(reader.into_failed().is_empty(), "{field} {value}");
            }
        }
    }

    #[test]
    fn a_group_that_becomes_a_supergroup_tells_both_ids_on_either_side() {
        let told = |message| update(message).moved();
        let moved = Some((-42, -1_001));
        assert_eq!(
            told(json!({"chat": {"id": -42}, "migrate_to_chat_id": -1_001})),
            moved
        );
        assert_eq!(
            told(json!({"chat": {"id": -1_001}, "migrate_from_chat_id": -42})),
            moved
        );
        assert_eq!(told(json!({"chat": {"id": -42}, "text": "Hello"})), None);
        assert_eq!(told(json!({"migrate_to_chat_id": -1_001})), None);
    }
}
