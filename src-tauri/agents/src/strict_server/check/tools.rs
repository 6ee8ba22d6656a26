//! Tools, calls and their results, as strict as the APIs: each call has exactly one result, right behind it, and no result
//! is there without its call.

use super::{Refusal, exactly, known};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A tool's name: <https://platform.openai.com/docs/api-reference/chat/create>, and the same at Anthropic.
fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>, Refusal> {
    value
        .as_object()
        .ok_or_else(|| Refusal::invalid(format!("{what} is no object")))
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Gives the fields of a tool that are its function.
type FunctionOf = fn(&Map<String, Value>) -> Result<&Map<String, Value>, Refusal>;

/// The names of the tools, of which `function` gives the fields `[name, description, schema]` of one.
fn names(
    fields: &Map<String, Value>,
    schema: &str,
    function: FunctionOf,
) -> Result<BTreeSet<String>, Refusal> {
    let Some(tools) = fields.get("tools") else {
        return Ok(BTreeSet::new());
    };
    let tools = tools.as_array().filter(|tools| !tools.is_empty());
    let tools = tools.ok_or_else(|| Refusal::invalid("tools is no list, or empty"))?;
    let mut names = BTreeSet::new();
    for tool in tools {
        let function = function(object(tool, "a tool")?)?;
        let name = text(function, "name");
        if !is_name(name) || !names.insert(name.to_owned()) {
            return Err(Refusal::invalid(format!(
                "the tool {name:?} has no name of its own"
            )));
        }
        if text(function, "description").is_empty() {
            return Err(Refusal::invalid(format!("the tool {name} has no description")));
        }
        if function[schema].get("type") != Some(&json!("object")) {
            return Err(Refusal::invalid(format!(
                "{schema} of {name} is no schema of an object"
            )));
        }
    }
    Ok(names)
}

/// The choice among tools, which needs some.
fn choice(fields: &Map<String, Value>, tools: &BTreeSet<String>, choices: &[Value]) -> Result<(), Refusal> {
    match fields.get("tool_choice") {
        None => Ok(()),
        Some(choice) if !tools.is_empty() && choices.contains(choice) => Ok(()),
        Some(choice) => Err(Refusal::invalid(format!("unknown tool_choice {choice}"))),
    }
}

/// The calls of one answer that have no result yet, and all ids so far.
#[derive(Default)]
struct Open {
    waiting: BTreeSet<String>,
    all: BTreeSet<String>,
}

impl Open {
    fn call(&mut self, id: &str, name: &str, tools: &BTreeSet<String>) -> Result<(), Refusal> {
        if id.is_empty() || !self.all.insert(id.to_owned()) {
            return Err(Refusal::invalid(format!("the call {id:?} has no id of its own")));
        }
        if !tools.contains(name) {
            return Err(Refusal::invalid(format!("{name:?} is none of the tools")));
        }
        self.waiting.insert(id.to_owned());
        Ok(())
    }

    fn result(&mut self, id: &str) -> Result<(), Refusal> {
        if self.waiting.remove(id) {
            return Ok(());
        }
        Err(Refusal::invalid(format!(
            "the result of {id:?} has no call before it"
        )))
    }

    /// Something else comes: every call has its result.
    fn close(&self) -> Result<(), Refusal> {
        match self.waiting.first() {
            Some(id) => Err(Refusal::invalid(format!(
                "the call {id} has no result right behind it"
            ))),
            None => Ok(()),
        }
    }
}

/// The fields of a part without one that only some models have.
fn without(part: &Map<String, Value>, name: &str) -> Map<String, Value> {
    let mut part = part.clone();
    part.remove(name);
    part
}

fn arguments(function: &Map<String, Value>) -> Result<(), Refusal> {
    let arguments = serde_json::from_str::<Value>(text(function, "arguments"));
    match arguments {
        Ok(Value::Object(_)) => Ok(()),
        _ => Err(Refusal::invalid(
            "the arguments of a call are no JSON object as text",
        )),
    }
}

/// Behind what calls stand: a question, or the results of other calls.
fn behind_question(kept: &[Value]) -> Result<(), Refusal> {
    match kept.last().and_then(|message| message["role"].as_str()) {
        Some("user") => Ok(()),
        _ => Err(Refusal::invalid("calls stand behind no question")),
    }
}

type WithoutCalls = Result<(Vec<Value>, usize), Refusal>;

pub(super) fn without_calls_of_chat(
    fields: &Map<String, Value>,
    messages: &[Value],
    is_foreign: bool,
) -> WithoutCalls {
    let tools = names(fields, "parameters", |tool| {
        exactly(tool, &["type", "function"]).map_err(Refusal::invalid)?;
        let function = object(&tool["function"], "function")?;
        exactly(function, &["name", "description", "parameters"]).map_err(Refusal::invalid)?;
        Ok(function)
    })?;
    choice(fields, &tools, &[json!("none"), json!("auto")])?;
    let (mut kept, mut bytes, mut open) = (Vec::new(), 0, Open::default());
    for message in messages {
        let Some(said) = message.as_object() else {
            kept.push(message.clone());
            continue;
        };
        if said.contains_key("tool_calls") {
            open.close()?;
            behind_question(&kept)?;
            let named = without(said, "reasoning_content");
            exactly(&named, &["role", "content", "tool_calls"]).map_err(Refusal::invalid)?;
            // The API takes it; other servers do not.
            let is_empty = !is_foreign && text(said, "content").is_empty();
            if !said["content"].is_null() && is_empty {
                return Err(Refusal::invalid("content beside calls is null or text"));
            }
            bytes += text(said, "content").len();
            let calls = said["tool_calls"].as_array().filter(|calls| !calls.is_empty());
            for call in calls.ok_or_else(|| Refusal::invalid("tool_calls is empty"))? {
                let call = object(call, "a call")?;
                let named = without(call, "extra_content");
                exactly(&named, &["id", "type", "function"]).map_err(Refusal::invalid)?;
                let function = object(&call["function"], "function")?;
                exactly(function, &["name", "arguments"]).map_err(Refusal::invalid)?;
                arguments(function)?;
                open.call(text(call, "id"), text(function, "name"), &tools)?;
            }
        } else if text(said, "role") == "tool" {
            known(said, &["role", "tool_call_id", "content"])?;
            open.result(text(said, "tool_call_id"))?;
            bytes += result(&said["content"])?;
        } else {
            open.close()?;
            kept.push(message.clone());
        }
    }
    open.close()?;
    Ok((kept, bytes))
}

fn result(content: &Value) -> Result<usize, Refusal> {
    let content = content.as_str().filter(|content| !content.is_empty());
    content
        .map(str::len)
        .ok_or_else(|| Refusal::invalid("a result is no text"))
}

pub(super) fn without_calls_of_responses(fields: &Map<String, Value>, input: &[Value]) -> WithoutCalls {
    let tools = names(fields, "parameters", |tool| {
        exactly(tool, &["type", "name", "description", "parameters", "strict"]).map_err(Refusal::invalid)?;
        Ok(tool)
    })?;
    choice(fields, &tools, &[json!("none"), json!("auto")])?;
    let encrypted = json!(["reasoning.encrypted_content"]);
    if fields.get("include").is_some_and(|include| *include != encrypted) {
        return Err(Refusal::invalid("include is unknown"));
    }
    let (mut kept, mut bytes, mut open) = (Vec::new(), 0, Open::default());
    for (place, item) in input.iter().enumerate() {
        let Some(said) = item.as_object() else {
            kept.push(item.clone());
            continue;
        };
        let leads_to_call = || {
            let next = input.get(place + 1).and_then(|next| next["type"].as_str());
            matches!(next, Some("function_call"))
        };
        match text(said, "type") {
            "function_call" => {
                behind_question(&kept)?;
                exactly(said, &["type", "call_id", "name", "arguments"]).map_err(Refusal::invalid)?;
                arguments(said)?;
                open.call(text(said, "call_id"), text(said, "name"), &tools)?;
            }
            "function_call_output" => {
                exactly(said, &["type", "call_id", "output"]).map_err(Refusal::invalid)?;
                open.result(text(said, "call_id"))?;
                bytes += result(&said["output"])?;
            }
            "reasoning" => {
                open.close()?;
                exactly(said, &["type", "id", "summary", "encrypted_content"]).map_err(Refusal::invalid)?;
                if fields.get("include").is_none() || text(said, "encrypted_content").is_empty() {
                    return Err(Refusal::invalid(
                        "reasoning that is not stored is given back encrypted",
                    ));
                }
            }
            "" if text(said, "role") == "assistant" && leads_to_call() => {
                open.close()?;
                behind_question(&kept)?;
                exactly(said, &["role", "content"]).map_err(Refusal::invalid)?;
                bytes += result(&said["content"])?;
            }
            _ => {
                open.close()?;
                kept.push(item.clone());
            }
        }
    }
    open.close()?;
    Ok((kept, bytes))
}

pub(super) fn without_calls_of_anthropic(fields: &Map<String, Value>, messages: &[Value]) -> WithoutCalls {
    let tools = names(fields, "input_schema", |tool| {
        exactly(tool, &["name", "description", "input_schema"]).map_err(Refusal::invalid)?;
        Ok(tool)
    })?;
    choice(
        fields,
        &tools,
        &[json!({"type": "none"}), json!({"type": "auto"})],
    )?;
    let thinks = fields
        .get("thinking")
        .is_some_and(|thinking| thinking["type"] == "enabled");
    let (mut kept, mut bytes, mut open) = (Vec::new(), 0, Open::default());
    for message in messages {
        let Some(said) = message.as_object() else {
            kept.push(message.clone());
            continue;
        };
        let blocks = said.get("content").and_then(Value::as_array);
        let has = |kind: &str| blocks.is_some_and(|blocks| blocks.iter().any(|block| block["type"] == kind));
        if text(said, "role") == "assistant" && blocks.is_some() {
            open.close()?;
            behind_question(&kept)?;
            let blocks = blocks.map_or(&[][..], Vec::as_slice);
            // https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking#extended-thinking-with-tool-use
            if thinks && blocks.first().is_none_or(|first| first["type"] != "thinking") {
                return Err(Refusal::invalid(
                    "Expected `thinking` or `redacted_thinking` before a call",
                ));
            }
            for block in blocks {
                bytes += called(object(block, "a block")?, &mut open, &tools)?;
            }
            if open.waiting.is_empty() {
                return Err(Refusal::invalid("blocks of an answer without a call"));
            }
        } else if has("tool_result") {
            for block in blocks.into_iter().flatten() {
                let block = object(block, "a block")?;
                exactly(block, &["type", "tool_use_id", "content", "is_error"]).map_err(Refusal::invalid)?;
                if !block["is_error"].is_boolean() {
                    return Err(Refusal::invalid("is_error is true or false"));
                }
                open.result(text(block, "tool_use_id"))?;
                bytes += result(&block["content"])?;
            }
            open.close()?;
        } else {
            open.close()?;
            kept.push(message.clone());
        }
    }
    open.close()?;
    Ok((kept, bytes))
}

/// A block of an answer with calls.
fn called(block: &Map<String, Value>, open: &mut Open, tools: &BTreeSet<String>) -> Result<usize, Refusal> {
    let is = |names: &[&str]| exactly(block, names).map_err(Refusal::invalid);
    match text(block, "type") {
        "thinking" => {
            is(&["type", "thinking", "signature"])?;
            if text(block, "signature").is_empty() {
                return Err(Refusal::invalid("what was thought has no signature"));
            }
            Ok(text(block, "thinking").len())
        }
        "text" => {
            is(&["type", "text"])?;
            if text(block, "text").trim().is_empty() {
                return Err(Refusal::invalid("text content blocks must be non-empty"));
            }
            Ok(text(block, "text").len())
        }
        "tool_use" => {
            is(&["type", "id", "name", "input"])?;
            object(&block["input"], "input")?;
            open.call(text(block, "id"), text(block, "name"), tools)?;
            Ok(0)
        }
        kind => Err(Refusal::invalid(format!("unknown block {kind:?}"))),
    }
}
