//! Slack exports: a folder a channel, a file a day, and lists of people and channels beside them.
//!
//! A single file is read alone; [`join_slack`] puts the files of an export together: names, days and threads.

use crate::{
    ChatPlace, Conversation, DamageReason, DeliveredMessage, DeliveredReaction, Person, Refusal, SlackNames,
    Transcript,
    elements::{Elements, Wanted},
    json::{self, text},
    reading::Reading,
    source::Source,
};
use foldback_wire::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

/// Subtypes that the platform writes.
const SERVICE: [&str; 12] = [
    "channel_join",
    "channel_leave",
    "channel_topic",
    "channel_purpose",
    "channel_name",
    "channel_archive",
    "channel_unarchive",
    "group_join",
    "group_leave",
    "pinned_item",
    "bot_add",
    "bot_remove",
];

/// Subtypes of messages that a person or a bot wrote.
const WRITTEN: [&str; 7] = [
    "bot_message",
    "thread_broadcast",
    "me_message",
    "file_comment",
    "file_share",
    "reminder_add",
    "reply_broadcast",
];

/// Reads one file of an export.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut conversation = Conversation {
        id: "slack".to_owned(),
        chat: Some(ChatPlace {
            platform: Some("slack".to_owned()),
            ..ChatPlace::default()
        }),
        ..Conversation::default()
    };
    let mut names = SlackNames::default();
    let mut elements = Elements::new(source, |path| match path {
        [] => Wanted::Enter,
        _ => Wanted::Take,
    });
    while let Some(element) = elements.next()? {
        let (line, offset) = (element.line, element.offset);
        let value = match element.bytes {
            Ok(bytes) => reading.parse(line, offset, &bytes, true),
            Err(reason) => {
                reading.damage(line, offset, reason);
                None
            }
        };
        let Some(value) = value else { continue };
        if text(&value, "ts").is_some() {
            conversation.messages.extend(message(&value, reading));
        } else if let (Some(id), Some(name)) = (text(&value, "id"), text(&value, "name")) {
            if value.get("members").is_some() || value.get("is_archived").is_some() {
                names.channels.insert(name.to_owned(), id.to_owned());
            } else {
                let shown = value
                    .get("profile")
                    .and_then(|profile| text(profile, "display_name"))
                    .filter(|name| !name.is_empty());
                let name = shown
                    .or_else(|| text(&value, "real_name"))
                    .unwrap_or(name)
                    .to_owned();
                names
                    .people
                    .insert(id.to_owned(), (name, json::flag(&value, "is_bot")));
            }
        } else {
            reading.damage(line, offset, DamageReason::MissingField);
        }
    }
    if elements.is_open() {
        reading.note("The file ends before its list does: what came after is missing.");
    }
    if !conversation.messages.is_empty() {
        reading.conversations.push(conversation);
    }
    if names != SlackNames::default() {
        reading.names = Some(names);
    }
    Ok(())
}

fn message(value: &Value, reading: &mut Reading) -> Option<DeliveredMessage> {
    let ts = text(value, "ts")?;
    if text(value, "type").is_some_and(|kind| kind != "message") {
        reading.unknown("entry", text(value, "type").unwrap_or_default());
        return None;
    }
    let subtype = text(value, "subtype");
    let service = subtype.is_some_and(|subtype| SERVICE.contains(&subtype));
    if let Some(subtype) = subtype.filter(|subtype| !service && !WRITTEN.contains(subtype)) {
        reading.unknown("message", subtype);
    }
    let thread = text(value, "thread_ts").map(str::to_owned);
    let said = text(value, "text").unwrap_or_default();
    let blocks;
    let said = if said.is_empty() {
        blocks = block_text(json::list(value, "blocks"));
        &blocks
    } else {
        said
    };
    let by_bot = value.get("bot_id").is_some() || subtype == Some("bot_message");
    let files = json::list(value, "files").iter().map(|file| {
        text(file, "name").map_or_else(
            || match text(file, "mode") {
                Some("tombstone") => "deleted file".to_owned(),
                _ => "file".to_owned(),
            },
            str::to_owned,
        )
    });
    let reactions = json::list(value, "reactions")
        .iter()
        .map(|reaction| DeliveredReaction {
            emoji: text(reaction, "name").unwrap_or_default().to_owned(),
            count: reaction.get("count").and_then(Value::as_u64).unwrap_or(1),
        });
    Some(DeliveredMessage {
        id: ts.to_owned(),
        at: time(ts),
        sender: Person {
            id: json::id(value, "user").or_else(|| json::id(value, "bot_id")),
            name: text(value, "username").map(str::to_owned),
        },
        from_bot: by_bot.then_some(true),
        text: unescaped(said),
        // The first message of a thread answers nothing.
        reply_to: thread.clone().filter(|thread| thread != ts),
        thread,
        edited: value.get("edited").is_some(),
        service,
        reactions: reactions.collect(),
        files: files.collect(),
        ..DeliveredMessage::default()
    })
}

