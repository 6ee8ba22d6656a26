//! Responses: <https://platform.openai.com/docs/api-reference/responses/create>.

use super::{
    Insists, Refusal, data_url, effort, exactly, is_true, known, messages, model_is, text_or_parts, tokens,
    tools, turns,
};
use serde_json::{Map, Value};

const FIELDS: [&str; 12] = [
    "model",
    "input",
    "instructions",
    "stream",
    "store",
    "temperature",
    "top_p",
    "max_output_tokens",
    "reasoning",
    "tools",
    "tool_choice",
    "include",
];

/// Checks a request and counts the bytes of its conversation.
pub(super) fn check(fields: &Map<String, Value>, insists: &Insists) -> Result<usize, Refusal> {
    known(fields, &FIELDS)?;
    model_is(fields, insists)?;
    is_true(fields, "stream")?;
    if fields.get("store") != Some(&Value::Bool(false)) {
        // True where it is missing: the conversation of a person would be kept there for a month.
        return Err(Refusal::invalid("store is not false"));
    }
    if fields.get("instructions").is_some_and(|it| !it.is_string()) {
        return Err(Refusal::invalid("instructions is no text"));
    }
    match fields.get("reasoning") {
        None => {}
        Some(Value::Object(reasoning)) => {
            known(reasoning, &["effort", "summary"])?;
            effort(reasoning.get("effort"))?;
        }
        Some(_) => return Err(Refusal::invalid("reasoning is not an object")),
    }
    // The reference's least.
    tokens(fields, "max_output_tokens", 16)?;
    let (messages, called) = tools::without_calls_of_responses(fields, messages(fields, "input")?)?;
    let said = turns(&messages, "input", false, |role, content| {
        text_or_parts(role, content, part)
    })?;
    Ok(said + called)
}

fn part(part: &Map<String, Value>) -> Result<usize, String> {
    match part.get("type").and_then(Value::as_str) {
        Some("input_text") => {
            exactly(part, &["type", "text"])?;
            Ok(part["text"].as_str().ok_or("a text is no text")?.len())
        }
        Some("input_image") => {
            exactly(part, &["type", "image_url"])?;
            data_url(part.get("image_url"))
        }
        kind => Err(format!("unknown part {kind:?}")),
    }
}
