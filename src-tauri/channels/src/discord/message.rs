//! Messages as Foldback knows them: <https://discord.com/developers/docs/resources/message#message-object>.

use super::session::{Bot, KnownPlace, Place};
use crate::{
    ThreadMessage,
    thread::words,
    told::{self, id as told_id, text as told_text},
    unread::Reader,
};
use foldback_wire::{
    Attachment, ChannelId, ChatType, GroupInfo, Inbound, InboundContext, QuotedMessage, Sender, SenderIds,
    ThreadId, Timestamp,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serenity::model::id;

/// The first moment of Discord's time, in milliseconds since 1970, and how far left of an id's other bits its
/// time stands. <https://discord.com/developers/docs/reference#snowflakes>
const EPOCH_MS: u64 = 1_420_070_400_000;
const TIME_BITS: u32 = 22;

/// Types of messages that people write; the others are news.
/// <https://discord.com/developers/docs/resources/message#message-object-message-types>
const DEFAULT: u64 = 0;
const REPLY: u64 = 19;
/// The types of an application's answers to commands.
const COMMAND_ANSWERS: [u64; 2] = [20, 23];
/// The type of the first message of a thread that was made from another message, which it refers to.
const THREAD_STARTER: u64 = 21;

/// The type of a reference to a message that is passed on.
/// <https://discord.com/developers/docs/resources/message#message-reference-types>
const FORWARD: u64 = 1;

/// A message, as far as it is used. Its parts are read by themselves: Discord adds values and leaves out fields where its
/// documentation has others, and serenity's own message cannot be read then.
#[derive(Debug)]
pub(super) struct Message {
    id: id::MessageId,
    pub(super) channel: id::ChannelId,
    /// It stands in a server: only what was written in one names it.
    pub(super) in_server: bool,
    kind: u64,
    author: Author,
    nick: Option<String>,
    by_webhook: bool,
    content: Content,
    mentions: Vec<Named>,
    mention_roles: Vec<id::RoleId>,
    answered: Option<Answered>,
    reference: Option<Reference>,
    quote: Option<QuotedMessage>,
}

/// The fields that no message is without, and the others as they are.
#[derive(Debug, Deserialize)]
struct Raw {
    id: id::MessageId,
    channel_id: id::ChannelId,
    author: Author,
    guild_id: Option<IgnoredAny>,
    webhook_id: Option<IgnoredAny>,
}

/// <https://discord.com/developers/docs/resources/user#user-object>
#[derive(Debug, Deserialize)]
struct Author {
    id: id::UserId,
    #[serde(default, deserialize_with = "told::lenient")]
    username: Option<String>,
    #[serde(default, deserialize_with = "told::lenient")]
    global_name: Option<String>,
    #[serde(default, deserialize_with = "told::lenient")]
    bot: bool,
}

impl Author {
    /// The account's name; its id where Discord tells none.
    fn username(&self) -> String {
        self.username.clone().unwrap_or_else(|| self.id.to_string())
    }
}

/// A user, of whom only the id is used.
#[derive(Debug, Deserialize)]
struct Named {
    id: id::UserId,
}

#[derive(Debug, Deserialize)]
struct Member {
    nick: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Answered {
    author: Named,
}

#[derive(Debug, Deserialize)]
struct Reference {
    #[serde(default, rename = "type")]
    kind: u64,
    message_id: Option<id::MessageId>,
}

#[derive(Debug, Deserialize)]
struct Snapshot {
    message: Value,
}

/// <https://discord.com/developers/docs/resources/message#attachment-object>
#[derive(Debug, Deserialize)]
struct File {
    filename: String,
    content_type: Option<String>,
    size: Option<u64>,
    url: Option<String>,
}

/// <https://discord.com/developers/docs/resources/sticker#sticker-item-object>
#[derive(Debug, Deserialize)]
struct Sticker {
    id: id::StickerId,
    name: String,
    #[serde(default)]
    format_type: u64,
}

/// The content of a message: its words and its files.
#[derive(Debug, Default)]
struct Content {
    text: String,
    files: Vec<Attachment>,
    stickers: Vec<Attachment>,
}

impl Content {
    fn read(message: &Value, reader: &mut Reader) -> Self {
        let files = reader.read_all::<File>("attachment", &message["attachments"]);
        let stickers = reader.read_all::<Sticker>("sticker", &message["sticker_items"]);
        Self {
            text: reader
                .read("message content", &message["content"])
                .unwrap_or_default(),
            files: files.into_iter().map(File::attachment).collect(),
            stickers: stickers.iter().map(Sticker::attachment).collect(),
        }
    }

    fn append(&mut self, other: Self) {
        if !self.text.is_empty() && !other.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(&other.text);
        self.files.extend(other.files);
        self.stickers.extend(other.stickers);
    }

    const fn is_empty(&self) -> bool {
        self.text.is_empty() && self.files.is_empty() && self.stickers.is_empty()
    }
}

impl Message {
    /// Reads a message with what it passes on as its own: such a message says nothing itself, and what others said,
    /// files included, stands in its snapshots
    /// (<https://discord.com/developers/docs/resources/message#message-snapshot-object>). Whom those call stays theirs.
    pub(super) fn read(message: &Value, reader: &mut Reader) -> Option<Self> {
        let raw: Raw = reader.read("message", message)?;
        let mut content = Content::read(message, reader);
        for passed_on in reader.read_all::<Snapshot>("message snapshot", &message["message_snapshots"]) {
            content.append(Content::read(&passed_on.message, reader));
        }
        let member: Option<Member> = reader.read("member", &message["member"]);
        Some(Self {
            id: raw.id,
            channel: raw.channel_id,
            in_server: raw.guild_id.is_some(),
            kind: reader.read("message type", &message["type"]).unwrap_or(DEFAULT),
            author: raw.author,
            nick: member.and_then(|member| member.nick),
            by_webhook: raw.webhook_id.is_some(),
            content,
            mentions: reader.read_all("mention", &message["mentions"]),
            mention_roles: reader.read_all("mentioned role", &message["mention_roles"]),
            answered: reader.read("answered message", &message["referenced_message"]),
            reference: reader.read("message reference", &message["message_reference"]),
            quote: quote(&message["referenced_message"]),
        })
    }

    /// Says that somebody else wrote it: neither the bot itself nor Discord, such as that somebody joined.
    pub(super) fn is_for(&self, bot: &Bot) -> bool {
        [DEFAULT, REPLY].contains(&self.kind) && !self.content.is_empty() && self.author.id != bot.id
    }

    /// Its id.
    pub(super) const fn id(&self) -> id::MessageId {
        self.id
    }

    /// True where it stands for the message that its thread was made from.
    pub(super) const fn begins_thread(&self) -> bool {
        self.kind == THREAD_STARTER
    }

    /// The message for one that comes after it; `None` for news of Discord's own, and for what says nothing.
    pub(super) fn in_thread(self, own_id: id::UserId) -> Option<ThreadMessage> {
        let is_written = [DEFAULT, REPLY].contains(&self.kind) || COMMAND_ANSWERS.contains(&self.kind);
        let Content {
            text,
            files,
            stickers,
        } = self.content;
        let files = files.iter().chain(&stickers).map(|file| file.name.as_str());
        let text = words(text, files).filter(|_| is_written)?;
        let author = self.author;
        let username = author.username();
        let name = self.nick.or(author.global_name).unwrap_or(username);
        Some(ThreadMessage {
            sender: Some(author.id.to_string().into()),
            is_bot: author.bot || self.by_webhook,
            said: QuotedMessage {
                id: Some(self.id.to_string().into()),
                sender: Some(name),
                text,
                own: author.id == own_id,
            },
        })
    }

    /// The message, which stands in a channel of this kind.
    pub(super) fn inbound(self, stands_at: KnownPlace, channel: &ChannelId, bot: &Bot) -> Inbound {
        let answers_bot = self.answered.is_some_and(|answered| answered.author.id == bot.id);
        let named = self.mentions.iter().any(|user| user.id == bot.id)
            || self.mention_roles.iter().any(|role| bot.roles.contains(role));
        let stands_in = self.channel.to_string();
        let KnownPlace { place, name } = stands_at;
        let (chat, thread) = match place {
            Place::Chat => (stands_in, None),
            Place::ThreadOf(parent) => (parent.to_string(), Some(ThreadId::from(stands_in))),
        };
        let author = self.author;
        let display_name = [&self.nick, &author.global_name].into_iter().flatten().next();
        let display_name = display_name.cloned().unwrap_or_else(|| author.username());
        let username = author.username();
        let context = InboundContext {
            quote: self.quote.filter(|_| self.kind == REPLY),
            group: name.filter(|_| self.in_server).map(|name| GroupInfo {
                name: Some(name),
                ..GroupInfo::default()
            }),
            // Whom a server calls by a nickname has another name elsewhere.
            sender: Some(SenderIds {
                names: author
                    .global_name
                    .filter(|name| *name != display_name)
                    .into_iter()
                    .collect(),
                ..SenderIds::default()
            }),
            ..InboundContext::default()
        };
        Inbound {
            channel: channel.clone(),
            account: None,
            chat: chat.into(),
            chat_type: if self.in_server {
                ChatType::Group
            } else {
                ChatType::Direct
            },
            thread,
            message: self.id.to_string().into(),
            forwarded: self.reference.as_ref().is_some_and(|of| of.kind == FORWARD),
            reply_to: self
                .reference
                .filter(|_| self.kind == REPLY)
                .and_then(|answered| answered.message_id)
                .map(|answered| answered.to_string().into()),
            sender: Sender {
                id: author.id.to_string().into(),
                display_name,
                name: username,
                is_bot: author.bot || self.by_webhook,
            },
            mentioned: answers_bot || named,
            text: self.content.text,
            files: self
                .content
                .files
                .into_iter()
                .chain(self.content.stickers)
                .collect(),
            at: written_at(self.id),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: context.bounded(),
        }
    }
}

/// The message that is answered, which Discord sends along.
fn quote(answered: &Value) -> Option<QuotedMessage> {
    let author = &answered["author"];
    answered.is_object().then(|| QuotedMessage {
        id: told_id(&answered["id"]).map(Into::into),
        sender: told_text(&author["global_name"]).or_else(|| told_text(&author["username"])),
        text: told_text(&answered["content"]).unwrap_or_default(),
        own: false,
    })
}

impl File {
    fn attachment(self) -> Attachment {
        let unknown = || "application/octet-stream".to_owned();
        Attachment {
            name: self.filename,
            media_type: self.content_type.unwrap_or_else(unknown),
            size: self.size,
            source: self.url,
        }
    }
}

impl Sticker {
    /// The picture that it is (<https://discord.com/developers/docs/resources/sticker#sticker-object-sticker-format-types>),
    /// and where that is (<https://discord.com/developers/docs/reference#image-formatting-cdn-endpoints>).
    fn attachment(&self) -> Attachment {
        let (host, extension, media_type) = match self.format_type {
            3 => ("discord.com", "json", "application/json"),
            4 => ("media.discordapp.net", "gif", "image/gif"),
            _ => ("cdn.discordapp.com", "png", "image/png"),
        };
        Attachment {
            name: format!("{}.{extension}", self.name),
            media_type: media_type.into(),
            size: None,
            source: Some(format!("https://{host}/stickers/{}.{extension}", self.id)),
        }
    }
}

/// An id begins with its time.
pub(super) fn written_at(message: id::MessageId) -> Timestamp {
    let ms = (message.get() >> TIME_BITS) + EPOCH_MS;
    // 42 bits and a date: far from what an i64 holds.
    Timestamp(ms.cast_signed())
}

/// The roles of a server that belong to the bot alone.
/// <https://discord.com/developers/docs/topics/permissions#role-object-role-tags-structure>
pub(super) fn roles_of(bot: &Bot, server: &Value) -> Vec<id::RoleId> {
    let roles = server["roles"].as_array().into_iter().flatten();
    let owned = roles.filter(|role| role["tags"]["bot_id"].as_str() == Some(&bot.id.to_string()));
    owned
        .filter_map(|role| serde_json::from_value(role["id"].clone()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_ids_and_texts_are_asked_to_be_what_they_should_be() {
        for field in [
            "/author/username",
            "/author/global_name",
            "/author/bot",
            "/guild_id",
            "/webhook_id",
        ] {
            for value in [json!({"of": "a new kind"}), json!(null)] {
                let mut message = json!({"id": "5", "channel_id": "6", "content": "Hello", "guild_id": null,
                    "webhook_id": null, "author": {"id": "7", "username": "ana", "global_name": "Ana", "bot": false}});
                *message.pointer_mut(field).expect("a field") = value.clone();
                let mut reader = Reader::default();
                let read = Message::read(&message, &mut reader).expect("a message");
                assert_eq!(read.content.text, "Hello", "{field} {value}");
                assert!(reader.into_failed().is_empty(), "{field} {value}");
            }
        }
    }
}
