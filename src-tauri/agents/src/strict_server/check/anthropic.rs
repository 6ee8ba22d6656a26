//! Messages of Anthropic: <https://docs.anthropic.com/en/api/messages>.

use super::{
    Insists, Refusal, conversation, exactly, is_true, known, model_is, picture, text_or_parts, tokens,
};
use serde_json::{Map, Value};

const FIELDS: [&str; 10] = [
    "model",
    "messages",
    "max_tokens",
    "system",
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "thinking",
];

/// Checks a request and counts the bytes of its conversation.
pub(super) fn check(fields: &Map<String, Value>, insists: &Insists) -> Result<usize, Refusal> {
    known(fields, &FIELDS)?;
    model_is(fields, insists)?;
    is_true(fields, "stream")?;
    if !fields.contains_key("max_tokens") {
        return Err(Refusal::invalid("max_tokens: Field required"));
    }
    tokens(fields, "max_tokens", 1)?;
    match fields.get("system") {
        Some(Value::String(system)) if system.trim().is_empty() => {
            return Err(Refusal::invalid("system: text content blocks must be non-empty"));
        }
        None | Some(Value::String(_)) => {}
        Some(_) => return Err(Refusal::invalid("system is no text")),
    }
    conversation(fields, "messages", false, |role, content| {
        if content.as_str().is_some_and(|text| text.trim().is_empty()) {
            return Err("text content blocks must contain non-whitespace text".to_owned());
        }
        text_or_parts(role, content, part)
    })
}

fn part(part: &Map<String, Value>) -> Result<usize, String> {
    match part.get("type").and_then(Value::as_str) {
        Some("text") => {
            exactly(part, &["type", "text"])?;
            let text = part["text"].as_str().unwrap_or_default();
            if text.trim().is_empty() {
                return Err("text content blocks must contain non-whitespace text".to_owned());
            }
            Ok(text.len())
        }
        Some("image") => {
            exactly(part, &["type", "source"])?;
            source(&part["source"])
        }
        kind => Err(format!("unknown part {kind:?}")),
    }
}

/// A picture in the request, as Letta takes it too.
pub(super) fn source(source: &Value) -> Result<usize, String> {
    let fields = source.as_object().ok_or("a source is not an object")?;
    exactly(fields, &["type", "media_type", "data"])?;
    if fields["type"] != "base64" {
        return Err("a source is not base64".to_owned());
    }
    let text = |name: &str| fields[name].as_str().unwrap_or_default();
    picture(text("media_type"), text("data"))
}