/// The time of `seconds.microseconds`, which is never read as a float: it is an id.
fn time(ts: &str) -> Option<Timestamp> {
    let (seconds, rest) = ts.split_once('.').unwrap_or((ts, ""));
    let seconds: i64 = seconds.parse().ok()?;
    let digits = format!("{:0<3}", rest.get(..3).unwrap_or(rest));
    let ms: i64 = digits.parse().ok()?;
    Some(Timestamp(seconds.checked_mul(1_000)?.checked_add(ms)?))
}

/// Texts of blocks, where a message has no text of its own.
fn block_text(blocks: &[Value]) -> String {
    let texts = blocks.iter().filter_map(|block| block.get("text"));
    let texts: Vec<&str> = texts
        .filter_map(|said| said.as_str().or_else(|| text(said, "text")))
        .collect();
    texts.join("\n")
}

/// Text without Slack's escapes; `<@U…>` and links stay as they are until names are known.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The files of one export as one transcript. Each comes with the name of its folder, which is that of the channel.
pub fn join_slack(files: Vec<(String, Transcript)>) -> Option<Transcript> {
    let mut names = SlackNames::default();
    for (_, file) in &files {
        if let Some(own) = &file.names {
            names.people.extend(own.people.clone());
            names.channels.extend(own.channels.clone());
        }
    }
    let mut joined: Option<Transcript> = None;
    let mut channels: BTreeMap<String, Vec<DeliveredMessage>> = BTreeMap::new();
    for (folder, mut file) in files {
        let messages = file.conversations.drain(..).flat_map(|one| one.messages);
        channels.entry(folder).or_default().extend(messages);
        match &mut joined {
            None => joined = Some(file),
            Some(joined) => {
                for note in file.notes {
                    if !joined.notes.contains(&note) {
                        joined.notes.push(note);
                    }
                }
                add_counts(&mut joined.aside, file.aside);
                add_counts(&mut joined.unknown, file.unknown);
                joined.damaged.extend(file.damaged);
                joined.damaged_places += file.damaged_places;
            }
        }
    }
    let mut joined = joined?;
    for (name, mut messages) in channels {
        if messages.is_empty() {
            continue;
        }
        messages.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        for message in &mut messages {
            if let Some((name, is_bot)) = message.sender.id.as_ref().and_then(|id| names.people.get(id)) {
                message.sender.name.get_or_insert_with(|| name.clone());
                message.from_bot.get_or_insert(*is_bot);
            }
        }
        let id = names.channels.get(&name).cloned();
        if id.is_none() && !names.channels.is_empty() {
            joined.notes.push(
                "A folder is named in none of the lists of channels; its messages come in all the same."
                    .to_owned(),
            );
        }
        joined.conversations.push(Conversation {
            id: id.clone().unwrap_or_else(|| name.clone()),
            title: Some(name),
            chat: Some(ChatPlace {
                platform: Some("slack".to_owned()),
                chat: id,
                thread: None,
                group: true,
            }),
            messages,
            ..Conversation::default()
        });
    }
    joined.names = Some(names);
    Some(joined)
}

fn add_counts(counts: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    for (name, count) in more {
        *counts.entry(name).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_without_a_float() {
        assert_eq!(time("1772438405.000200"), Some(Timestamp(1_772_438_405_000)));
        assert_eq!(time("1772438405.9"), Some(Timestamp(1_772_438_405_900)));
        assert_eq!(time("x"), None);
        assert_eq!(time("9999999999999999999.1"), None);
    }
}
