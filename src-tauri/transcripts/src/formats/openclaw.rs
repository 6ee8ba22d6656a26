//! OpenClaw sessions: a tree of entries, the oldest ones a plain list.

use super::openclaw_text::person_message;
use crate::{
    Conversation, DamageReason, Refusal, TurnPart, TurnTrigger,
    dialogue::Dialogue,
    json::{self, text},
    reading::{Reading, next_object},
    source::Source,
    tree::{Node, main_path},
};
use foldback_wire::Timestamp;
use serde_json::Value;

/// The newest version that is known.
const NEWEST: u64 = 3;

/// Entries that are no part of the dialogue.
const ASIDE: [&str; 9] = [
    "model_change",
    "thinking_level_change",
    "compaction",
    "branch_summary",
    "custom",
    "label",
    "session_info",
    "reset",
    "leaf",
];

/// Reads a session file.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut conversation = Conversation::default();
    let mut entries: Vec<Value> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut leaf: Option<String> = None;
    let mut is_linear = false;
    while let Some(entry) = next_object(source, reading)? {
        let value = entry.value;
        let kind = text(&value, "type").unwrap_or_default();
        if kind == "session" {
            if conversation.id.is_empty() {
                conversation.id = json::id(&value, "id").unwrap_or_default();
                let version = value.get("version").and_then(Value::as_u64).unwrap_or(1);
                is_linear = version == 1;
                if version > NEWEST {
                    reading.note(format!(
                        "The session has version {version}, and {NEWEST} is the newest that is known: entries of other kinds \
                         are counted, not read."
                    ));
                }
            } else {
                reading.aside("entry", "session");
            }
            continue;
        }
        if !is_linear {
            let Some(id) = json::id(&value, "id") else {
                reading.damage(entry.line, entry.offset, DamageReason::MissingField);
                continue;
            };
            leaf = Some(if kind == "leaf" {
                text(&value, "targetId").map_or(id.clone(), str::to_owned)
            } else {
                id.clone()
            });
            let parent = json::id(&value, "parentId");
            nodes.push(Node { id, parent });
        }
        entries.push(value);
    }
    let path = leaf.map(|leaf| main_path(&nodes, &leaf));
    let mut dialogue = Dialogue::default();
    let mut left = 0;
    // The branches one after the other, the way to the leaf last: what was abandoned came before it.
    let on_path = |index: usize| path.as_ref().is_none_or(|path| path.contains(&index));
    let (main, abandoned): (Vec<usize>, Vec<usize>) = (0..entries.len()).partition(|index| on_path(*index));
    let mut branch = Dialogue::default();
    for index in abandoned {
        add(&entries[index], &mut branch, reading);
    }
    for turn in &mut branch.turns {
        turn.abandoned = true;
        left += 1;
    }
    for index in main {
        add(&entries[index], &mut dialogue, reading);
    }
    if left > 0 {
        reading.note(format!(
            "Turns of branches that the session left for another: {left}. They are marked as abandoned."
        ));
    }
    conversation.turns = merged(branch, dialogue);
    if !conversation.turns.is_empty() {
        reading.conversations.push(conversation);
    }
    Ok(())
}

/// All turns, by the time they began; those without a time stay where they are.
fn merged(branch: Dialogue, main: Dialogue) -> Vec<crate::TranscriptTurn> {
    let mut turns = main.turns;
    for turn in branch.turns {
        let place = turns
            .iter()
            .position(|other| other.at.is_some() && turn.at.is_some() && other.at > turn.at)
            .unwrap_or(turns.len());
        turns.insert(place, turn);
    }
    turns
}

fn add(entry: &Value, dialogue: &mut Dialogue, reading: &mut Reading) {
    let at = json::time(entry, "timestamp");
    match text(entry, "type").unwrap_or_default() {
        "message" => match entry.get("message") {
            Some(message) => add_message(message, at, dialogue, reading),
            None => reading.unknown("entry", "message"),
        },
        "custom_message" => {
            let content = entry.get("content").map(|content| joined(content, reading).0);
            let message = person_message(&content.unwrap_or_default(), 0);
            dialogue.begin(TurnTrigger::Injected, Some(message), at);
        }
        known if ASIDE.contains(&known) => reading.aside("entry", known),
        other => reading.unknown("entry", other),
    }
}

fn add_message(message: &Value, at: Option<Timestamp>, dialogue: &mut Dialogue, reading: &mut Reading) {
    match text(message, "role").unwrap_or_default() {
        "user" => {
            let (content, files) = message
                .get("content")
                .map(|content| joined(content, reading))
                .unwrap_or_default();
            dialogue.ask(person_message(&content, files), at);
        }
        "assistant" => add_answer(message, at, dialogue, reading),
        "toolResult" => {
            let result = message.get("content").map(|content| joined(content, reading).0);
            let id = text(message, "toolCallId").unwrap_or_default();
            dialogue.result(id, result.unwrap_or_default(), json::flag(message, "isError"), at);
        }
        known @ ("bashExecution" | "custom" | "hookMessage" | "branchSummary" | "compactionSummary") => {
            reading.aside("message of role", known);
        }
        other => reading.unknown("message of role", other),
    }
}

fn add_answer(message: &Value, at: Option<Timestamp>, dialogue: &mut Dialogue, reading: &mut Reading) {
    let mirrored = text(message, "provider") == Some("openclaw")
        && matches!(
            text(message, "model"),
            Some("delivery-mirror" | "gateway-injected")
        );
    let mut texts: Vec<&str> = Vec::new();
    let mut calls = Vec::new();
    let own;
    let blocks = match message.get("content") {
        Some(Value::Array(blocks)) => blocks.as_slice(),
        Some(content @ Value::String(_)) => {
            own = [serde_json::json!({"type": "text", "text": content})];
            &own[..]
        }
        _ => &[],
    };
    for block in blocks {
        match text(block, "type").unwrap_or_default() {
            "text" => texts.extend(text(block, "text")),
            "thinking" if !mirrored => dialogue.reason(text(block, "thinking").unwrap_or_default(), at),
            "toolCall" | "toolUse" | "functionCall" | "tool_use" => calls.push(block),
            "thinking" => {}
            other => reading.unknown("block", other),
        }
    }
    let said = texts.join("\n");
    if mirrored {
        dialogue.add(TurnPart::Delivered { text: said, at });
        return;
    }
    dialogue.say(said, at);
    for call in calls {
        let arguments = call.get("arguments").or_else(|| call.get("input"));
        let (id, name) = (text(call, "id"), text(call, "name"));
        dialogue.call(
            id.unwrap_or_default(),
            name.unwrap_or_default(),
            arguments.and_then(json::json_text),
            at,
        );
    }
    let stop = text(message, "stopReason");
    if let Some(error) = text(message, "errorMessage") {
        dialogue.fail(error, at);
    } else if let Some(stop @ ("error" | "aborted")) = stop {
        dialogue.fail(stop, at);
    }
    if let Some(stop) = stop
        && !matches!(stop, "stop" | "length" | "toolUse" | "error" | "aborted")
    {
        reading.unknown("stop reason", stop);
    }
}

/// Texts of a content joined by line breaks, and how many pictures came with it.
fn joined(content: &Value, reading: &mut Reading) -> (String, u32) {
    let mut files = 0;
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let mut texts = Vec::new();
            for block in blocks {
                match text(block, "type").unwrap_or_default() {
                    "text" => texts.extend(text(block, "text")),
                    "image" => files += 1,
                    other => reading.unknown("block", other),
                }
            }
            texts.join("\n")
        }
        other => json::words(other),
    };
    (text, files)
}
