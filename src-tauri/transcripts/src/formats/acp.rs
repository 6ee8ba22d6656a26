//! Captures of the Agent Client Protocol: JSON-RPC, both directions in one stream, without times.
//!
//! A turn is a `session/prompt` request with its response; the updates in between are its answer. Both sides number their
//! requests, so a response is matched with the prompt of its id only where it is none to a request of the agent. What
//! `session/load` repeats comes before its response and is not new.

use super::sender_block::person_message;
use crate::{
    Conversation, DamageReason, Refusal,
    dialogue::Dialogue,
    json::{self, text},
    reading::{Reading, next_object},
    source::Source,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Methods that the agent calls.
const OF_AGENT: [&str; 3] = ["session/request_permission", "fs/", "terminal/"];

/// Reads a capture.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut capture = Capture::default();
    while let Some(entry) = next_object(source, reading)? {
        let value = entry.value;
        if value.get("method").is_some() {
            capture.call(&value, reading);
        } else if value.get("result").is_some() || value.get("error").is_some() {
            capture.response(&value, reading);
        } else {
            reading.damage(entry.line, entry.offset, DamageReason::MissingField);
        }
    }
    for (id, talk) in capture
        .order
        .iter()
        .filter_map(|id| Some((id, capture.talks.remove(id)?)))
    {
        if !talk.dialogue.turns.is_empty() {
            reading.conversations.push(Conversation {
                id: id.clone(),
                turns: talk.dialogue.turns,
                ..Conversation::default()
            });
        }
    }
    Ok(())
}

/// A session of the agent.
#[derive(Default)]
struct Talk {
    dialogue: Dialogue,
    /// Text that came in pieces.
    said: String,
    thought: String,
    /// What it was loaded with is told again.
    loading: bool,
}

impl Talk {
    /// Ends the text in the making.
    fn end_text(&mut self) {
        self.dialogue.reason(std::mem::take(&mut self.thought), None);
        self.dialogue.say(std::mem::take(&mut self.said), None);
    }
}

#[derive(Default)]
struct Capture {
    order: Vec<String>,
    talks: HashMap<String, Talk>,
    /// Requests of the client by id: method and session.
    asked: HashMap<String, (String, String)>,
    /// Ids of requests of the agent.
    asked_by_agent: HashSet<String>,
}

impl Capture {
    fn talk(&mut self, id: &str) -> &mut Talk {
        if !self.talks.contains_key(id) {
            self.order.push(id.to_owned());
        }
        self.talks.entry(id.to_owned()).or_default()
    }

    fn call(&mut self, call: &Value, reading: &mut Reading) {
        let method = text(call, "method").unwrap_or_default();
        let params = call.get("params").unwrap_or(&Value::Null);
        let session = text(params, "sessionId").unwrap_or_default().to_owned();
        // A number and a text of the same digits are two ids.
        let id = call.get("id").map(Value::to_string);
        if OF_AGENT.iter().any(|own| method.starts_with(own)) {
            self.asked_by_agent.extend(id);
            reading.aside("call", method);
            return;
        }
        if let Some(id) = id {
            self.asked.insert(id, (method.to_owned(), session.clone()));
        }
        match method {
            "session/prompt" => {
                let (said, files) = prompt(json::list(params, "prompt"), reading);
                self.talk(&session).end_text();
                self.talk(&session)
                    .dialogue
                    .ask(person_message(&said, files), None);
            }
            "session/update" => {
                let update = params.get("update").unwrap_or(&Value::Null);
                self.update(&session, update, reading);
            }
            "session/load" => self.talk(&session).loading = true,
            "initialize" | "authenticate" | "session/new" | "session/cancel" | "session/set_mode"
            | "session/set_model" | "session/list" | "session/resume" => reading.aside("call", method),
            other => reading.unknown("call", other),
        }
    }

    fn update(&mut self, session: &str, update: &Value, reading: &mut Reading) {
        let talk = self.talk(session);
        if talk.loading {
            reading.aside("update", "repeated.by.session/load");
            return;
        }
        let piece = update.get("content").and_then(|content| text(content, "text"));
        match text(update, "sessionUpdate").unwrap_or_default() {
            "agent_message_chunk" => talk.said.push_str(piece.unwrap_or_default()),
            "agent_thought_chunk" => talk.thought.push_str(piece.unwrap_or_default()),
            "tool_call" | "tool_call_update" => {
                talk.end_text();
                let id = text(update, "toolCallId").unwrap_or_default();
                let name = text(update, "title").unwrap_or_default();
                let arguments = update.get("rawInput").and_then(json::json_text);
                talk.dialogue.call(id, name, arguments, None);
                if let Some(status @ ("completed" | "failed")) = text(update, "status") {
                    let contents = json::list(update, "content").iter();
                    let texts =
                        contents.filter_map(|part| part.get("content").and_then(|part| text(part, "text")));
                    let result = texts.collect::<Vec<_>>().join("\n");
                    talk.dialogue.result(id, result, status == "failed", None);
                }
            }
            known @ ("user_message_chunk"
            | "plan"
            | "available_commands_update"
            | "current_mode_update"
            | "usage_update"
            | "session_info_update"
            | "config_option_update") => reading.aside("update", known),
            other => reading.unknown("update", other),
        }
    }

    fn response(&mut self, response: &Value, reading: &mut Reading) {
        let id = response.get("id").map(Value::to_string).unwrap_or_default();
        // The client answers with an outcome; both sides may use the same id.
        let to_agent = response
            .get("result")
            .is_some_and(|result| result.get("outcome").is_some());
        if self.asked_by_agent.contains(&id) && (to_agent || !self.asked.contains_key(&id)) {
            self.asked_by_agent.remove(&id);
            return;
        }
        let Some((method, session)) = self.asked.remove(&id) else {
            reading.aside("response", "to.nothing.asked.here");
            return;
        };
        let error = response.get("error").and_then(|error| text(error, "message"));
        match method.as_str() {
            "session/load" => self.talk(&session).loading = false,
            "session/prompt" => {
                let talk = self.talk(&session);
                talk.end_text();
                let stop = response
                    .get("result")
                    .and_then(|result| text(result, "stopReason"));
                match stop {
                    Some("end_turn") => {}
                    Some(stop @ ("max_tokens" | "max_turn_requests" | "refusal" | "cancelled")) => {
                        talk.dialogue.fail(stop, None);
                    }
                    Some(other) => reading.unknown("stop reason", other),
                    None => talk.dialogue.fail(error.unwrap_or("error"), None),
                }
            }
            _ => {}
        }
    }
}

/// The text of a prompt, a sender block first where there is one, and how many files come with it.
fn prompt(blocks: &[Value], reading: &mut Reading) -> (String, u32) {
    let mut texts = Vec::new();
    let mut files = 0;
    for block in blocks {
        match text(block, "type").unwrap_or_default() {
            "text" => texts.extend(text(block, "text")),
            "image" | "audio" | "resource" | "resource_link" => files += 1,
            other => reading.unknown("block", other),
        }
    }
    (texts.join("\n"), files)
}
