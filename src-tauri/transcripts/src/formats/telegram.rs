//! Telegram Desktop exports: one chat, or a whole account with many.

use crate::{
    ChatPlace, Conversation, DamageReason, DeliveredMessage, DeliveredReaction, Person, Refusal,
    elements::{Element, Elements, Wanted},
    json::{self, text},
    reading::Reading,
    source::Source,
};
use foldback_wire::Timestamp;
use serde_json::Value;

/// Reads an export.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut export = Export::default();
    let mut elements = Elements::new(source, |path| {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        match keys[..] {
            []
            | ["messages" | "chats" | "left_chats"]
            | ["chats" | "left_chats", "list"]
            | ["chats" | "left_chats", "list", "[]"]
            | ["chats" | "left_chats", "list", "[]", "messages"] => Wanted::Enter,
            ["messages", "[]"] | ["chats" | "left_chats", "list", "[]", "messages", "[]"] => Wanted::Take,
            ["name" | "type" | "id"] | ["chats" | "left_chats", "list", "[]", "name" | "type" | "id"] => {
                Wanted::Take
            }
            _ => Wanted::Skip,
        }
    });
    while let Some(element) = elements.next()? {
        export.add(element, reading);
    }
    if elements.is_open() {
        reading.note(
            "The file ends before its list does, as an interrupted export: what came after is missing.",
        );
    }
    for conversation in &mut reading.conversations {
        if is_bot_chat(conversation) {
            // The account of a bot chat is that of its id; everything else is the owner's.
            let bot = conversation
                .id
                .strip_prefix("bot_chat:")
                .map(|id| format!("user{id}"));
            for message in conversation
                .messages
                .iter_mut()
                .filter(|message| !message.service)
            {
                message.from_bot = Some(message.sender.id == bot);
            }
        }
    }
    Ok(())
}

fn is_bot_chat(conversation: &Conversation) -> bool {
    conversation.id.starts_with("bot_chat:")
}

/// A chat while its head is read: the head may come after its messages.
#[derive(Default)]
struct Export {
    /// The chat that `place` belongs to, as its path says.
    place: Option<usize>,
    id: Option<String>,
    kind: Option<String>,
}

impl Export {
    fn add(&mut self, element: Element, reading: &mut Reading) {
        let is_message = element.path.last().is_some_and(|key| key == "[]");
        let bytes = match element.bytes {
            Ok(bytes) => bytes,
            Err(reason) => {
                reading.damage(element.line, element.offset, reason);
                return;
            }
        };
        if is_message {
            if let Some(message) = reading.parse(element.line, element.offset, &bytes, true) {
                let place = self.chat(reading);
                add_message(&message, place, element.line, element.offset, reading);
            }
            return;
        }
        let Ok((value, _)) = json::parse(&bytes) else {
            reading.damage(element.line, element.offset, DamageReason::NotJson);
            return;
        };
        let key = element.path.last().map(String::as_str).unwrap_or_default();
        // A key that was read already begins the next chat of the list.
        let again = match key {
            "type" => self.kind.is_some(),
            "id" => self.id.is_some(),
            _ => false,
        };
        // A chat with a name begins with it; saved messages have none and begin with their type.
        if again || key == "name" && (self.id.is_some() || self.kind.is_some()) {
            *self = Self::default();
        }
        let place = self.chat(reading);
        match key {
            "name" => reading.conversations[place].title = value.as_str().map(str::to_owned),
            "type" => self.kind = value.as_str().map(str::to_owned),
            _ => self.id = Some(json::words(&value)),
        }
        if let (Some(kind), Some(id)) = (&self.kind, &self.id) {
            let conversation = &mut reading.conversations[place];
            conversation.id = format!("{kind}:{id}");
            conversation.chat = Some(ChatPlace {
                platform: Some("telegram".to_owned()),
                chat: Some(id.clone()),
                thread: None,
                group: kind.contains("group") || kind.contains("channel"),
            });
        }
    }

    fn chat(&mut self, reading: &mut Reading) -> usize {
        *self.place.get_or_insert_with(|| {
            reading.conversations.push(Conversation::default());
            reading.conversations.len() - 1
        })
    }
}

fn add_message(message: &Value, place: usize, line: u64, offset: u64, reading: &mut Reading) {
    let kind = text(message, "type").unwrap_or_default();
    if kind == "unsupported" {
        reading.aside("message", "unsupported");
        return;
    }
    let service = kind == "service";
    if !service && kind != "message" {
        reading.unknown("message", kind);
        return;
    }
    let Some(id) = json::id(message, "id") else {
        reading.damage(line, offset, DamageReason::MissingField);
        return;
    };
    let seconds = text(message, "date_unixtime").and_then(|seconds| seconds.parse::<i64>().ok());
    let exact = seconds.map(|seconds| Timestamp(seconds.saturating_mul(1_000)));
    let local = || text(message, "date").and_then(|date| Timestamp::parse(&format!("{date}Z")));
    let at = exact.or_else(local);
    if exact.is_none() && at.is_some() {
        reading.note("Some times have no zone: they are those of the machine that exported, read as UTC.");
    }
    let (from, from_id) = if service {
        ("actor", "actor_id")
    } else {
        ("from", "from_id")
    };
    let reply_to = json::id(message, "reply_to_message_id");
    let elsewhere = json::id(message, "reply_to_peer_id");
    let files = ["photo", "file"]
        .into_iter()
        .filter_map(|key| text(message, key))
        .map(file_name);
    let said = plain(message.get("text").unwrap_or(&Value::Null));
    reading.conversations[place].messages.push(DeliveredMessage {
        id,
        at,
        local_time: exact.is_none() && at.is_some(),
        sender: Person {
            id: json::id(message, from_id),
            name: text(message, from).map(str::to_owned),
        },
        text: if service && said.is_empty() {
            text(message, "action").unwrap_or_default().to_owned()
        } else {
            said
        },
        // An answer to another chat has no message here.
        reply_to: reply_to.map(|id| elsewhere.map_or(id.clone(), |peer| format!("{peer}/{id}"))),
        edited: message.get("edited").is_some(),
        forwarded: message.get("forwarded_from").is_some(),
        service,
        reactions: json::list(message, "reactions").iter().map(reaction).collect(),
        files: files.collect(),
        ..DeliveredMessage::default()
    });
}

/// Plain text of a text with marks: its parts one after the other.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .map(|part| part.as_str().or_else(|| text(part, "text")).unwrap_or_default())
            .collect(),
        _ => String::new(),
    }
}

/// The name of a file; of one that was not exported there is a sentence in its place.
fn file_name(path: &str) -> String {
    if path.starts_with('(') {
        return "file that was not exported".to_owned();
    }
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

fn reaction(reaction: &Value) -> DeliveredReaction {
    let custom = || json::id(reaction, "document_id").map(|id| format!("custom emoji {id}"));
    DeliveredReaction {
        emoji: text(reaction, "emoji")
            .map(str::to_owned)
            .or_else(custom)
            .unwrap_or_else(|| text(reaction, "type").unwrap_or("reaction").to_owned()),
        count: reaction.get("count").and_then(Value::as_u64).unwrap_or(1),
    }
}
