//! The text that OpenClaw gives its model for a message, and what the person wrote in it.
//!
//! ````text
//! Conversation info (untrusted metadata):
//! ```json
//! {"message_id":"41","sender":"Ben"}
//! ```
//!
//! [Telegram Ben id:5521 Mon 2026-03-02 09:00 GMT+1] what is in this picture?
//! ```

use crate::{ChatPlace, Person, PersonMessage, json};

/// What the heads of fenced blocks end with.
const METADATA: &str = "(untrusted metadata):";

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// What the person wrote; the original stays beside it.
pub(super) fn person_message(original: &str, files: u32) -> PersonMessage {
    let mut message = PersonMessage {
        files,
        ..PersonMessage::default()
    };
    let mut rest = original;
    while let Some((block, after)) = metadata(rest) {
        if let Ok((block, _)) = json::parse(block.as_bytes()) {
            if message.message.is_none() {
                message.message = json::id(&block, "message_id");
            }
            if let Some(name) = json::text(&block, "sender").filter(|_| message.sender.is_none()) {
                message.sender = Some(Person {
                    id: json::id(&block, "sender_id"),
                    name: Some(name.to_owned()),
                });
            }
        }
        rest = after;
    }
    while let Some(after) = note(rest) {
        rest = after;
    }
    if let Some(envelope) = Envelope::of(rest) {
        let mut body = envelope.body;
        if envelope.place.group
            && let Some((name, after)) = body.split_once(": ")
            && !name.contains(['\n', '[', ']'])
        {
            message.sender.get_or_insert_default().name = Some(name.to_owned());
            body = after;
        }
        if !envelope.place.group && message.sender.is_none() {
            message.sender = Some(Person {
                id: envelope.place.chat.clone(),
                name: Some(envelope.name.to_owned()),
            });
        }
        message.chat = Some(envelope.place);
        rest = body;
    }
    rest.clone_into(&mut message.text);
    if rest != original {
        message.original = Some(original.to_owned());
    }
    message
}

/// A fenced block of metadata at the beginning: its JSON, and what follows.
fn metadata(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = text.split_once('\n')?;
    let rest = head.trim_end().ends_with(METADATA).then_some(rest)?;
    let rest = rest.strip_prefix("```json")?.trim_start_matches(['\r', '\n']);
    let (block, after) = rest.split_once("\n```")?;
    Some((block, after.trim_start_matches(['\r', '\n'])))
}

/// A note of the program at the beginning, such as `[media attached: …]`: what follows.
fn note(text: &str) -> Option<&str> {
    if text.starts_with("[media attached:") || text.starts_with("System: [") {
        let (_, after) = text.split_once('\n')?;
        return Some(after.trim_start_matches(['\r', '\n']));
    }
    None
}

struct Envelope<'a> {
    place: ChatPlace,
    name: &'a str,
    body: &'a str,
}

impl<'a> Envelope<'a> {
    /// `[<Channel> <label> id:<chat> +<elapsed> <weekday date time zone>] body`.
    fn of(text: &'a str) -> Option<Self> {
        let (head, body) = text.strip_prefix('[')?.split_once("] ")?;
        // What a person writes in brackets is no envelope: one ends with a date.
        let is_dated = head.split(' ').any(|word| WEEKDAYS.contains(&word));
        let (platform, label) = head.split_once(' ')?;
        if !is_dated || head.contains('\n') {
            return None;
        }
        let before_time = label
            .split(' ')
            .take_while(|word| !word.starts_with('+') && !WEEKDAYS.contains(word));
        let words: Vec<&str> = before_time.collect();
        let chat = words.iter().find_map(|word| word.strip_prefix("id:"));
        let name = label.split(" id:").next().unwrap_or(label);
        let group = words.contains(&"group") || words.contains(&"channel");
        Some(Self {
            place: ChatPlace {
                platform: Some(platform.to_lowercase()),
                chat: chat.map(str::to_owned),
                thread: None,
                group,
            },
            name,
            body,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_a_group_names_its_sender_in_its_body() {
        let text = "[Telegram Team group id:-100200 +47s Mon 2026-03-02 09:01 GMT+1] Cleo: lunch: now?";
        let message = person_message(text, 0);
        assert_eq!(message.text, "lunch: now?");
        assert_eq!(message.sender.unwrap().name.as_deref(), Some("Cleo"));
        let chat = message.chat.unwrap();
        assert_eq!((chat.chat.as_deref(), chat.group), (Some("-100200"), true));
        assert_eq!(message.original.as_deref(), Some(text));
    }

    #[test]
    fn what_a_person_writes_in_brackets_is_no_envelope() {
        for text in ["[draft one] hello", "[[reply]] x", "[Mon] hi", "plain"] {
            let message = person_message(text, 0);
            assert_eq!((message.text.as_str(), message.original), (text, None));
        }
    }
}
