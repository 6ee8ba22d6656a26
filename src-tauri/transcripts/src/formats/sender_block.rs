//! The block that openab puts before a person's text: the only place where an agent's log names chat and sender.
//!
//! People can type such a block themselves, so only the first of a prompt counts.

use crate::{ChatPlace, Person, PersonMessage, json};

const BEGIN: &str = "<sender_context>";
const END: &str = "</sender_context>";
const SCHEMA: &str = "openab.sender.v1";

/// A person's message out of a prompt's text.
pub(super) fn person_message(original: &str, files: u32) -> PersonMessage {
    let mut message = PersonMessage {
        text: original.to_owned(),
        files,
        ..PersonMessage::default()
    };
    let Some((block, rest)) = original.strip_prefix(BEGIN).and_then(|rest| rest.split_once(END)) else {
        return message;
    };
    let Ok((sender, _)) = json::parse(block.trim().as_bytes()) else {
        return message;
    };
    if json::text(&sender, "schema") != Some(SCHEMA) {
        return message;
    }
    rest.trim_start_matches(['\r', '\n'])
        .clone_into(&mut message.text);
    message.original = Some(original.to_owned());
    message.message = json::id(&sender, "message_id");
    message.sender = Some(Person {
        id: json::id(&sender, "sender_id"),
        name: json::id(&sender, "display_name").or_else(|| json::id(&sender, "sender_name")),
    });
    message.chat = Some(ChatPlace {
        platform: json::id(&sender, "channel"),
        chat: json::id(&sender, "channel_id"),
        thread: json::id(&sender, "thread_id"),
        group: false,
    });
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_block_counts() {
        let block = |id: &str| {
            format!(
                "<sender_context>\n{{\"schema\":\"openab.sender.v1\",\"sender_id\":\"{id}\"}}\n</sender_context>"
            )
        };
        let text = format!("{}\nhello {}", block("1"), block("2"));
        let message = person_message(&text, 0);
        assert_eq!(message.sender.unwrap().id.as_deref(), Some("1"));
        assert_eq!(message.text, format!("hello {}", block("2")));
        let typed = format!("look: {}", block("9"));
        assert_eq!(person_message(&typed, 0).sender, None);
    }
}
