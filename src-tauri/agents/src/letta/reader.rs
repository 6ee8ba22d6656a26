//! Reads what a Letta agent streams (<https://docs.letta.com/guides/agents/message-types>).

use super::escaped::EscapedText;
use crate::http::{
    answer::Answer,
    error_body::ErrorBody,
    failure::Failure,
    json::{AtMost, Bytes, kind_of, parse},
    protocol::Reader,
    tools::Piece,
};
use foldback_wire::{AgentFault, StopReason, ToolCall, ToolStatus, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// One run of the agent.
#[derive(Default)]
pub(super) struct MessageReader {
    /// Names and arguments of calls by their id, for their results.
    calls: HashMap<String, (String, Vec<u8>)>,
    /// The call whose pieces come without an id.
    last: String,
    /// Whether the server has said what it calls the run.
    called: bool,
    /// The calls that wait for an approval.
    waits: Vec<String>,
    /// The message that is said.
    message: Option<String>,
    text: EscapedText,
}

/// Most messages of a run that is told as a whole.
const MESSAGES: usize = 10_000;

impl Reader for MessageReader {
    fn read(&mut self, data: &[u8], answer: &mut Answer) -> Result<bool, Failure> {
        let kind = kind_of(data, "message_type")?;
        if !self.called {
            let run = kind_of(data, "run_id").unwrap_or_default();
            self.called = !run.is_empty();
            answer.is_called(run);
        }
        if !kind.is_empty() {
            answer.recognise();
        }
        if !matches!(kind.as_str(), "assistant_message" | "ping") {
            self.close(answer)?;
        }
        match kind.as_str() {
            "assistant_message" => {
                let said: Said = parse(data)?;
                // Nothing else tells that a call is whole.
                answer.end_tools();
                if said.id != self.message {
                    self.close(answer)?;
                    self.message = said.id;
                }
                let text = self.text.push(said.content.unwrap_or_default().0);
                answer.say(self.message.as_deref(), &text)?;
            }
            "reasoning_message" => {
                let thought: Thought = parse(data)?;
                answer.reason(&thought.reasoning.unwrap_or_default().0)?;
            }
            "tool_call_message" => self.call(parse(data)?, answer)?,
            "approval_request_message" => {
                let wishes: Wishes = parse(data)?;
                self.call(parse(data)?, answer)?;
                self.wait_for(&wishes);
            }
            "tool_return_message" => self.returned(parse(data)?, answer)?,
            "stop_reason" => {
                let stop: Stop = parse(data)?;
                self.stop(&stop.stop_reason, answer);
            }
            "usage_statistics" => {
                let tokens: Tokens = parse(data)?;
                answer.used(Usage {
                    input: tokens.prompt_tokens.unwrap_or_default(),
                    output: tokens.completion_tokens.unwrap_or_default(),
                });
            }
            "error_message" => return Err(Failure::of_stream(&parse::<ErrorBody>(data)?)),
            "" => return whole(parse(data)?, self, answer),
            // Pings, what the user said, and what is new.
            _ => {}
        }
        Ok(false)
    }

    fn close(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        let kept = self.text.end();
        if kept.is_empty() {
            return Ok(());
        }
        answer.say(self.message.as_deref(), &kept)
    }
}

/// What has no type is an error, or all messages of a server that does not stream.
fn whole(whole: Whole, reader: &mut MessageReader, answer: &mut Answer) -> Result<bool, Failure> {
    if let Some(error) = whole.error {
        return Err(Failure::of_stream(&error));
    }
    let parts = whole
        .messages
        .0
        .iter()
        .chain(&whole.usage)
        .chain(&whole.stop_reason);
    for part in parts.filter(|part| part.get("message_type").is_some()) {
        reader.read(part.to_string().as_bytes(), answer)?;
    }
    Ok(false)
}

impl MessageReader {
    fn call(&mut self, message: Call, answer: &mut Answer) -> Result<(), Failure> {
        let Some(piece) = message.tool_call else {
            return Ok(());
        };
        if let Some(id) = piece.tool_call_id.filter(|id| !id.is_empty()) {
            self.last = id;
        }
        let Bytes(arguments) = piece.arguments.unwrap_or_default();
        let (name, known) = self.calls.entry(self.last.clone()).or_default();
        if name.is_empty() {
            *name = piece.name.clone().unwrap_or_default();
        }
        known.extend(&arguments);
        answer.tool(Piece {
            index: None,
            id: Some(self.last.clone()),
            name: piece.name,
            arguments: Some(arguments),
            is_foreign: true,
            unknown: Map::new(),
        })
    }

    /// Notes the calls that wait: the one that is told in pieces, and all of several.
    fn wait_for(&mut self, wishes: &Wishes) {
        let several = wishes.tool_calls.as_array().into_iter().flatten();
        let ids = several.filter_map(|call| call.get("tool_call_id")?.as_str());
        let told = Some(self.last.as_str()).filter(|id| !id.is_empty());
        for id in told.into_iter().chain(ids) {
            if !self.waits.iter().any(|known| known == id) {
                self.waits.push(id.to_owned());
            }
        }
    }

    fn returned(&mut self, message: Returned, answer: &mut Answer) -> Result<(), Failure> {
        let id = message.tool_call_id.unwrap_or_else(|| self.last.clone());
        let (name, arguments) = self.calls.remove(&id).unwrap_or_default();
        let result = String::from_utf8_lossy(&message.tool_return.unwrap_or_default().0).into_owned();
        answer.ran(ToolCall {
            id: id.as_str().into(),
            name,
            status: match message.status.as_deref() {
                Some("error") => ToolStatus::Failed,
                _ => ToolStatus::Completed,
            },
            arguments: Some(String::from_utf8_lossy(&arguments).into_owned()),
            result: Some(result),
        })
    }

    /// <https://docs.letta.com/api-reference/agents/messages/create-stream>, `stop_reason`. The run's own errors
    /// may be told in words by a later event.
    fn stop(&self, reason: &str, answer: &mut Answer) {
        match reason {
            "max_steps" | "max_tokens_exceeded" | "context_window_overflow_in_system_prompt" => {
                answer.stop(StopReason::Length);
            }
            "cancelled" => answer.stop(StopReason::Cancelled),
            "refusal" => answer.stop(StopReason::Refusal),
            "requires_approval" => {
                let name = |id: &String| Some(self.calls.get(id)?.0.as_str());
                let tool = self.waits.iter().find_map(name).unwrap_or("a tool");
                let detail = format!(
                    "the agent wanted an approval of {tool}, which nobody can give here: it was refused"
                );
                answer.fail(Failure::lasting(AgentFault::Rejected, detail));
                answer.owe(refusal(&self.waits));
            }
            "error" | "llm_api_error" | "invalid_llm_response" | "invalid_tool_call" | "no_tool_call" => {
                answer.fail(Failure::passing(
                    AgentFault::Internal,
                    format!("the agent stopped: {reason}"),
                ));
            }
            _ => answer.stop(StopReason::End),
        }
    }
}

/// Refuses calls that wait for an approval: left open, the request would keep the agent from every other message of
/// every chat (<https://docs.letta.com/guides/agents/human-in-the-loop>).
fn refusal(calls: &[String]) -> Value {
    let refused = calls.iter().map(|id| {
        json!({"type": "approval", "tool_call_id": id, "approve": false,
            "reason": "Nobody can approve a tool call in this chat."})
    });
    let approvals: Vec<Value> = refused.collect();
    super::streamed(&json!([{"type": "approval", "approvals": approvals}])).into()
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    content: Option<Bytes>,
}

#[derive(Deserialize)]
struct Thought {
    #[serde(default)]
    reasoning: Option<Bytes>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    tool_call: Option<CallPiece>,
}

/// What is asked for an approval. Older servers ask for one call at a time.
#[derive(Deserialize)]
struct Wishes {
    #[serde(default)]
    tool_calls: Value,
}

/// The first piece has the name and the id, the later ones may have neither.
#[derive(Deserialize)]
struct CallPiece {
    #[serde(default)]
    tool_call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Bytes>,
}

#[derive(Deserialize)]
struct Returned {
    #[serde(default)]
    tool_call_id: Option<String>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    tool_return: Option<Bytes>,
}

#[derive(Deserialize)]
struct Stop {
    #[serde(default)]
    stop_reason: String,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    error: Option<ErrorBody>,
    #[serde(default)]
    messages: AtMost<Value, MESSAGES>,
    #[serde(default)]
    usage: Option<Value>,
    #[serde(default)]
    stop_reason: Option<Value>,
}
