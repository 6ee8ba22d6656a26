//! Reads one message, streamed or whole.

use super::blocks::Blocks;
use crate::http::{
    answer::Answer,
    error_body::ErrorBody,
    failure::Failure,
    json::{AtMost, Bytes, kind_of, parse},
    protocol::Reader,
    tools::Piece,
};
use foldback_wire::{StopReason, Usage};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Most blocks of an answer that is told as a whole.
const BLOCKS: usize = 1024;

/// One answer: text, thinking and tool calls in blocks, one after another.
#[derive(Default)]
pub(super) struct MessageReader {
    id: Option<String>,
    usage: Usage,
    blocks: Blocks,
}

impl Reader for MessageReader {
    fn read(&mut self, data: &[u8], answer: &mut Answer) -> Result<bool, Failure> {
        let kind = kind_of(data, "type")?;
        if matches!(kind.as_str(), "ping" | "message")
            || kind.starts_with("message_")
            || kind.starts_with("content_block_")
        {
            answer.recognise();
        }
        match kind.as_str() {
            "message_start" => {
                let MessageStart { message } = parse(data)?;
                self.id = message.id;
                self.count(message.usage, answer);
            }
            "content_block_start" => {
                let event: BlockStart = parse(data)?;
                if answer.keeps_parts() {
                    self.blocks.start(data);
                }
                self.block(event.index, event.content_block, answer)?;
            }
            "content_block_delta" => {
                let event: BlockDelta = parse(data)?;
                if answer.keeps_parts() {
                    self.blocks.add(data);
                }
                self.delta(event.index, event.delta, answer)?;
            }
            "content_block_stop" => match parse::<BlockStop>(data)?.index {
                Some(index) => answer.end_tool(Some(index), None),
                None => answer.end_tools(),
            },
            "message_delta" => {
                let event: MessageDelta = parse(data)?;
                self.count(event.usage, answer);
                stop(event.delta.stop_reason.as_deref(), answer);
            }
            "message_stop" => {
                self.blocks
                    .end()
                    .into_iter()
                    .for_each(|block| answer.keep_part(block));
                return Ok(true);
            }
            "error" => return Err(Failure::of_stream(&parse::<ErrorEvent>(data)?.error)),
            // A message that was not streamed.
            "message" => {
                let message: Message = parse(data)?;
                self.id = message.id;
                for (index, block) in (0..).zip(message.content.0) {
                    self.block(Some(index), block, answer)?;
                }
                self.count(message.usage, answer);
                stop(message.stop_reason.as_deref(), answer);
            }
            // An error of a gateway has no type of its own; pings, and what the API adds, say nothing.
            _ => {
                if let Ok(ErrorEvent { error }) = parse(data) {
                    return Err(Failure::of_stream(&error));
                }
            }
        }
        Ok(false)
    }
}

impl MessageReader {
    fn block(&self, index: Option<u64>, block: Block, answer: &mut Answer) -> Result<(), Failure> {
        match block.kind.as_str() {
            "text" => answer.say(self.id.as_deref(), &block.text.unwrap_or_default().0),
            "thinking" => answer.reason(&block.thinking.unwrap_or_default().0),
            // What the API runs itself is announced in the same way.
            kind @ ("tool_use" | "server_tool_use") => answer.tool(Piece {
                index,
                id: block.id,
                name: block.name,
                is_foreign: kind == "server_tool_use",
                unknown: Map::new(),
                // Empty in a stream, where it comes in deltas.
                arguments: block
                    .input
                    .filter(|input| !input.is_empty())
                    .map(|input| Value::Object(input).to_string().into_bytes()),
            }),
            _ => Ok(()),
        }
    }

    fn delta(&self, index: Option<u64>, delta: Delta, answer: &mut Answer) -> Result<(), Failure> {
        match delta.kind.as_str() {
            "text_delta" => answer.say(self.id.as_deref(), &delta.text.unwrap_or_default().0),
            "thinking_delta" => answer.reason(&delta.thinking.unwrap_or_default().0),
            "input_json_delta" => answer.tool(Piece {
                index,
                arguments: Some(delta.partial_json.unwrap_or_default().0),
                ..Piece::default()
            }),
            // Signatures and citations are no text.
            _ => Ok(()),
        }
    }

    /// Counts grow: what a later event does not say again stays. What was read from the cache was read.
    fn count(&mut self, tokens: Option<Tokens>, answer: &mut Answer) {
        let Some(tokens) = tokens else { return };
        let parts = [tokens.input, tokens.cache_written, tokens.cache_read];
        if parts[0].is_some() {
            self.usage.input = parts.into_iter().flatten().fold(0, u64::saturating_add);
        }
        self.usage.output = tokens.output.unwrap_or(self.usage.output);
        answer.used(self.usage);
    }
}

/// <https://docs.anthropic.com/en/api/handling-stop-reasons>
fn stop(reason: Option<&str>, answer: &mut Answer) {
    match reason {
        None => {}
        Some("max_tokens" | "model_context_window_exceeded") => answer.stop(StopReason::Length),
        Some("refusal") => answer.stop(StopReason::Refusal),
        // `end_turn`, `stop_sequence`, `tool_use`, `pause_turn`, and what is new: the model has ended.
        Some(_) => answer.stop(StopReason::End),
    }
}

#[derive(Deserialize)]
struct MessageStart {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    content: AtMost<Block, BLOCKS>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct BlockStart {
    #[serde(default)]
    index: Option<u64>,
    content_block: Block,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    text: Option<Bytes>,
    #[serde(default)]
    thinking: Option<Bytes>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    input: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct BlockDelta {
    #[serde(default)]
    index: Option<u64>,
    delta: Delta,
}

#[derive(Deserialize)]
struct BlockStop {
    #[serde(default)]
    index: Option<u64>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    text: Option<Bytes>,
    #[serde(default)]
    thinking: Option<Bytes>,
    #[serde(default)]
    partial_json: Option<Bytes>,
}

#[derive(Deserialize)]
struct MessageDelta {
    delta: Stopped,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Stopped {
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(rename = "input_tokens", default)]
    input: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens", default)]
    cache_written: Option<u64>,
    #[serde(rename = "cache_read_input_tokens", default)]
    cache_read: Option<u64>,
    #[serde(rename = "output_tokens", default)]
    output: Option<u64>,
}

#[derive(Deserialize)]
struct ErrorEvent {
    error: ErrorBody,
}
