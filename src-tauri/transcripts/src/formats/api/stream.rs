//! Answers that were logged as they streamed, piece by piece.

use super::history::Histories;
use crate::{
    json::{self, text},
    reading::Reading,
};
use foldback_wire::Timestamp;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Most answers that are put together at once; pieces of further ones are counted.
const ANSWERS: usize = 10_000;

#[derive(Default)]
struct Streamed {
    /// Texts by the number of the choice.
    choices: BTreeMap<u64, String>,
    at: Option<Timestamp>,
    cut: bool,
}

/// Answers in the making, by their id.
#[derive(Default)]
pub(super) struct Streams {
    order: Vec<String>,
    all: HashMap<String, Streamed>,
}

impl Streams {
    fn of(&mut self, id: &str, reading: &mut Reading) -> Option<&mut Streamed> {
        if !self.all.contains_key(id) {
            if self.order.len() == ANSWERS {
                reading.unknown("piece", "too.many.streams");
                return None;
            }
            self.order.push(id.to_owned());
        }
        Some(self.all.entry(id.to_owned()).or_default())
    }

    /// A piece of a chat completion.
    pub(super) fn chunk(&mut self, chunk: &Value, reading: &mut Reading) {
        let id = json::id(chunk, "id").unwrap_or_default();
        let Some(streamed) = self.of(&id, reading) else {
            return;
        };
        streamed.at = streamed.at.or_else(|| json::time(chunk, "created"));
        for choice in json::list(chunk, "choices") {
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
            let said = choice.get("delta").and_then(|delta| text(delta, "content"));
            streamed
                .choices
                .entry(index)
                .or_default()
                .push_str(said.unwrap_or_default());
            streamed.cut |= index == 0 && text(choice, "finish_reason") == Some("length");
        }
    }

    /// An event of a streamed response.
    pub(super) fn event(&mut self, kind: &str, event: &Value, reading: &mut Reading) {
        match kind {
            "response.output_text.delta" => {
                let id = json::id(event, "item_id").unwrap_or_default();
                let Some(streamed) = self.of(&id, reading) else {
                    return;
                };
                let index = event.get("content_index").and_then(Value::as_u64).unwrap_or(0);
                let said = text(event, "delta").unwrap_or_default();
                streamed.choices.entry(index).or_default().push_str(said);
            }
            known if known.starts_with("response.") => reading.aside("event", known),
            other => reading.unknown("event", other),
        }
    }

    /// Hands over what was put together.
    pub(super) fn finish(mut self, histories: &mut Histories, reading: &mut Reading) {
        if !self.order.is_empty() {
            reading.note(format!(
                "Answers that were logged in pieces, without their question: {}.",
                self.order.len()
            ));
        }
        for id in &self.order {
            let Some(streamed) = self.all.remove(id) else {
                continue;
            };
            let mut texts = streamed.choices.into_values();
            let first = texts.next().unwrap_or_default();
            histories.streamed(first, texts.collect(), streamed.at, streamed.cut);
        }
    }
}
