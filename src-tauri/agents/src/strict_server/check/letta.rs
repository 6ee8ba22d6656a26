//! Messages to a Letta agent: <https://docs.letta.com/api-reference/agents/messages/create-stream>.

use super::{Refusal, anthropic::source, conversation, exactly, is_true, known, text_or_parts, tokens};
use serde_json::{Map, Value};

const FIELDS: [&str; 6] = [
    "messages",
    "max_steps",
    "stream_tokens",
    "include_pings",
    "background",
    "enable_thinking",
];

/// Checks a request and counts the bytes of its message. The server knows what was said before: it is not said
/// again.
pub(super) fn check(fields: &Map<String, Value>) -> Result<usize, Refusal> {
    known(fields, &FIELDS)?;
    is_true(fields, "stream_tokens")?;
    is_true(fields, "include_pings")?;
    tokens(fields, "max_steps", 1)?;
    let bytes = conversation(fields, "messages", false, |role, content| {
        text_or_parts(role, content, part)
    })?;
    match fields["messages"].as_array() {
        Some(messages) if messages.len() > 1 => {
            Err(Refusal::invalid("the server knows what was said before"))
        }
        _ => Ok(bytes),
    }
}

fn part(part: &Map<String, Value>) -> Result<usize, String> {
    match part.get("type").and_then(Value::as_str) {
        Some("text") => {
            exactly(part, &["type", "text"])?;
            Ok(part["text"].as_str().ok_or("a text is no text")?.len())
        }
        Some("image") => {
            exactly(part, &["type", "source"])?;
            source(&part["source"])
        }
        kind => Err(format!("unknown part {kind:?}")),
    }
}
