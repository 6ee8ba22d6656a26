//! Bot Framework transcripts: an array of activities, what was delivered.

use crate::{
    ChatPlace, Conversation, DeliveredMessage, DeliveredReaction, Person, Refusal,
    elements::{Elements, Wanted},
    json::{self, text},
    reading::Reading,
    source::Source,
};
use serde_json::Value;
use std::collections::HashMap;

/// Activities that are no message.
const ASIDE: [&str; 14] = [
    "conversationUpdate",
    "typing",
    "event",
    "invoke",
    "invokeResponse",
    "endOfConversation",
    "trace",
    "handoff",
    "contactRelationUpdate",
    "installationUpdate",
    "suggestion",
    "command",
    "commandResult",
    "deleteUserData",
];

/// Reads a transcript.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut activities = Activities::default();
    let mut elements = Elements::new(source, |path| match path {
        [] => Wanted::Enter,
        _ => Wanted::Take,
    });
    while let Some(element) = elements.next()? {
        match element.bytes {
            Ok(bytes) => {
                if let Some(activity) = reading.parse(element.line, element.offset, &bytes, true) {
                    activities.add(&activity, reading);
                }
            }
            Err(reason) => reading.damage(element.line, element.offset, reason),
        }
    }
    if elements.is_open() {
        reading.note("The file ends before its list does: what came after is missing.");
    }
    Ok(())
}

#[derive(Default)]
struct Activities {
    /// Conversations by platform and id.
    places: HashMap<(String, String), usize>,
    /// Ids that are known to be the bot's.
    bots: Vec<String>,
}

impl Activities {
    fn add(&mut self, activity: &Value, reading: &mut Reading) {
        let kind = text(activity, "type").unwrap_or_default();
        match kind {
            "message" => self.message(activity, reading),
            "messageUpdate" | "messageDelete" | "messageReaction" => self.change(kind, activity, reading),
            known if ASIDE.contains(&known) => {
                if known == "conversationUpdate"
                    && let Some(bot) = activity.get("recipient").and_then(|bot| json::id(bot, "id"))
                {
                    self.bots.push(bot);
                }
                reading.aside("activity", known);
            }
            other => reading.unknown("activity", other),
        }
    }

    fn place(&mut self, activity: &Value, reading: &mut Reading) -> usize {
        let platform = text(activity, "channelId").unwrap_or_default().to_owned();
        let talk = activity.get("conversation");
        let id = talk.and_then(|talk| json::id(talk, "id")).unwrap_or_default();
        *self
            .places
            .entry((platform.clone(), id.clone()))
            .or_insert_with(|| {
                reading.conversations.push(Conversation {
                    id: id.clone(),
                    title: talk.and_then(|talk| text(talk, "name")).map(str::to_owned),
                    chat: Some(ChatPlace {
                        platform: Some(platform).filter(|platform| !platform.is_empty()),
                        chat: Some(id).filter(|id| !id.is_empty()),
                        thread: None,
                        group: talk.is_some_and(|talk| json::flag(talk, "isGroup")),
                    }),
                    ..Conversation::default()
                });
                reading.conversations.len() - 1
            })
    }

    fn message(&mut self, activity: &Value, reading: &mut Reading) {
        let from_bot = self.is_of_bot(activity);
        let place = self.place(activity, reading);
        let from = activity.get("from").unwrap_or(&Value::Null);
        let postback = activity
            .get("channelData")
            .is_some_and(|data| json::flag(data, "postback"));
        let files = json::list(activity, "attachments").iter().map(|file| {
            let name = text(file, "name").or_else(|| text(file, "contentType"));
            name.unwrap_or("attachment").to_owned()
        });
        let said = text(activity, "text").map(str::to_owned);
        let value = activity.get("value").and_then(json::json_text);
        if postback {
            reading.aside("message", "by.button");
        }
        let messages = &mut reading.conversations[place].messages;
        messages.push(DeliveredMessage {
            id: json::id(activity, "id").unwrap_or_else(|| format!("activity-{}", messages.len() + 1)),
            at: json::time(activity, "timestamp"),
            sender: Person {
                id: json::id(from, "id"),
                name: text(from, "name").map(str::to_owned),
            },
            from_bot,
            // What a card or a button gives stands in the place of words.
            text: said.or(value).unwrap_or_default(),
            reply_to: json::id(activity, "replyToId"),
            files: files.collect(),
            ..DeliveredMessage::default()
        });
    }

    fn is_of_bot(&self, activity: &Value) -> Option<bool> {
        let role = |of: &str| activity.get(of).and_then(|of| text(of, "role"));
        match (role("from"), role("recipient")) {
            (Some(role), _) => Some(role == "bot"),
            (None, Some(role)) => Some(role != "bot"),
            (None, None) => {
                let from = activity.get("from").and_then(|from| json::id(from, "id"));
                match from {
                    Some(from) if self.bots.contains(&from) => Some(true),
                    Some(_) => activity.get("replyToId").map(|_| true),
                    None => None,
                }
            }
        }
    }

    fn change(&mut self, kind: &str, activity: &Value, reading: &mut Reading) {
        let place = self.place(activity, reading);
        let target = json::id(
            activity,
            if kind == "messageReaction" {
                "replyToId"
            } else {
                "id"
            },
        );
        let messages = &mut reading.conversations[place].messages;
        let target = target.and_then(|id| messages.iter_mut().find(|message| message.id == id));
        let Some(message) = target else {
            reading.aside("change of a missing message", kind);
            return;
        };
        match kind {
            "messageUpdate" => {
                message.edited = true;
                if let Some(text) = text(activity, "text") {
                    text.clone_into(&mut message.text);
                }
            }
            "messageDelete" => message.deleted = true,
            _ => {
                let names = |key: &str| {
                    let given = json::list(activity, key).iter();
                    given
                        .filter_map(|one| text(one, "type"))
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                };
                for emoji in names("reactionsAdded") {
                    match message.reactions.iter_mut().find(|known| known.emoji == emoji) {
                        Some(known) => known.count += 1,
                        None => message.reactions.push(DeliveredReaction { emoji, count: 1 }),
                    }
                }
                for emoji in names("reactionsRemoved") {
                    message.reactions.retain_mut(|known| {
                        if known.emoji == emoji {
                            known.count = known.count.saturating_sub(1);
                        }
                        known.count > 0
                    });
                }
            }
        }
    }
}
