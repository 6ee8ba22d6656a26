//! Logs of model APIs: no standard file, so each line is recognised by its shape.
//!
//! A line is a request, a response, both under a wrapper, a piece of a stream, a line of a batch or of a fine-tuning
//! file. Every request repeats the whole history, so requests are put together by their beginnings ([`history`]).

mod batch;
mod content;
mod history;
mod responses;
mod stream;

use crate::{
    DamageReason, Refusal,
    json::{self, text},
    reading::{Entry, Reading, next_object},
    source::Source,
};
use batch::Batch;
use foldback_wire::Timestamp;
use history::Histories;
use responses::Chain;
pub(super) use responses::add_item;
use serde_json::Value;
use stream::Streams;

/// Everything that the lines of a log become.
#[derive(Default)]
struct Log {
    histories: Histories,
    chain: Chain,
    batch: Batch,
    streams: Streams,
}

/// Reads a log.
pub(super) fn read(source: &mut Source<'_>, reading: &mut Reading) -> Result<(), Refusal> {
    let mut log = Log::default();
    while let Some(entry) = next_object(source, reading)? {
        log.add(&entry, reading);
    }
    let Log {
        mut histories,
        mut chain,
        batch,
        streams,
    } = log;
    batch.finish(&mut histories, &mut chain, reading);
    streams.finish(&mut histories, reading);
    reading.conversations = histories.into_conversations();
    reading.conversations.extend(chain.into_conversations());
    Ok(())
}

impl Log {
    fn add(&mut self, entry: &Entry, reading: &mut Reading) {
        let value = &entry.value;
        if value.get("custom_id").is_some() {
            self.batch.add(value, reading);
            return;
        }
        if let Some(kind) = text(value, "type").filter(|_| value.get("sequence_number").is_some()) {
            self.streams.event(kind, value, reading);
            return;
        }
        if text(value, "object") == Some("chat.completion.chunk") {
            self.streams.chunk(value, reading);
            return;
        }
        if value.get("preferred_output").is_some() {
            self.histories.preference(value, reading);
            return;
        }
        if let (Some(prompt), Some(completion)) = (text(value, "prompt"), text(value, "completion")) {
            self.histories.completion(prompt, completion);
            return;
        }
        let at = ["time", "timestamp", "created", "created_at"]
            .into_iter()
            .find_map(|key| json::time(value, key));
        let request = ["request", "kwargs", "input"]
            .into_iter()
            .find_map(|key| value.get(key));
        let response = ["response", "result", "output"]
            .into_iter()
            .find_map(|key| value.get(key));
        let is_pair = request.is_some_and(Value::is_object) && value.get("object").is_none();
        if is_pair {
            self.pair(request, response, at, reading);
        } else if value.get("messages").is_some() {
            self.pair(Some(value), None, at, reading);
        } else if is_response(value) {
            self.pair(None, Some(value), at, reading);
        } else if value.get("input").is_some() && value.get("model").is_some() {
            self.pair(Some(value), None, at, reading);
        } else if let Some(kind) = text(value, "type").or_else(|| text(value, "object")) {
            reading.unknown("line", kind);
        } else {
            reading.damage(entry.line, entry.offset, DamageReason::MissingField);
        }
    }

    /// A request with its response, or one of them.
    fn pair(
        &mut self,
        request: Option<&Value>,
        response: Option<&Value>,
        at: Option<Timestamp>,
        reading: &mut Reading,
    ) {
        if request.is_some_and(|request| request.get("input").is_some())
            || response.is_some_and(|response| text(response, "object") == Some("response"))
        {
            self.chain.add(request, response, at, reading);
        } else {
            self.histories.add(request, response, at, reading);
        }
    }
}

/// Whether a value is a response of one of the APIs.
fn is_response(value: &Value) -> bool {
    value.get("choices").is_some()
        || text(value, "object") == Some("response")
        || value.get("error").is_some()
        || text(value, "type") == Some("message") && value.get("content").is_some()
}
