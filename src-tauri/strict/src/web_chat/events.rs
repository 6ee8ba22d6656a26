//! A stream of events, read by the letter of the form.

use super::rules;
use crate::Broken;
use futures::{Stream, StreamExt as _};
use serde_json::Value;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The id to resume behind.
    pub id: String,
    /// Its data.
    pub data: Value,
}

impl Event {
    /// Its type.
    pub fn kind(&self) -> &str {
        self.data["type"].as_str().unwrap_or_default()
    }
}

type Pieces = Pin<Box<dyn Stream<Item = Option<Vec<u8>>> + Send>>;

/// The events of one connection.
pub struct EventStream {
    pieces: Pieces,
    text: Vec<u8>,
    broken: Arc<Mutex<Broken>>,
}

impl EventStream {
    pub(super) fn new(response: reqwest::Response, broken: Arc<Mutex<Broken>>) -> Self {
        let pieces = response
            .bytes_stream()
            .map(|piece| piece.ok().map(|piece| piece.to_vec()));
        Self {
            pieces: Box::pin(pieces),
            text: Vec::new(),
            broken,
        }
    }

    /// The next event; `None` where the stream ended or broke.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            let event = self.block().await?;
            let fields: Vec<_> = event
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with(':'))
                .collect();
            if fields.is_empty() {
                continue;
            }
            let field = |name: &str| {
                let own = fields
                    .iter()
                    .filter_map(move |line| line.strip_prefix(name)?.strip_prefix(": "));
                own.collect::<Vec<_>>().join("\n")
            };
            let known = |line: &&str| ["id: ", "data: "].iter().any(|name| line.starts_with(name));
            let data = serde_json::from_str(&field("data"));
            if !fields.iter().all(known) || data.is_err() {
                self.note(rules::EVENT_FORM);
            }
            let id = field("id");
            if id.is_empty() {
                self.note(rules::EVENT_ID);
            }
            return Some(Event {
                id,
                data: data.unwrap_or_default(),
            });
        }
    }

    /// The next event of a type, passing over others.
    pub async fn next_of(&mut self, kind: &str) -> Option<Event> {
        loop {
            let event = self.next().await?;
            if event.kind() == kind {
                return Some(event);
            }
        }
    }

    /// Lines up to an empty one.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some(at) = self.text.windows(2).position(|two| two == b"\n\n") {
                let rest = self.text.split_off(at + 2);
                let block = std::mem::replace(&mut self.text, rest);
                return String::from_utf8(block).ok();
            }
            self.text.extend(self.pieces.next().await??);
        }
    }

    fn note(&self, rule: crate::Rule) {
        self.broken
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .note(rule);
    }
}
