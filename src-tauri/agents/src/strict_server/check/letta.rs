//! Messages to a Letta agent: <https://docs.letta.com/api-reference/agents/messages/create-stream>, and the end of its
//! runs: <https://docs.letta.com/api-reference/agents/messages/cancel>.

use super::{Refusal, anthropic::source, exactly, is_true, known, messages, text_or_parts, tokens, turns};
use serde_json::{Map, Value, json};

const FIELDS: [&str; 7] = [
    "messages",
    "max_steps",
    "stream_tokens",
    "include_pings",
    "background",
    "enable_thinking",
    "override_model",
];

/// Checks a request and counts the bytes of its message. The server knows what was said before: it is not said
/// again.
pub(super) fn check(fields: &Map<String, Value>) -> Result<usize, Refusal> {
    known(fields, &FIELDS)?;
    is_true(fields, "stream_tokens")?;
    is_true(fields, "include_pings")?;
    tokens(fields, "max_steps", 1)?;
    // https://docs.letta.com/api-reference/agents/messages/create-stream#request.body.override_model
    let handle = |model: &Value| model.as_str().is_some_and(|handle| handle.contains('/'));
    if fields.get("override_model").is_some_and(|model| !handle(model)) {
        return Err(Refusal::invalid("override_model is no handle of a model"));
    }
    if let Some(Value::Object(decision)) = fields.get("messages").and_then(|messages| messages.get(0))
        && decision.get("type") == Some(&json!("approval"))
    {
        return decided(decision).map_err(Refusal::invalid);
    }
    let bytes = turns(
        messages(fields, "messages")?,
        "messages",
        false,
        |role, content| text_or_parts(role, content, part),
    )?;
    match fields["messages"].as_array() {
        Some(messages) if messages.len() > 1 => {
            Err(Refusal::invalid("the server knows what was said before"))
        }
        _ => Ok(bytes),
    }
}

/// Decisions about calls that wait for an approval.
fn decided(decision: &Map<String, Value>) -> Result<usize, String> {
    exactly(decision, &["type", "approvals"])?;
    let approvals = decision["approvals"].as_array().filter(|all| !all.is_empty());
    for approval in approvals.ok_or("nothing is decided")? {
        let approval = approval.as_object().ok_or("an approval is not an object")?;
        exactly(approval, &["type", "tool_call_id", "approve", "reason"])?;
        let right = approval["type"] == "approval"
            && approval["tool_call_id"].as_str().is_some_and(|id| !id.is_empty())
            && approval["approve"].is_boolean()
            && approval["reason"].is_string();
        if !right {
            return Err("an approval has a value of a wrong kind".to_owned());
        }
    }
    Ok(0)
}

/// Checks a request to end runs: those that are named, or the agent's own.
pub(super) fn check_stop(fields: &Map<String, Value>) -> Result<(), Refusal> {
    known(fields, &["run_ids"])?;
    let ids = fields.get("run_ids").map(|ids| ids.as_array());
    let right = |ids: &Vec<Value>| !ids.is_empty() && ids.iter().all(Value::is_string);
    match ids {
        None => Ok(()),
        Some(Some(ids)) if right(ids) => Ok(()),
        Some(_) => Err(Refusal::invalid("run_ids is no list of ids")),
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
