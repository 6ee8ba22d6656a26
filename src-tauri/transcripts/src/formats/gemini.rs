//! gemini-cli sessions: messages that are written again when they change, and taken back.

use super::sender_block::person_message;
use crate::{
    Conversation, DamageReason, Refusal,
    dialogue::Dialogue,
    elements::{Elements, Wanted},
    json::{self, text},
    reading::{Reading, next_object},
    source::Source,
};
use serde_json::Value;

/// Reads a session: an object a line, or one object with all messages.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut session = Session::default();
    if is_document(source) {
        read_document(source, &mut session, reading)?;
    } else {
        while let Some(entry) = next_object(source, reading)? {
            if !session.add(entry.value, reading) {
                reading.damage(entry.line, entry.offset, DamageReason::MissingField);
            }
        }
    }
    session.finish(reading);
    Ok(())
}

/// Whether the first line is not a whole object.
fn is_document(source: &Source<'_>) -> bool {
    let prefix = source.rest();
    let line = prefix.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = serde_json::from_slice::<Value>(line);
    first.map_or_else(|error| error.is_eof(), |value| value.get("messages").is_some())
}

fn read_document(
    source: &mut Source<'_>,
    session: &mut Session,
    reading: &mut Reading,
) -> Result<(), Refusal> {
    let mut elements = Elements::new(source, |path| match path {
        [] => Wanted::Enter,
        [key] if key == "messages" => Wanted::Enter,
        [key] if key == "sessionId" => Wanted::Take,
        [key, _] if key == "messages" => Wanted::Take,
        _ => Wanted::Skip,
    });
    while let Some(element) = elements.next()? {
        let (line, offset) = (element.line, element.offset);
        match element.bytes {
            Ok(bytes) if element.path.len() == 1 => {
                session.id = serde_json::from_slice(&bytes).unwrap_or_default();
            }
            Ok(bytes) => {
                if let Some(message) = reading.parse(line, offset, &bytes, true)
                    && !session.add(message, reading)
                {
                    reading.damage(line, offset, DamageReason::MissingField);
                }
            }
            Err(reason) => reading.damage(line, offset, reason),
        }
    }
    if elements.is_open() {
        reading.note("The file ends before its list of messages does: what came after is missing.");
    }
    Ok(())
}

#[derive(Default)]
struct Session {
    id: String,
    /// Messages by the place of their first version.
    messages: Vec<(String, Value)>,
}

impl Session {
    /// Adds a line; false where it is none that is known and has no type either.
    fn add(&mut self, line: Value, reading: &mut Reading) -> bool {
        if let Some(patch) = line.get("$set") {
            if patch.get("messages").is_some() {
                self.messages.clear();
                for message in json::list(patch, "messages") {
                    self.put(message.clone());
                }
            }
            reading.aside("line", "$set");
        } else if let Some(target) = line.get("$rewindTo") {
            let place = self
                .messages
                .iter()
                .position(|(id, _)| target.as_str() == Some(id.as_str()));
            self.messages.truncate(place.unwrap_or(0));
            reading.aside("line", "$rewindTo");
            reading.note("Messages were taken back in this session and are left out.");
        } else if let (Some(id), Some(_)) = (json::id(&line, "sessionId"), line.get("projectHash")) {
            if self.id.is_empty() {
                self.id = id;
            }
        } else if line.get("id").is_some() && line.get("type").is_some() {
            self.put(line);
        } else {
            return false;
        }
        true
    }

    fn put(&mut self, message: Value) {
        let id = json::id(&message, "id").unwrap_or_default();
        match self.messages.iter_mut().find(|(known, _)| *known == id) {
            Some((_, known)) => *known = message,
            None => self.messages.push((id, message)),
        }
    }

    fn finish(self, reading: &mut Reading) {
        let mut dialogue = Dialogue::default();
        for (_, message) in &self.messages {
            add(message, &mut dialogue, reading);
        }
        if !dialogue.turns.is_empty() {
            reading.conversations.push(Conversation {
                id: self.id,
                turns: dialogue.turns,
                ..Conversation::default()
            });
        }
    }
}

fn add(message: &Value, dialogue: &mut Dialogue, reading: &mut Reading) {
    let at = json::time(message, "timestamp");
    let content = message.get("content").unwrap_or(&Value::Null);
    match text(message, "type").unwrap_or_default() {
        "user" => {
            let (given, files) = words(content, reading);
            let typed = message.get("displayContent").map(|typed| words(typed, reading).0);
            let mut inbound = person_message(typed.as_deref().unwrap_or(&given), files);
            if typed.is_some_and(|typed| typed != given) {
                inbound.original = Some(given);
            }
            dialogue.ask(inbound, at);
        }
        "gemini" => {
            for thought in json::list(message, "thoughts") {
                let parts = [text(thought, "subject"), text(thought, "description")];
                let said: Vec<&str> = parts.into_iter().flatten().collect();
                dialogue.reason(said.join(": "), json::time(thought, "timestamp"));
            }
            dialogue.say(words(content, reading).0, at);
            for call in json::list(message, "toolCalls") {
                let id = text(call, "id").unwrap_or_default();
                let at = json::time(call, "timestamp").or(at);
                let name = text(call, "name").unwrap_or_default();
                dialogue.call(id, name, call.get("args").and_then(json::json_text), at);
                if let Some(result) = call.get("result").filter(|result| !result.is_null()) {
                    let failed = matches!(text(call, "status"), Some("error" | "cancelled"));
                    dialogue.result(id, result_words(result), failed, at);
                }
            }
        }
        "error" => dialogue.fail(words(content, reading).0, at),
        known @ ("info" | "warning") => reading.aside("message", known),
        other => reading.unknown("message", other),
    }
}

/// The texts of a content, and how many files stand in it.
fn words(content: &Value, reading: &mut Reading) -> (String, u32) {
    let parts = match content {
        Value::String(text) => return (text.clone(), 0),
        Value::Array(parts) => parts.as_slice(),
        Value::Object(_) => std::slice::from_ref(content),
        _ => return (String::new(), 0),
    };
    let mut texts = Vec::new();
    let mut files = 0;
    for part in parts {
        if let Some(said) = part.as_str().or_else(|| text(part, "text")) {
            texts.push(said);
        } else if part.get("inlineData").is_some() || part.get("fileData").is_some() {
            files += 1;
        } else {
            let kind = part.as_object().and_then(|part| part.keys().next());
            reading.unknown("part", kind.map_or("", String::as_str));
        }
    }
    (texts.concat(), files)
}

/// What a tool answered: its output, or all of it as JSON.
fn result_words(result: &Value) -> String {
    let output = |part: &Value| {
        let response = part.get("functionResponse")?.get("response")?;
        text(response, "output").map(str::to_owned)
    };
    match result {
        Value::Array(parts) => {
            let outputs: Vec<String> = parts
                .iter()
                .map(|part| output(part).unwrap_or_else(|| json::words(part)))
                .collect();
            outputs.join("\n")
        }
        other => json::words(other),
    }
}
