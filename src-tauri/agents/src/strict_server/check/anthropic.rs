//! Messages of Anthropic: <https://docs.anthropic.com/en/api/messages>.

use super::{
    Insists, Refusal, exactly, is_true, known, messages, model_is, picture, text_or_parts, tokens, tools,
    turns,
};
use serde_json::{Map, Value};

const FIELDS: [&str; 13] = [
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
    "output_config",
    "tools",
    "tool_choice",
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
    thinking(fields).map_err(Refusal::invalid)?;
    match fields.get("system") {
        Some(Value::String(system)) if system.trim().is_empty() => {
            return Err(Refusal::invalid("system: text content blocks must be non-empty"));
        }
        None | Some(Value::String(_)) => {}
        Some(_) => return Err(Refusal::invalid("system is no text")),
    }
    let (messages, called) = tools::without_calls_of_anthropic(fields, messages(fields, "messages")?)?;
    let said = turns(&messages, "messages", false, |role, content| {
        if content.as_str().is_some_and(|text| text.trim().is_empty()) {
            return Err("text content blocks must contain non-whitespace text".to_owned());
        }
        text_or_parts(role, content, part)
    })?;
    Ok(said + called)
}

/// <https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking>, and its successor:
/// <https://docs.anthropic.com/en/docs/build-with-claude/adaptive-thinking>.
fn thinking(fields: &Map<String, Value>) -> Result<(), String> {
    const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];
    if let Some(config) = fields.get("output_config") {
        exactly(
            config.as_object().ok_or("output_config is no object")?,
            &["effort"],
        )?;
        if !EFFORTS.iter().any(|effort| config["effort"] == *effort) {
            return Err(format!("{} is no effort", config["effort"]));
        }
    }
    let Some(thinking) = fields.get("thinking") else {
        return Ok(());
    };
    let thinking = thinking.as_object().ok_or("thinking is no object")?;
    match thinking.get("type").and_then(Value::as_str) {
        Some("disabled" | "adaptive") => exactly(thinking, &["type"]),
        Some("enabled") => {
            exactly(thinking, &["type", "budget_tokens"])?;
            let budget = thinking["budget_tokens"].as_u64().unwrap_or_default();
            let most = fields["max_tokens"].as_u64().unwrap_or_default();
            if budget < 1024 || budget >= most {
                return Err(format!("budget_tokens {budget} is not from 1024 to below {most}"));
            }
            if fields.contains_key("temperature") || fields.contains_key("top_k") {
                return Err("neither temperature nor top_k go with thinking".to_owned());
            }
            Ok(())
        }
        kind => Err(format!("unknown thinking {kind:?}")),
    }
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
