//! What the server answers.

use super::http;
use crate::{Act, ScriptStep};
use foldback_wire::{StopReason, ToolId};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

/// An answer to one request: a head, then pieces.
#[derive(Debug, Clone)]
pub struct Reply {
    /// `None` for what is not even HTTP.
    head: Option<(u16, Vec<(String, String)>)>,
    pieces: Vec<Piece>,
}

/// A piece of an answer. Each `Bytes` is written and flushed on its own.
#[derive(Debug, Clone)]
pub enum Piece {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes, that often.
    Repeat(Vec<u8>, usize),
    /// Nothing until the gate opens.
    Wait(Gate),
    /// Nothing for so long.
    Pause(Duration),
    /// Nothing any more, but the connection stays.
    Hang,
    /// The connection is cut.
    Cut,
}

/// Lets a test decide when the server goes on.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<Notify>);

impl Gate {
    /// Opens it once, for the wait that is under way or the next one.
    pub fn open(&self) {
        self.0.notify_one();
    }

    pub(super) async fn opened(&self) {
        self.0.notified().await;
    }
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }
}

impl Reply {
    /// A stream of these pieces, written as they are.
    pub fn stream(pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self::with_body(200, "text/event-stream", pieces)
    }

    /// A stream of events with these data, one piece each.
    pub fn events<'a>(data: impl IntoIterator<Item = &'a str>) -> Self {
        Self::stream(data.into_iter().map(event))
    }

    /// One JSON value.
    pub fn json(status: u16, value: &Value) -> Self {
        Self::with_body(
            status,
            "application/json",
            [Piece::Bytes(value.to_string().into_bytes())],
        )
    }

    /// A body of any kind.
    pub fn with_body(status: u16, media_type: &str, pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self {
            head: Some((status, vec![("content-type".to_owned(), media_type.to_owned())])),
            pieces: pieces.into_iter().collect(),
        }
    }

    /// Bytes that need not be HTTP.
    pub fn bare(pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self {
            head: None,
            pieces: pieces.into_iter().collect(),
        }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Some((_, headers)) = &mut self.head {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// A script, streamed as the API would stream it.
    pub fn script(model: &str, steps: &[ScriptStep]) -> Self {
        Self::stream(Stream::new(model).play(steps))
    }

    /// The pieces as they go over the wire.
    pub(super) fn into_wire(self) -> Vec<Piece> {
        let Some((status, headers)) = self.head else {
            return self.pieces;
        };
        let framed = self.pieces.into_iter().map(|piece| match piece {
            Piece::Bytes(bytes) => Piece::Bytes(http::chunk(&bytes)),
            Piece::Repeat(bytes, times) => Piece::Repeat(http::chunk(&bytes), times),
            other => other,
        });
        std::iter::once(Piece::Bytes(http::head(status, &headers)))
            .chain(framed)
            .chain([Piece::Bytes(http::LAST_CHUNK.to_vec())])
            .collect()
    }
}

/// An event with these data.
pub fn event(data: &str) -> Piece {
    Piece::Bytes(format!("data: {data}\n\n").into_bytes())
}

/// An event with a name and these data.
pub fn named(name: &str, data: &str) -> Piece {
    Piece::Bytes(format!("event: {name}\ndata: {data}\n\n").into_bytes())
}

/// Translates script steps into the API's chunks.
struct Stream<'a> {
    model: &'a str,
    pieces: Vec<Piece>,
    tools: Vec<ToolId>,
    usage: Value,
    stop: StopReason,
}

impl<'a> Stream<'a> {
    fn new(model: &'a str) -> Self {
        Self {
            model,
            pieces: Vec::new(),
            tools: Vec::new(),
            usage: json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}),
            stop: StopReason::End,
        }
    }

    fn play(mut self, steps: &[ScriptStep]) -> Vec<Piece> {
        self.delta(&json!({"role": "assistant", "content": ""}));
        for ScriptStep { after_ms, act } in steps {
            self.pause(*after_ms);
            match act {
                Act::Text(text) | Act::Given(text) => self.delta(&json!({"content": text})),
                Act::Reasoning(text) => self.delta(&json!({"reasoning_content": text})),
                // The API has one message per answer.
                Act::Message(_) | Act::Permission(_) | Act::Session(_) | Act::Steered(_) => {}
                Act::Tool(tool) => {
                    self.pause(tool.after_ms);
                    // The API announces a call and never tells how it went on.
                    if !self.tools.contains(&tool.id) {
                        let function = json!({"name": tool.name, "arguments": tool.arguments.as_deref().unwrap_or("{}")});
                        let index = self.tools.len();
                        self.tools.push(tool.id.clone());
                        self.delta(&json!({"tool_calls": [
                            {"index": index, "id": tool.id, "type": "function", "function": function}]}));
                    }
                }
                Act::Usage(usage) => {
                    let total = usage.input + usage.output;
                    self.usage = json!({"prompt_tokens": usage.input, "completion_tokens": usage.output,
                        "total_tokens": total});
                }
                Act::Stop(reason) => {
                    self.stop = *reason;
                    break;
                }
                Act::Error(error) => {
                    let (fault, detail) = Act::fault(error);
                    let error = json!({"error": {"message": detail, "type": fault.code(), "code": null}});
                    self.pieces.push(event(&error.to_string()));
                    return self.pieces;
                }
                Act::Stall(ms) => self.pause(*ms),
                Act::Disconnect => {
                    self.pieces.push(Piece::Cut);
                    return self.pieces;
                }
            }
        }
        let reason = match self.stop {
            StopReason::Length => "length",
            StopReason::Refusal => "content_filter",
            StopReason::Error => "error",
            StopReason::End if !self.tools.is_empty() => "tool_calls",
            StopReason::End | StopReason::Cancelled => "stop",
        };
        self.chunk(
            &json!([{"index": 0, "delta": {}, "finish_reason": reason}]),
            &Value::Null,
        );
        let usage = self.usage.clone();
        self.chunk(&json!([]), &usage);
        self.pieces.push(event("[DONE]"));
        self.pieces
    }

    fn pause(&mut self, ms: u64) {
        if ms > 0 {
            self.pieces.push(Piece::Pause(Duration::from_millis(ms)));
        }
    }

    fn delta(&mut self, delta: &Value) {
        self.chunk(
            &json!([{"index": 0, "delta": delta, "finish_reason": null}]),
            &Value::Null,
        );
    }

    fn chunk(&mut self, choices: &Value, usage: &Value) {
        let chunk = json!({"id": "chatcmpl-script", "object": "chat.completion.chunk", "created": 0,
            "model": self.model, "choices": choices, "usage": usage});
        self.pieces.push(event(&chunk.to_string()));
    }
}
