//! codex rollouts: the same texts stand twice, as items of the model and as events for the person.
//!
//! What the model wrote is taken from the items. What the person typed is taken from the events, where there are any:
//! items of the user also hold what the program put in.

use super::{api::add_item, sender_block::person_message};
use crate::{
    Conversation, DamageReason, Refusal,
    dialogue::Dialogue,
    json::{self, text},
    reading::{Reading, next_object},
    source::Source,
};
use foldback_wire::Timestamp;
use serde_json::Value;

/// Lines that are no part of the dialogue.
const ASIDE: [&str; 4] = [
    "turn_context",
    "compacted",
    "inter_agent_communication",
    "world_state",
];

/// Events that repeat an item, or say nothing of the dialogue.
const ASIDE_EVENTS: [&str; 15] = [
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "token_count",
    "task_started",
    "task_complete",
    "turn_started",
    "turn_complete",
    "context_compacted",
    "patch_apply_end",
    "mcp_tool_call_end",
    "exec_command_end",
    "web_search_end",
    "item_completed",
    "entered_review_mode",
];

/// What injected items of the user begin with.
const INJECTED: [&str; 4] = [
    "<environment_context>",
    "<user_instructions>",
    "<skill",
    "# AGENTS.md",
];

/// Reads a rollout.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut conversation = Conversation::default();
    let mut lines: Vec<(Option<Timestamp>, Line)> = Vec::new();
    let mut has_events = false;
    while let Some(entry) = next_object(source, reading)? {
        let line = entry.value;
        let at = json::time(&line, "timestamp");
        let kind = text(&line, "type").unwrap_or_default();
        let Some(payload) = line.get("payload") else {
            // Older rollouts: a bare head, then bare items.
            if line.get("instructions").is_some() || line.get("git").is_some() {
                conversation.id = json::id(&line, "id").unwrap_or_default();
            } else if line.get("record_type").is_some() {
                reading.aside("record", text(&line, "record_type").unwrap_or_default());
            } else if kind.is_empty() {
                reading.damage(entry.line, entry.offset, DamageReason::MissingField);
            } else {
                lines.push((None, Line::Item(line)));
            }
            continue;
        };
        match kind {
            "session_meta" => {
                // A rollout that goes on from another holds the other's head too; the first is its own.
                if conversation.id.is_empty() {
                    conversation.id = json::id(payload, "id").unwrap_or_default();
                } else {
                    reading.aside("line", "session_meta");
                }
            }
            "response_item" => lines.push((at, Line::Item(payload.clone()))),
            "event_msg" => {
                let event = text(payload, "type").unwrap_or_default();
                match event {
                    "user_message" => {
                        has_events = true;
                        let images = json::list(payload, "images").len();
                        let said = text(payload, "message").unwrap_or_default().to_owned();
                        lines.push((at, Line::Typed(said, u32::try_from(images).unwrap_or(u32::MAX))));
                    }
                    "turn_aborted" => {
                        let why = text(payload, "reason").unwrap_or("aborted").to_owned();
                        lines.push((at, Line::Aborted(why)));
                    }
                    "error" | "stream_error" => {
                        let why = text(payload, "message").unwrap_or("error").to_owned();
                        lines.push((at, Line::Aborted(why)));
                    }
                    "thread_rolled_back" => {
                        let turns = payload.get("num_turns").and_then(Value::as_u64).unwrap_or(0);
                        lines.push((at, Line::RolledBack(usize::try_from(turns).unwrap_or(usize::MAX))));
                    }
                    known if ASIDE_EVENTS.contains(&known) => reading.aside("event", known),
                    other => reading.unknown("event", other),
                }
            }
            known if ASIDE.contains(&known) => reading.aside("line", known),
            other => reading.unknown("line", other),
        }
    }
    let mut dialogue = Dialogue::default();
    for (at, line) in lines {
        play(line, at, has_events, &mut dialogue, reading);
    }
    let left = dialogue.turns.iter().filter(|turn| turn.abandoned).count();
    if left > 0 {
        reading.note(format!(
            "Turns that were rolled back: {left}. They are marked as abandoned."
        ));
    }
    conversation.turns = dialogue.turns;
    if !conversation.turns.is_empty() {
        reading.conversations.push(conversation);
    }
    Ok(())
}

enum Line {
    Item(Value),
    Typed(String, u32),
    Aborted(String),
    RolledBack(usize),
}

fn play(line: Line, at: Option<Timestamp>, has_events: bool, dialogue: &mut Dialogue, reading: &mut Reading) {
    match line {
        Line::Typed(said, files) => {
            dialogue.ask(person_message(&said, files), at);
        }
        Line::Aborted(why) => {
            // Of a turn that was aborted before anything was typed nothing is left to mark.
            if dialogue.turns.is_empty() {
                reading.aside("event", "turn_aborted");
            } else {
                dialogue.fail(why, at);
            }
        }
        Line::RolledBack(turns) => {
            let kept = dialogue.turns.iter_mut().rev().filter(|turn| !turn.abandoned);
            kept.take(turns).for_each(|turn| turn.abandoned = true);
        }
        Line::Item(item) if text(&item, "role") == Some("user") => {
            let mut typed = Dialogue::default();
            add_item(&item, at, &mut typed, reading);
            let Some(message) = typed.turns.pop().and_then(|turn| turn.inbound) else {
                return;
            };
            let injected = INJECTED
                .iter()
                .any(|mark| message.text.trim_start().starts_with(mark));
            if has_events || injected {
                reading.aside("item of the user", if injected { "injected" } else { "repeated" });
            } else {
                dialogue.ask(person_message(&message.text, message.files), at);
            }
        }
        Line::Item(item) => add_item(&item, at, dialogue, reading),
    }
}
