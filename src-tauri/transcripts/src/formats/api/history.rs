//! Requests put together to conversations: each repeats the history, and only its tail is new.
//!
//! ```text
//! line 1   user A            answer: assistant B      new conversation: A, B
//! line 2   user A, B, user C answer: assistant D      its history begins with A, B: new are C, D
//! line 3   user X            answer: assistant Y      no history is its beginning: new conversation
//! ```
//!
//! What is compared is role, text and tool calls. System prompts are left out: a changed one would break every beginning.
//! A request that repeats a question which was answered already is another try and begins a conversation of its own.

use super::content::Content;
use crate::{
    Conversation, Person, PersonMessage,
    dialogue::Dialogue,
    json::{self, text},
    reading::Reading,
};
use foldback_wire::Timestamp;
use serde_json::Value;
use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
};

/// A message by what is compared of it.
type Print = u64;

#[derive(Default)]
struct History {
    prints: Vec<Print>,
    dialogue: Dialogue,
    title: Option<String>,
}

/// Conversations in the making.
#[derive(Default)]
pub(super) struct Histories {
    all: Vec<History>,
}

impl Histories {
    /// A request of chat completions or messages, its response, or both.
    pub(super) fn add(
        &mut self,
        request: Option<&Value>,
        response: Option<&Value>,
        at: Option<Timestamp>,
        reading: &mut Reading,
    ) {
        let messages = request.map_or(&[][..], |request| json::list(request, "messages"));
        let read: Vec<(Print, &Value, Content)> = messages
            .iter()
            .filter(|message| !matches!(text(message, "role"), Some("system" | "developer")))
            .map(|message| {
                let content = message.get("content").unwrap_or(&Value::Null);
                let content = Content::of(content, reading).with_calls_of(message);
                (
                    print(text(message, "role").unwrap_or_default(), &content),
                    message,
                    content,
                )
            })
            .collect();
        let prints: Vec<Print> = read.iter().map(|(print, ..)| *print).collect();
        let at = at.or_else(|| response.and_then(|response| json::time(response, "created")));
        let place = self.place(&prints);
        let history = &mut self.all[place];
        let known = history.prints.len();
        for (print, message, content) in read.into_iter().skip(known) {
            history.prints.push(print);
            add_message(message, content, at, &mut history.dialogue, reading);
        }
        if let Some(response) = response {
            if history.dialogue.turns.is_empty() {
                history.dialogue.latest(at);
            }
            history.answer(response, at, reading);
        }
    }

    /// The conversation whose history is the longest beginning of these messages; a new one where there is none.
    fn place(&mut self, prints: &[Print]) -> usize {
        let begins = |history: &&(usize, &History)| {
            let known = &history.1.prints;
            !known.is_empty() && prints.starts_with(known)
        };
        let longest = self.all.iter().enumerate().filter(|one| begins(&one));
        if let Some((place, _)) = longest.max_by_key(|(_, history)| history.prints.len()) {
            return place;
        }
        self.all.push(History::default());
        self.all.len() - 1
    }

    /// A line of a preference file: a question, the answer that is preferred, and the one that is not.
    pub(super) fn preference(&mut self, line: &Value, reading: &mut Reading) {
        self.all.push(History::default());
        let place = self.all.len() - 1;
        let history = &mut self.all[place];
        let messages = line
            .get("input")
            .map_or(&[][..], |input| json::list(input, "messages"));
        for message in messages.iter().chain(json::list(line, "preferred_output")) {
            let content = message.get("content").unwrap_or(&Value::Null);
            let content = Content::of(content, reading).with_calls_of(message);
            add_message(message, content, None, &mut history.dialogue, reading);
        }
        for message in json::list(line, "non_preferred_output") {
            let content = Content::of(message.get("content").unwrap_or(&Value::Null), reading);
            history.dialogue.latest(None).alternatives.push(content.text);
        }
    }

    /// A prompt with its completion.
    pub(super) fn completion(&mut self, prompt: &str, completion: &str) {
        let mut history = History::default();
        let message = PersonMessage {
            text: prompt.to_owned(),
            ..PersonMessage::default()
        };
        history.dialogue.ask(message, None);
        history.dialogue.say(completion, None);
        self.all.push(history);
    }

    /// An answer that was put together from a stream; its question is not in the log.
    pub(super) fn streamed(
        &mut self,
        text: String,
        alternatives: Vec<String>,
        at: Option<Timestamp>,
        cut: bool,
    ) {
        let mut history = History::default();
        history.dialogue.latest(at);
        history.dialogue.say(text, at);
        history.dialogue.latest(at).alternatives = alternatives;
        if cut {
            history
                .dialogue
                .fail("the answer was cut at the limit of tokens", at);
        }
        self.all.push(history);
    }

    /// Names the conversation that was added last.
    pub(super) fn name_last(&mut self, title: &str) {
        if let Some(last) = self.all.last_mut() {
            last.title = Some(title.to_owned());
        }
    }

