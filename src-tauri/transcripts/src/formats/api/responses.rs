//! The responses API: the history is a chain of responses, not a repeated list.

use super::{content::Content, history::error_words};
use crate::{
    Conversation, PersonMessage,
    dialogue::Dialogue,
    json::{self, text},
    reading::Reading,
};
use foldback_wire::Timestamp;
use serde_json::Value;
use std::collections::HashMap;

/// Chains in the making.
#[derive(Default)]
pub(super) struct Chain {
    all: Vec<Dialogue>,
    /// The chain of a response, by its id.
    places: HashMap<String, usize>,
}

impl Chain {
    /// A request, its response, or both.
    pub(super) fn add(
        &mut self,
        request: Option<&Value>,
        response: Option<&Value>,
        at: Option<Timestamp>,
        reading: &mut Reading,
    ) {
        let before = |value: Option<&Value>| value.and_then(|value| json::id(value, "previous_response_id"));
        let before = before(request).or_else(|| before(response));
        let known = before
            .as_ref()
            .and_then(|before| self.places.get(before).copied());
        if before.is_some() && known.is_none() {
            reading.note("Some responses follow one that is not in this file.");
        }
        let place = known.unwrap_or_else(|| {
            self.all.push(Dialogue::default());
            self.all.len() - 1
        });
        if let Some(id) = response.and_then(|response| json::id(response, "id")) {
            self.places.insert(id, place);
        }
        let dialogue = &mut self.all[place];
        let at = at.or_else(|| response.and_then(|response| json::time(response, "created_at")));
        match request.and_then(|request| request.get("input")) {
            Some(Value::String(asked)) => {
                let message = PersonMessage {
                    text: asked.clone(),
                    ..PersonMessage::default()
                };
                dialogue.ask(message, at);
            }
            Some(Value::Array(items)) => {
                for item in items {
                    add_item(item, at, dialogue, reading);
                }
            }
            _ => {}
        }
        let Some(response) = response else { return };
        dialogue.latest(at);
        for item in json::list(response, "output") {
            add_item(item, at, dialogue, reading);
        }
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            dialogue.fail(error_words(error), at);
        } else if text(response, "status") == Some("incomplete") {
            let why = response
                .get("incomplete_details")
                .and_then(|why| text(why, "reason"));
            dialogue.fail(format!("incomplete: {}", why.unwrap_or("no reason given")), at);
        } else if let Some(status @ ("failed" | "cancelled")) = text(response, "status") {
            dialogue.fail(status, at);
        }
    }

    pub(super) fn into_conversations(self) -> impl Iterator<Item = Conversation> {
        let filled = self.all.into_iter().filter(|dialogue| !dialogue.turns.is_empty());
        filled.enumerate().map(|(index, dialogue)| Conversation {
            id: format!("chain-{}", index + 1),
            turns: dialogue.turns,
            ..Conversation::default()
        })
    }
}

/// Adds an item of an input, of an output or of a rollout.
pub(in crate::formats) fn add_item(
    item: &Value,
    at: Option<Timestamp>,
    dialogue: &mut Dialogue,
    reading: &mut Reading,
) {
    let call_id = text(item, "call_id")
        .or_else(|| text(item, "id"))
        .unwrap_or_default();
    match text(item, "type").unwrap_or("message") {
        "message" => {
            let content = Content::of(item.get("content").unwrap_or(&Value::Null), reading);
            match text(item, "role").unwrap_or_default() {
                "user" => {
                    let message = PersonMessage {
                        text: content.text,
                        files: content.files,
                        ..PersonMessage::default()
                    };
                    dialogue.ask(message, at);
                }
                "assistant" => dialogue.say(content.text, at),
                "system" | "developer" => {}
                other => reading.unknown("message of role", other),
            }
        }
        "reasoning" => {
            let parts = json::list(item, "summary")
                .iter()
                .chain(json::list(item, "content"));
            for part in parts {
                dialogue.reason(text(part, "text").unwrap_or_default(), at);
            }
        }
        "function_call" | "custom_tool_call" => {
            let arguments = item.get("arguments").or_else(|| item.get("input"));
            let name = text(item, "name").unwrap_or_default();
            dialogue.call(call_id, name, arguments.and_then(json::json_text), at);
        }
        "function_call_output" | "custom_tool_call_output" => {
            let (result, failed) = output(item.get("output").unwrap_or(&Value::Null), reading);
            dialogue.result(call_id, result, failed, at);
        }
        kind @ ("local_shell_call"
        | "web_search_call"
        | "image_generation_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "computer_call"
        | "mcp_call") => {
            let arguments = item.get("action").and_then(json::json_text);
            dialogue.call(call_id, kind, arguments, at);
        }
        "compaction" => reading.aside("item", "compaction"),
        other => reading.unknown("item", other),
    }
}

/// The output of a tool: text, parts, or JSON in a string with output and exit code.
fn output(output: &Value, reading: &mut Reading) -> (String, bool) {
    let of_object = |object: &Value| {
        let said = text(object, "output").or_else(|| text(object, "content"))?;
        let code = object.get("metadata").and_then(|meta| meta.get("exit_code"));
        let failed = code.and_then(Value::as_i64).is_some_and(|code| code != 0)
            || object.get("success") == Some(&Value::Bool(false));
        Some((said.to_owned(), failed))
    };
    match output {
        Value::String(text) => json::parse(text.as_bytes())
            .ok()
            .and_then(|(object, _)| of_object(&object))
            .unwrap_or_else(|| (text.clone(), false)),
        Value::Array(_) => (Content::of(output, reading).text, false),
        object => of_object(object).unwrap_or_else(|| (json::words(object), false)),
    }
}
