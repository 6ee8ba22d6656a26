//! The parts of a message that tell of other messages and of its place: <https://core.telegram.org/bots/api#message>.

use crate::told::{decimal, id, text};
use foldback_wire::{GroupInfo, InboundContext, Location, QuotedMessage};
use serde_json::Value;

/// The context that comes beside the text of a message.
pub(super) fn context(message: &Value) -> InboundContext {
    InboundContext {
        quote: quote(message),
        forwarded_from: origin(&message["forward_origin"]),
        location: location(message),
        group: text(&message["chat"]["title"]).map(|name| GroupInfo {
            name: Some(name),
            ..GroupInfo::default()
        }),
        ..InboundContext::default()
    }
}

/// The message that is answered, or the part of it that is quoted. In a topic every message answers the notice that the
/// topic was made, which quotes nothing.
fn quote(message: &Value) -> Option<QuotedMessage> {
    let answered = &message["reply_to_message"];
    if !answered.is_object() || !answered["forum_topic_created"].is_null() {
        return None;
    }
    let said = [&message["quote"]["text"], &answered["text"], &answered["caption"]];
    Some(QuotedMessage {
        id: id(&answered["message_id"]).map(Into::into),
        sender: person(&answered["from"]).or_else(|| text(&answered["sender_chat"]["title"])),
        text: said.into_iter().find_map(text).unwrap_or_default(),
        own: false,
    })
}

/// The author of what is passed on: <https://core.telegram.org/bots/api#messageorigin>.
fn origin(origin: &Value) -> Option<String> {
    let titles = [
        &origin["sender_user_name"],
        &origin["sender_chat"]["title"],
        &origin["chat"]["title"],
    ];
    person(&origin["sender_user"]).or_else(|| titles.into_iter().find_map(text))
}

/// A place, or a venue with its name: <https://core.telegram.org/bots/api#venue>.
fn location(message: &Value) -> Option<Location> {
    let venue = &message["venue"];
    let place = [&message["location"], &venue["location"]];
    let place = place.into_iter().find(|place| place.is_object())?;
    Some(Location {
        latitude: decimal(&place["latitude"])?,
        longitude: decimal(&place["longitude"])?,
        name: text(&venue["title"]),
        address: text(&venue["address"]),
    })
}

/// A person's name as shown.
fn person(user: &Value) -> Option<String> {
    let names = [&user["first_name"], &user["last_name"]];
    let names: Vec<_> = names.into_iter().filter_map(text).collect();
    (!names.is_empty())
        .then(|| names.join(" "))
        .or_else(|| text(&user["username"]))
}
