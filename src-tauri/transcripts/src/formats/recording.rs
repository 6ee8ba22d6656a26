//! Foldback's own recordings: the events of turns, of which the raw text and what came in are read.

use crate::{
    ChatPlace, Conversation, DamageReason, Person, PersonMessage, Refusal, ToolUse, TranscriptTurn, TurnPart,
    TurnTrigger,
    reading::{Reading, next_object},
    source::Source,
};
use foldback_wire::{ChatType, Event, Inbound, Kind, ToolStatus, TurnId};
use serde_json::Value;
use std::collections::HashMap;

/// The newest version that is known.
const NEWEST: u64 = 1;

/// Reads a recording.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut turns = Turns::default();
    let mut has_head = false;
    while let Some(entry) = next_object(source, reading)? {
        if entry.value.get("foldback").is_some() && !has_head {
            has_head = true;
            let version = entry
                .value
                .get("version")
                .and_then(Value::as_u64)
                .unwrap_or(NEWEST);
            if version > NEWEST {
                return Err(Refusal::NewerRecording {
                    version,
                    known: NEWEST,
                });
            }
            continue;
        }
        let kind = entry
            .value
            .get("kind")
            .and_then(|kind| crate::json::text(kind, "type"));
        let name = kind.unwrap_or_default().to_owned();
        match serde_json::from_value::<Event>(entry.value) {
            Ok(event) => turns.add(event, reading),
            // A kind of a later program; without a kind it is no event.
            Err(_) if !name.is_empty() => reading.unknown("event", &name),
            Err(_) => reading.damage(entry.line, entry.offset, DamageReason::MissingField),
        }
    }
    Ok(())
}

#[derive(Default)]
struct Turns {
    /// Conversation and place in it.
    places: HashMap<TurnId, (usize, usize)>,
    conversations: HashMap<String, usize>,
    /// Part of a turn that an assistant message is.
    messages: HashMap<(TurnId, u32), usize>,
}

impl Turns {
    fn add(&mut self, event: Event, reading: &mut Reading) {
        let at = Some(event.at);
        let Some(number) = event.turn else { return };
        if let Kind::Received { message } = event.kind {
            self.begin(number, &message, at, reading);
            return;
        }
        let Some((conversation, place)) = self.places.get(&number).copied() else {
            return;
        };
        let turn = &mut reading.conversations[conversation].turns[place];
        match event.kind {
            Kind::Chunk { message, text, .. } => {
                if let Some(part) = self.messages.get(&(number, message)) {
                    if let TurnPart::Raw { text: raw, at: ended } = &mut turn.parts[*part] {
                        raw.push_str(&text);
                        *ended = at;
                    }
                } else {
                    self.messages.insert((number, message), turn.parts.len());
                    turn.parts.push(TurnPart::Raw { text, at });
                }
            }
            Kind::Reasoning { text } => match turn.parts.last_mut() {
                Some(TurnPart::Reasoning { text: before, .. }) => before.push_str(&text),
                _ => turn.parts.push(TurnPart::Reasoning { text, at }),
            },
            Kind::Tool { call } => {
                let id = call.id.to_string();
                let known = turn.parts.iter_mut().find_map(|part| match part {
                    TurnPart::Tool(tool) if tool.id == id => Some(tool),
                    _ => None,
                });
                let failed = call.status == ToolStatus::Failed;
                match known {
                    Some(tool) => {
                        tool.arguments = call.arguments.or(tool.arguments.take());
                        tool.result = call.result.or(tool.result.take());
                        tool.failed = failed;
                    }
                    None => turn.parts.push(TurnPart::Tool(ToolUse {
                        id,
                        name: call.name,
                        arguments: call.arguments,
                        result: call.result,
                        failed,
                        at,
                    })),
                }
            }
            Kind::RunFailed { detail, .. } => turn.parts.push(TurnPart::Failed { detail, at }),
            Kind::TurnEnded { .. } => turn.ended = at,
            _ => {}
        }
    }

    fn begin(
        &mut self,
        number: TurnId,
        message: &Inbound,
        at: Option<foldback_wire::Timestamp>,
        reading: &mut Reading,
    ) {
        let key = format!("{}:{}", message.channel, message.chat);
        let conversation = *self.conversations.entry(key.clone()).or_insert_with(|| {
            reading.conversations.push(Conversation {
                id: key,
                chat: Some(ChatPlace {
                    platform: Some(message.channel.to_string()),
                    chat: Some(message.chat.to_string()),
                    thread: message.thread.as_ref().map(ToString::to_string),
                    group: message.chat_type == ChatType::Group,
                }),
                ..Conversation::default()
            });
            reading.conversations.len() - 1
        });
        let turns = &mut reading.conversations[conversation].turns;
        self.places.insert(number, (conversation, turns.len()));
        turns.push(TranscriptTurn {
            id: Some(number.to_string()),
            trigger: TurnTrigger::Message,
            at,
            ended: None,
            inbound: Some(PersonMessage {
                text: message.text.clone(),
                original: None,
                message: Some(message.message.to_string()),
                reply_to: message.reply_to.as_ref().map(ToString::to_string),
                sender: Some(Person {
                    id: Some(message.sender.id.to_string()),
                    name: Some(message.sender.readable_name().to_owned()),
                }),
                chat: None,
                files: u32::try_from(message.files.len()).unwrap_or(u32::MAX),
            }),
            parts: Vec::new(),
            alternatives: Vec::new(),
            abandoned: false,
        });
    }
}
