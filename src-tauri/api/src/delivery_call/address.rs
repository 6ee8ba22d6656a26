//! The place of a call in one of the ancestor's shapes, and the person it is for.

use super::{Call, UnreadableCall, given, id_text, unreadable};
use foldback_wire::{ChannelId, ChatType, ReplyAddress, Sender};
use serde_json::{Map, Value};

/// The ancestor's names of interfaces, where dropping `_bot` does not make them ours.
const NAMES: [(&str, &str); 3] = [
    ("synth_webui", "web_chat"),
    ("telegram_userbot", "telegram_user"),
    ("matrix_chat", "matrix"),
];

/// The part of a call that tells its place.
#[derive(Debug, Default)]
pub(super) struct Addressing {
    interface: String,
    chat: Option<String>,
    chat_type: Option<ChatType>,
    thread: Option<String>,
    message: Option<String>,
    requester: Option<Sender>,
}

impl Addressing {
    /// The place in an `original_context`.
    pub(super) fn of_context(context: &Value) -> Result<Self, UnreadableCall> {
        let Value::Object(fields) = context else {
            return unreadable("original_context: must be an object");
        };
        let mut place = Self::of_fields(fields, "original_context")?;
        let interface = given(fields, "interface_name").and_then(Value::as_str);
        place.interface = match interface.or_else(|| path_interface(fields)) {
            Some(name) => name.to_owned(),
            None => return unreadable("original_context.interface_name: is missing"),
        };
        Ok(place)
    }

    /// The place that `message`, `interface` and `context` tell.
    pub(super) fn of_interface(call: Call<'_>) -> Result<Self, UnreadableCall> {
        let empty = Map::new();
        let fields = |key: &str| call.given(key).and_then(Value::as_object);
        let mut place = Self::of_fields(fields("message").unwrap_or(&empty), "message")?;
        let beside = Self::of_fields(fields("context").unwrap_or(&empty), "context")?;
        place.chat = place.chat.or(beside.chat);
        place.chat_type = place.chat_type.or(beside.chat_type);
        place.thread = place.thread.or(beside.thread);
        place.message = place.message.or(beside.message);
        place.requester = place.requester.or(beside.requester);
        let named = match call.given("interface") {
            Some(Value::String(name)) => Some(name.as_str()),
            Some(Value::Object(interface)) => ["id", "interface_id", "name"]
                .into_iter()
                .find_map(|key| given(interface, key)?.as_str()),
            _ => None,
        };
        let path = |key: &str| fields(key).and_then(path_interface);
        let named = named.or_else(|| path("message")).or_else(|| path("context"));
        place.interface = match named {
            Some(name) => name.to_owned(),
            None => return unreadable("interface: is missing"),
        };
        Ok(place)
    }

    fn of_fields(fields: &Map<String, Value>, of: &str) -> Result<Self, UnreadableCall> {
        let id = |key: &str| {
            let value = given(fields, key);
            value
                .map(|value| id_text(value, &format!("{of}.{key}")))
                .transpose()
        };
        let path = given(fields, "interface_path").and_then(Value::as_str);
        let mut path = path.unwrap_or_default().splitn(3, '/').skip(1).map(str::to_owned);
        let (path_chat, path_thread) = (path.next(), path.next());
        let chat = given(fields, "chat").and_then(Value::as_object);
        let in_chat = chat.and_then(|chat| given(chat, "id"));
        let in_chat = in_chat
            .map(|id| id_text(id, &format!("{of}.chat.id")))
            .transpose()?;
        let thread = id("thread_id")?.or(id("message_thread_id")?);
        let word = given(fields, "chat_type").or_else(|| chat.and_then(|chat| given(chat, "type")));
        Ok(Self {
            interface: String::new(),
            chat: id("chat_id")?.or(in_chat).or(path_chat),
            chat_type: word.and_then(Value::as_str).map(chat_type),
            thread: thread.or(path_thread).filter(|thread| !thread.is_empty()),
            // The ancestor writes 0 where there is none.
            message: id("message_id")?.filter(|message| message != "0" && !message.is_empty()),
            requester: given(fields, "from_user").map(sender).transpose()?,
        })
    }

    /// The reply address and the requester: without one, the chat itself, as in the ancestor.
    pub(super) fn settle(
        self,
        call: Call<'_>,
        channels: &[ChannelId],
    ) -> Result<(ReplyAddress, Sender), UnreadableCall> {
        let Some(chat) = self.chat.filter(|chat| !chat.is_empty()) else {
            return unreadable("chat_id: is missing, so nobody could be answered");
        };
        let requester = call.given("requester").map(sender).transpose()?;
        let requester = requester.or(self.requester).unwrap_or_else(|| Sender {
            id: chat.as_str().into(),
            name: "auto_response".to_owned(),
            display_name: "AutoResponse".to_owned(),
            is_bot: false,
        });
        let origin = ReplyAddress {
            channel: channel_of(&self.interface, channels),
            account: None,
            chat: chat.into(),
            chat_type: self.chat_type.unwrap_or(ChatType::Direct),
            thread: self.thread.map(Into::into),
            message: self.message.map(Into::into),
            dry_run: false,
        };
        Ok((origin, requester))
    }
}

/// The interface that an `interface_path` begins with.
fn path_interface(fields: &Map<String, Value>) -> Option<&str> {
    let path = given(fields, "interface_path")?.as_str()?;
    path.split('/').next().filter(|name| !name.is_empty())
}

/// The channel that an interface's name means: a channel of that name, else the ancestor's name made ours.
fn channel_of(interface: &str, channels: &[ChannelId]) -> ChannelId {
    let known = channels.iter().find(|channel| channel.as_str() == interface);
    let ours = || {
        let renamed = NAMES.iter().find(|(theirs, _)| *theirs == interface);
        let plain = interface.strip_suffix("_bot").unwrap_or(interface);
        ChannelId::new(renamed.map_or(plain, |(_, ours)| ours))
    };
    known.cloned().unwrap_or_else(ours)
}

/// The kind of a chat by any of the platforms' words.
fn chat_type(word: &str) -> ChatType {
    match word {
        "group" | "supergroup" | "channel" => ChatType::Group,
        _ => ChatType::Direct,
    }
}

/// A person as the ancestor has them.
fn sender(value: &Value) -> Result<Sender, UnreadableCall> {
    let Value::Object(fields) = value else {
        return unreadable("requester: must be an object with an id");
    };
    let Some(id) = given(fields, "id") else {
        return unreadable("requester.id: is missing");
    };
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| given(fields, key)?.as_str());
        found.unwrap_or_default().to_owned()
    };
    Ok(Sender {
        id: id_text(id, "requester.id")?.into(),
        name: text(&["name", "username"]),
        display_name: text(&["display_name", "full_name", "first_name"]),
        is_bot: given(fields, "is_bot").and_then(Value::as_bool).unwrap_or(false),
    })
}
