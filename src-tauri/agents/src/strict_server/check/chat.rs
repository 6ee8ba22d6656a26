//! Chat completions: <https://platform.openai.com/docs/api-reference/chat/create>.

use super::{
    Insists, Refusal, data_url, effort, exactly, is_true, known, messages, model_is, text_or_parts, tokens,
    tools, turns,
};
use serde_json::{Map, Value, json};

const FIELDS: [&str; 13] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "stop",
    "reasoning_effort",
    "tools",
    "tool_choice",
];

/// Checks a request and counts the bytes of its conversation.
pub(super) fn check(fields: &Map<String, Value>, insists: &Insists) -> Result<usize, Refusal> {
    known(fields, &FIELDS)?;
    model_is(fields, insists)?;
    is_true(fields, "stream")?;
    tokens(fields, "max_tokens", 1)?;
    effort(fields.get("reasoning_effort"))?;
    match fields.get("stream_options") {
        Some(options) if *options != json!({"include_usage": true}) => {
            return Err(Refusal::invalid(format!("unknown stream_options {options}")));
        }
        _ => {}
    }
    let (messages, called) =
        tools::without_calls_of_chat(fields, messages(fields, "messages")?, insists.is_foreign)?;
    let said = turns(&messages, "messages", true, |role, content| {
        text_or_parts(role, content, part)
    })?;
    Ok(said + called)
}

fn part(part: &Map<String, Value>) -> Result<usize, String> {
    match part.get("type").and_then(Value::as_str) {
        Some("text") => {
            exactly(part, &["type", "text"])?;
            Ok(part["text"].as_str().ok_or("a text is no text")?.len())
        }
        Some("image_url") => {
            exactly(part, &["type", "image_url"])?;
            data_url(part["image_url"].get("url"))
        }
        kind => Err(format!("unknown part {kind:?}")),
    }
}