    pub(super) fn into_conversations(self) -> Vec<Conversation> {
        let filled = self
            .all
            .into_iter()
            .filter(|history| !history.dialogue.turns.is_empty());
        filled
            .enumerate()
            .map(|(index, history)| Conversation {
                id: format!("conversation-{}", index + 1),
                title: history.title,
                turns: history.dialogue.turns,
                ..Conversation::default()
            })
            .collect()
    }
}

impl History {
    fn answer(&mut self, response: &Value, at: Option<Timestamp>, reading: &mut Reading) {
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            self.dialogue.fail(error_words(error), at);
            return;
        }
        let mut choices: Vec<&Value> = json::list(response, "choices").iter().collect();
        choices.sort_by_key(|choice| choice.get("index").and_then(Value::as_u64));
        if let Some((first, rest)) = choices.split_first() {
            let message = first.get("message").unwrap_or(&Value::Null);
            self.answer_with(message, at, reading);
            self.stop(text(first, "finish_reason"), at, reading);
            for other in rest {
                let content = other.get("message").and_then(|message| message.get("content"));
                let content = Content::of(content.unwrap_or(&Value::Null), reading);
                self.dialogue.latest(at).alternatives.push(content.text);
            }
        } else if response.get("content").is_some() {
            self.answer_with(response, at, reading);
            self.stop(text(response, "stop_reason"), at, reading);
        } else {
            reading.unknown("response", text(response, "object").unwrap_or_default());
        }
    }

    fn answer_with(&mut self, message: &Value, at: Option<Timestamp>, reading: &mut Reading) {
        let content = message.get("content").unwrap_or(&Value::Null);
        let content = Content::of(content, reading).with_calls_of(message);
        self.prints.push(print("assistant", &content));
        add_answer(content, at, &mut self.dialogue);
    }

    fn stop(&mut self, reason: Option<&str>, at: Option<Timestamp>, reading: &mut Reading) {
        match reason {
            Some("length" | "max_tokens") => self
                .dialogue
                .fail("the answer was cut at the limit of tokens", at),
            Some("content_filter" | "refusal") => self.dialogue.fail("the answer was filtered", at),
            Some(
                "stop" | "tool_calls" | "function_call" | "end_turn" | "stop_sequence" | "tool_use"
                | "pause_turn",
            )
            | None => {}
            Some(other) => reading.unknown("stop reason", other),
        }
    }
}

/// The words of an error, in either form.
pub(super) fn error_words(error: &Value) -> String {
    let inner = error.get("error").unwrap_or(error);
    let kind = text(inner, "type").or_else(|| text(inner, "code"));
    match (kind, text(inner, "message")) {
        (Some(kind), Some(message)) => format!("{kind}: {message}"),
        (None, Some(message)) => message.to_owned(),
        (Some(kind), None) => kind.to_owned(),
        (None, None) => json::words(inner),
    }
}

fn add_message(
    message: &Value,
    content: Content,
    at: Option<Timestamp>,
    dialogue: &mut Dialogue,
    reading: &mut Reading,
) {
    match text(message, "role").unwrap_or_default() {
        "user" => {
            let is_asked = !content.text.is_empty() || content.files > 0 || content.results.is_empty();
            for (id, result, failed) in content.results {
                dialogue.result(&id, result, failed, at);
            }
            if is_asked {
                let name = text(message, "name").map(str::to_owned);
                let message = PersonMessage {
                    text: content.text,
                    files: content.files,
                    sender: name.map(|name| Person {
                        id: None,
                        name: Some(name),
                    }),
                    ..PersonMessage::default()
                };
                dialogue.ask(message, at);
            }
        }
        "assistant" => add_answer(content, at, dialogue),
        "tool" => {
            let id = text(message, "tool_call_id").unwrap_or_default();
            dialogue.result(id, content.text, false, at);
        }
        "function" => {
            let name = text(message, "name").unwrap_or_default();
            dialogue.result(name, content.text, false, at);
        }
        "system" | "developer" => {}
        other => reading.unknown("message of role", other),
    }
}

fn add_answer(content: Content, at: Option<Timestamp>, dialogue: &mut Dialogue) {
    for thought in content.reasoning {
        dialogue.reason(thought, at);
    }
    dialogue.say(content.text, at);
    for (id, name, arguments) in content.calls {
        dialogue.call(&id, &name, arguments, at);
    }
}

/// What is compared of a message.
fn print(role: &str, content: &Content) -> Print {
    let mut hasher = DefaultHasher::new();
    (role, &content.text).hash(&mut hasher);
    for (id, name, _) in &content.calls {
        (id, name).hash(&mut hasher);
    }
    for (id, text, _) in &content.results {
        (id, text).hash(&mut hasher);
    }
    hasher.finish()
}
