//! A conversation as a fixture: what came in, what the agent wrote, and what the user ends up with here.

use super::{
    MessageIds, platform_of,
    script::{Pace, script},
    sender, text_in,
};
use crate::{
    fixture,
    run::{Options, run},
    update::updated,
};
use foldback_transcripts::{Conversation, FormatContent, Transcript};
use foldback_wire::Platform;
use serde_json::{Value, json};
use std::{fmt::Write, path::Path};

/// A conversation as a fixture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationFixture {
    /// Its YAML.
    pub text: String,
    /// Turns in it.
    pub turns: usize,
    /// Why its expectations could not be filled in, in words; then it expects nothing.
    pub without_expectations: Option<String>,
}

/// A fixture of a conversation with raw output; `None` where it has no turn. Its expectations are what comes of it here.
pub fn conversation_fixture(
    transcript: &Transcript,
    conversation: &Conversation,
    platform: Option<Platform>,
) -> Option<ConversationFixture> {
    if transcript.format.row().content != FormatContent::Raw || conversation.turns.is_empty() {
        return None;
    }
    let platform = platform.unwrap_or_else(|| platform_of(conversation));
    let text = yaml(transcript, conversation, platform);
    let path = Path::new("import.yaml");
    let filled = fixture::parse(path, &text)
        .map_err(|error| error.detail)
        .and_then(|read| {
            let played = run(path, &read, platform, &Options::default()).map_err(|case| {
                let first = case.mismatches.into_iter().next();
                first.map_or_else(|| "it could not be run".to_owned(), |mismatch| mismatch.message)
            })?;
            Ok(updated(&text, &read, &[played.came]))
        });
    let turns = conversation.turns.len();
    Some(match filled {
        Ok(text) => ConversationFixture {
            text,
            turns,
            without_expectations: None,
        },
        Err(why) => ConversationFixture {
            text,
            turns,
            without_expectations: Some(why),
        },
    })
}

/// The fixture without expectations. JSON in flow style is YAML.
fn yaml(transcript: &Transcript, conversation: &Conversation, platform: Platform) -> String {
    let title = conversation.title.as_deref().unwrap_or(&conversation.id);
    let name = format!("Imported: {title}");
    let about = format!(
        "A conversation of a {}, played again.",
        transcript.format.row().name
    );
    let mut yaml = String::new();
    let _ = writeln!(yaml, "name: {}", Value::from(name));
    let _ = writeln!(yaml, "about: {}", Value::from(about));
    let _ = writeln!(yaml, "channel: {platform}");
    let _ = writeln!(yaml, "steps:");
    let mut ids = MessageIds::default();
    for (index, turn) in conversation.turns.iter().enumerate() {
        let message = turn.inbound.as_ref();
        let group = message
            .and_then(|message| message.chat.as_ref())
            .or(conversation.chat.as_ref())
            .is_some_and(|chat| chat.group);
        let mut user = json!({
            "text": text_in(turn),
            "from": sender(message).0,
            "id": ids.take(turn, index + 1),
        });
        if group {
            user["chat"] = "group".into();
            // The agent answered, so it was meant.
            user["mentioned"] = true.into();
        }
        if let Some(answered) = message.and_then(|message| message.reply_to.as_deref()) {
            user["reply_to"] = super::id(answered).into();
        }
        if is_command_like(&text_in(turn)) {
            user["forwarded"] = true.into();
        }
        let _ = writeln!(yaml, "  - user: {user}");
        let _ = writeln!(yaml, "  - agent:");
        let steps = script(turn, Pace::Instant);
        if steps.is_empty() {
            let _ = writeln!(yaml, "      - \"\"");
        }
        for step in steps {
            let step = serde_json::to_value(step).unwrap_or_default();
            let _ = writeln!(yaml, "      - {step}");
        }
    }
    yaml
}

/// Whether our bot would take a text for a command; the other one gave it to its agent. Passed on, it is none.
pub(super) fn is_command_like(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with('/')) || text.contains(" /")
}
