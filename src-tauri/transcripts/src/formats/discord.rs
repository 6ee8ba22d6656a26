//! Exports of DiscordChatExporter: one channel a file.

use crate::{
    ChatPlace, Conversation, DamageReason, DeliveredMessage, DeliveredReaction, Person, Refusal,
    elements::{Elements, Wanted},
    json::{self, text},
    reading::Reading,
    source::Source,
};
use foldback_wire::Timestamp;
use serde_json::Value;

/// Milliseconds from 1970 to the beginning of Discord's ids.
const EPOCH: i64 = 1_420_070_400_000;

/// Kinds of messages that the platform writes.
const SERVICE: [&str; 8] = [
    "RecipientAdd",
    "RecipientRemove",
    "Call",
    "ChannelNameChange",
    "ChannelIconChange",
    "ChannelPinnedMessage",
    "GuildMemberJoin",
    "ThreadCreated",
];

/// Reads an export.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut conversation = Conversation::default();
    let mut place = ChatPlace {
        platform: Some("discord".to_owned()),
        ..ChatPlace::default()
    };
    let mut counted = None;
    let mut elements = Elements::new(source, |path| match path {
        [] => Wanted::Enter,
        [key] if key == "messages" => Wanted::Enter,
        [key] if matches!(key.as_str(), "guild" | "channel" | "messageCount") => Wanted::Take,
        [key, _] if key == "messages" => Wanted::Take,
        _ => Wanted::Skip,
    });
    while let Some(element) = elements.next()? {
        let (line, offset) = (element.line, element.offset);
        let bytes = match element.bytes {
            Ok(bytes) => bytes,
            Err(reason) => {
                reading.damage(line, offset, reason);
                continue;
            }
        };
        if element.path.len() == 2 {
            if let Some(value) = reading.parse(line, offset, &bytes, true) {
                match message(&value, reading) {
                    Some(message) => conversation.messages.push(message),
                    None => reading.damage(line, offset, DamageReason::MissingField),
                }
            }
            continue;
        }
        let Ok((value, _)) = json::parse(&bytes) else {
            reading.damage(line, offset, DamageReason::NotJson);
            continue;
        };
        match element.path.first().map(String::as_str) {
            // Direct messages have a guild of this id.
            Some("guild") => place.group = json::id(&value, "id").is_some_and(|id| id != "0"),
            Some("channel") => {
                place.chat = json::id(&value, "id");
                conversation.title = text(&value, "name").map(str::to_owned);
            }
            _ => counted = value.as_u64(),
        }
    }
    match counted {
        None => reading.note("The export has no end: it was interrupted, and what came after is missing."),
        Some(count) if count != conversation.messages.len() as u64 => {
            reading.note(format!(
                "The export says that it has {count} messages; {} could be read.",
                conversation.messages.len()
            ));
        }
        Some(_) => {}
    }
    // A file may be in reverse order; ids are in the order of time.
    conversation
        .messages
        .sort_by_key(|message| message.id.parse::<u64>().unwrap_or(u64::MAX));
    conversation.id = place.chat.clone().unwrap_or_else(|| "discord".to_owned());
    conversation.chat = Some(place);
    if !conversation.messages.is_empty() {
        reading.conversations.push(conversation);
    }
    Ok(())
}

fn message(value: &Value, reading: &mut Reading) -> Option<DeliveredMessage> {
    let id = json::id(value, "id")?;
    let kind = text(value, "type").unwrap_or("Default");
    let service = SERVICE.contains(&kind);
    let is_number = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_digit());
    if !service && !matches!(kind, "Default" | "Reply" | "20") {
        reading.unknown("message", if is_number { kind } else { "of.another.kind" });
    }
    let author = value.get("author").unwrap_or(&Value::Null);
    let snowflake = || id.parse::<i64>().ok().map(|id| Timestamp((id >> 22) + EPOCH));
    let forwarded = value
        .get("forwardedMessage")
        .filter(|message| message.is_object());
    let own = text(value, "content").unwrap_or_default();
    let said = forwarded
        .filter(|_| own.is_empty())
        .and_then(|message| text(message, "content"))
        .unwrap_or(own);
    // Pins and forwards have a reference too.
    let reply_to = (kind == "Reply")
        .then(|| {
            value
                .get("reference")
                .and_then(|reference| json::id(reference, "messageId"))
        })
        .flatten();
    let named = |key: &str, name: &'static str| {
        let all = json::list(value, key).iter();
        let all = all.map(move |one| text(one, name).unwrap_or("file").to_owned());
        all.collect::<Vec<_>>()
    };
    let mut files = named("attachments", "fileName");
    files.extend(named("stickers", "name"));
    let reactions = json::list(value, "reactions")
        .iter()
        .map(|reaction| DeliveredReaction {
            emoji: reaction
                .get("emoji")
                .and_then(|emoji| text(emoji, "name"))
                .unwrap_or_default()
                .to_owned(),
            count: reaction.get("count").and_then(Value::as_u64).unwrap_or(1),
        });
    Some(DeliveredMessage {
        at: json::time(value, "timestamp").or_else(snowflake),
        sender: Person {
            id: json::id(author, "id"),
            name: text(author, "nickname")
                .or_else(|| text(author, "name"))
                .map(str::to_owned),
        },
        from_bot: author.get("isBot").and_then(Value::as_bool),
        text: said.to_owned(),
        reply_to,
        edited: value
            .get("timestampEdited")
            .is_some_and(|edited| !edited.is_null()),
        forwarded: forwarded.is_some(),
        service,
        reactions: reactions.collect(),
        files,
        id,
        ..DeliveredMessage::default()
    })
}
