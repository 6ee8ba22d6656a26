//! Claude Code sessions: a line a block of an answer, in a tree.

use super::sender_block::person_message;
use crate::{
    Conversation, DamageReason, Refusal, TurnTrigger,
    dialogue::Dialogue,
    json::{self, text},
    reading::{Reading, next_object},
    source::Source,
    tree::{Node, main_path},
};
use serde_json::Value;
use std::collections::HashSet;

/// Lines that are no part of the dialogue.
const ASIDE: [&str; 9] = [
    "summary",
    "system",
    "attachment",
    "file-history-snapshot",
    "queue-operation",
    "permission-mode",
    "progress",
    "custom-title",
    "last-prompt",
];

/// What typed commands and their output are wrapped in.
const WRAPPERS: [&str; 5] = [
    "<command-name>",
    "<command-message>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
];

struct Session {
    id: String,
    nodes: Vec<Node>,
    lines: Vec<Value>,
}

/// Reads a session file; one per session and subagent comes out.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut seen = HashSet::new();
    while let Some(entry) = next_object(source, reading)? {
        let line = entry.value;
        let kind = text(&line, "type").unwrap_or_default();
        let known = ASIDE.contains(&kind);
        if known {
            reading.aside("line", kind);
        } else if !matches!(kind, "user" | "assistant") {
            reading.unknown("line", kind);
        }
        let Some(uuid) = json::id(&line, "uuid") else {
            if matches!(kind, "user" | "assistant") {
                reading.damage(entry.line, entry.offset, DamageReason::MissingField);
            }
            continue;
        };
        // A session that was taken up again may repeat its lines.
        if !seen.insert(uuid.clone()) {
            reading.aside("line", "repeated");
            continue;
        }
        let id = json::id(&line, "sessionId").unwrap_or_default();
        let id = match json::id(&line, "agentId") {
            Some(agent) => format!("{id}/{agent}"),
            None if json::flag(&line, "isSidechain") => format!("{id}/sidechain"),
            None => id,
        };
        let parent = json::id(&line, "parentUuid").or_else(|| json::id(&line, "logicalParentUuid"));
        let place = sessions
            .iter()
            .position(|session| session.id == id)
            .unwrap_or_else(|| {
                sessions.push(Session {
                    id,
                    nodes: Vec::new(),
                    lines: Vec::new(),
                });
                sessions.len() - 1
            });
        sessions[place].nodes.push(Node { id: uuid, parent });
        sessions[place].lines.push(line);
    }
    let mut left = 0;
    for session in sessions {
        let leaf = session
            .nodes
            .last()
            .map(|node| node.id.clone())
            .unwrap_or_default();
        let path = main_path(&session.nodes, &leaf);
        let mut dialogue = Dialogue::default();
        // Whether the turns were left for a branch, in their order.
        let mut abandoned = Vec::new();
        let mut message = String::new();
        for (index, line) in session.lines.iter().enumerate() {
            add(line, &mut message, &mut dialogue, reading);
            abandoned.resize(dialogue.turns.len(), !path.contains(&index));
        }
        for (turn, abandoned) in dialogue.turns.iter_mut().zip(abandoned) {
            turn.abandoned = abandoned;
            left += u32::from(abandoned);
        }
        if !dialogue.turns.is_empty() {
            reading.conversations.push(Conversation {
                id: session.id,
                turns: dialogue.turns,
                ..Conversation::default()
            });
        }
    }
    if left > 0 {
        reading.note(format!(
            "Turns of branches that the session left for another: {left}. They are marked as abandoned."
        ));
    }
    Ok(())
}

/// Adds a line. `message` is the id of the answer that the line before belonged to.
fn add(line: &Value, message: &mut String, dialogue: &mut Dialogue, reading: &mut Reading) {
    let at = json::time(line, "timestamp");
    let body = line.get("message").unwrap_or(&Value::Null);
    let content = body.get("content").unwrap_or(&Value::Null);
    let own;
    let blocks = match content {
        Value::Array(blocks) => blocks.as_slice(),
        Value::String(_) => {
            own = [serde_json::json!({"type": "text", "text": content})];
            &own[..]
        }
        _ => &[],
    };
    match text(line, "type").unwrap_or_default() {
        "user" => {
            message.clear();
            if json::flag(line, "isMeta") || json::flag(line, "isCompactSummary") {
                reading.aside("user line", "not.typed");
                return;
            }
            let mut typed = Vec::new();
            let mut files = 0;
            let mut results = false;
            for block in blocks {
                match text(block, "type").unwrap_or_default() {
                    "text" => typed.extend(text(block, "text")),
                    "image" | "document" => files += 1,
                    "tool_result" => {
                        results = true;
                        let id = text(block, "tool_use_id").unwrap_or_default();
                        let said = block.get("content").map(result_words).unwrap_or_default();
                        dialogue.result(id, said, json::flag(block, "is_error"), at);
                    }
                    other => reading.unknown("block", other),
                }
            }
            let typed = typed.join("\n");
            if WRAPPERS.iter().any(|wrapper| typed.starts_with(wrapper)) {
                reading.aside("user line", "command");
            } else if !results {
                dialogue.ask(person_message(&typed, files), at);
            }
        }
        "assistant" => {
            if json::flag(line, "isApiErrorMessage") {
                let said: Vec<&str> = blocks.iter().filter_map(|block| text(block, "text")).collect();
                // After a compaction there may be no typed text before it.
                if dialogue.turns.is_empty() {
                    dialogue.begin(TurnTrigger::Unknown, None, at);
                }
                dialogue.fail(said.join("\n"), at);
                return;
            }
            let id = text(body, "id").unwrap_or_default();
            let goes_on = !id.is_empty() && id == message;
            id.clone_into(message);
            for block in blocks {
                match text(block, "type").unwrap_or_default() {
                    "text" => {
                        let said = text(block, "text").unwrap_or_default();
                        if !(goes_on && join(dialogue, said)) {
                            dialogue.say(said, at);
                        }
                    }
                    "thinking" => dialogue.reason(text(block, "thinking").unwrap_or_default(), at),
                    "redacted_thinking" => reading.aside("block", "redacted_thinking"),
                    "tool_use" => {
                        let arguments = block.get("input").and_then(json::json_text);
                        let (id, name) = (text(block, "id"), text(block, "name"));
                        dialogue.call(id.unwrap_or_default(), name.unwrap_or_default(), arguments, at);
                    }
                    other => reading.unknown("block", other),
                }
            }
        }
        _ => {}
    }
}

/// Joins text to the raw text that ends the latest turn; false where something else does.
fn join(dialogue: &mut Dialogue, said: &str) -> bool {
    let latest = dialogue.latest(None).parts.last_mut();
    if let Some(crate::TurnPart::Raw { text, .. }) = latest {
        text.push('\n');
        text.push_str(said);
        return true;
    }
    false
}

fn result_words(content: &Value) -> String {
    match content {
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| text(block, "text")).collect();
            texts.join("\n")
        }
        other => json::words(other),
    }
}
