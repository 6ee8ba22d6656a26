//! Responses, streamed (<https://platform.openai.com/docs/api-reference/responses-streaming>). The conversation is
//! sent with every request and nothing is stored at the endpoint.

use super::effort;
use crate::{
    ActionAnswer, OfferedAction,
    http::{
        answer::{Answer, ModelAnswer},
        ask::Ask,
        config::HttpConfig,
        error_body::ErrorBody,
        failure::Failure,
        json::{AtMost, Bytes, kind_of, parse},
        protocol::{Protocol, Reader, ToolProtocol, bearer, extend, payload_of},
        tools::Piece,
    },
    levels::LevelSupport,
};
use foldback_wire::{Secret, StopReason, ThinkLevel, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Most items of an answer that is told as a whole, and most parts of an item.
const PARTS: usize = 1024;

/// The protocol.
pub(crate) struct Responses;

impl Protocol for Responses {
    fn backend(&self) -> &'static str {
        "openai"
    }

    fn path<'a>(&self, _model: &'a str) -> Vec<&'a str> {
        vec!["responses"]
    }

    fn without_path(&self) -> &'static str {
        "A server without /responses is asked with agent.openai.api = \"chat\"."
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn reserved(&self) -> &'static [&'static str] {
        &["model", "input", "stream", "store"]
    }

    fn fields(&self, config: &HttpConfig, ask: &Ask<'_>) -> Map<String, Value> {
        let message = |role: &str, content: Value| json!({"role": role, "content": content});
        let mut input: Vec<Value> = Vec::with_capacity(ask.history.len() * 2 + 1);
        for exchange in &ask.history {
            input.push(message("user", json!(exchange.prompt)));
            input.push(message("assistant", json!(exchange.reply)));
        }
        input.push(message("user", content(ask)));
        let mut fields = Map::new();
        fields.insert("model".to_owned(), json!(ask.model));
        fields.insert("input".to_owned(), Value::Array(input));
        fields.insert("stream".to_owned(), json!(true));
        fields.insert("store".to_owned(), json!(false));
        let system = config.system.as_ref();
        fields.extend(system.map(|system| ("instructions".to_owned(), json!(system))));
        let most = config.max_tokens;
        fields.extend(most.map(|most| ("max_output_tokens".to_owned(), json!(most))));
        fields
    }

    fn think_levels(&self, _config: &HttpConfig, model: &str) -> LevelSupport {
        effort::levels(model)
    }

    fn think(&self, level: ThinkLevel, _config: &HttpConfig, model: &str, fields: &mut Map<String, Value>) {
        if effort::never_thinks(model) {
            fields.remove("reasoning");
            return;
        }
        // What else is configured of it stays, such as a summary.
        let reasoning = fields.entry("reasoning").or_insert_with(|| json!({}));
        if let Some(reasoning) = reasoning.as_object_mut() {
            reasoning.insert("effort".to_owned(), json!(effort::effort(level)));
        }
    }

    fn tools(&self) -> Option<&'static dyn ToolProtocol> {
        Some(&Self)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<ResponsesReader>::default()
    }
}

/// <https://platform.openai.com/docs/guides/function-calling?api-mode=responses>
impl ToolProtocol for Responses {
    fn tool(&self, action: &OfferedAction) -> Value {
        let OfferedAction {
            name, about, payload, ..
        } = action;
        // Strict schemas have no optional fields; the payload is checked here anyway.
        json!({"type": "function", "name": name, "description": about, "parameters": payload, "strict": false})
    }

    /// Has the reasoning of a model before its call given back to it; as nothing is stored, in encrypted form
    /// (<https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items>). Only models that are known to reason
    /// are asked for it: others refuse it.
    fn offer(&self, model: &str, fields: &mut Map<String, Value>) {
        if effort::reasons(model) {
            extend(fields, "include", [json!(ENCRYPTED)]);
        }
    }

    fn add_results(&self, answer: ModelAnswer, results: &[ActionAnswer], fields: &mut Map<String, Value>) {
        let ModelAnswer {
            text, calls, parts, ..
        } = answer;
        let said = (!text.is_empty()).then(|| json!({"role": "assistant", "content": text}));
        let called = calls.iter().map(|call| {
            let arguments = payload_of(call).to_string();
            json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments})
        });
        let results = calls.iter().zip(results).map(
            |(call, result)| json!({"type": "function_call_output", "call_id": call.id, "output": result.text}),
        );
        // Reasoning stands before what it led to.
        let all = parts.into_iter().chain(said).chain(called).chain(results);
        extend(fields, "input", all);
    }

    fn forbid_calls(&self, fields: &mut Map<String, Value>) {
        fields.insert("tool_choice".to_owned(), json!("none"));
    }
}

/// The reasoning of an item in encrypted form.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// Keeps what a model reasoned, where it can be given back to it.
fn keep_reasoning(data: &[u8], answer: &mut Answer) {
    #[derive(Deserialize)]
    struct Event {
        item: Value,
    }
    if let Ok(Event { item }) = serde_json::from_slice(data)
        && item.get("encrypted_content").is_some_and(Value::is_string)
    {
        let field = |name: &str| (name.to_owned(), item.get(name).cloned().unwrap_or(Value::Null));
        let summary = item.get("summary").cloned().unwrap_or_else(|| json!([]));
        let kept = ["type", "id", "encrypted_content"].map(field);
        answer.keep_part(
            kept.into_iter()
                .chain([("summary".to_owned(), summary)])
                .collect(),
        );
    }
}

fn content(ask: &Ask<'_>) -> Value {
    if ask.images.is_empty() {
        return json!(ask.prompt);
    }
    let images = ask
        .images
        .iter()
        .map(|image| json!({"type": "input_image", "image_url": image.data_url()}));
    let text = json!({"type": "input_text", "text": ask.prompt});
    images.chain([text]).collect()
}

/// Reads one answer.
#[derive(Default)]
struct ResponsesReader {
    refused: bool,
    reasoned: bool,
}

impl Reader for ResponsesReader {
    fn read(&mut self, data: &[u8], answer: &mut Answer) -> Result<bool, Failure> {
        let kind = kind_of(data, "type")?;
        if kind.starts_with("response.") {
            answer.recognise();
        }
        match kind.as_str() {
            "response.output_text.delta" => {
                let said: DeltaEvent = parse(data)?;
                answer.say(said.item_id.clone().as_deref(), &said.bytes())?;
            }
            "response.refusal.delta" => {
                let said: DeltaEvent = parse(data)?;
                self.refused = true;
                answer.say(said.item_id.clone().as_deref(), &said.bytes())?;
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let thought: DeltaEvent = parse(data)?;
                self.reasoned = true;
                answer.reason(&thought.bytes())?;
            }
            // A summary comes in paragraphs.
            "response.reasoning_summary_part.added" if self.reasoned => answer.reason(b"\n\n")?,
            "response.output_item.added" => {
                let ItemEvent { output_index, item } = parse(data)?;
                if item.kind == "function_call" {
                    // The arguments follow.
                    answer.tool(item.piece(output_index, None))?;
                }
            }
            "response.function_call_arguments.delta" => {
                let delta: DeltaEvent = parse(data)?;
                answer.tool(Piece {
                    index: delta.output_index,
                    arguments: Some(delta.bytes()),
                    ..Piece::default()
                })?;
            }
            "response.output_item.done" => {
                let event: ItemEvent = parse(data)?;
                if event.item.kind == "reasoning" && answer.keeps_parts() {
                    keep_reasoning(data, answer);
                }
                if event.item.kind == "function_call" {
                    let id = event.item.call_id.or(event.item.id);
                    answer.end_tool(event.output_index, id.as_deref());
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let event: ResponseEvent = parse(data)?;
                return self.end(event.response, answer);
            }
            "error" => return Err(Failure::of_stream(&parse::<ErrorEvent>(data)?.into())),
            // An answer that is not streamed has no type.
            "" => return self.whole(parse(data)?, answer),
            // What is repeated at its end, and what is new.
            _ => {}
        }
        Ok(false)
    }
}

impl DeltaEvent {
    fn bytes(self) -> Vec<u8> {
        self.delta.unwrap_or_default().0
    }
}

impl ResponsesReader {
    fn whole(&mut self, mut response: Response, answer: &mut Answer) -> Result<bool, Failure> {
        let output = response.output.take().unwrap_or_default().0;
        for (index, item) in (0..).zip(&output) {
            match item.kind.as_str() {
                "message" => {
                    for part in &item.content.0 {
                        self.refused |= part.refusal.is_some();
                        for Bytes(text) in [&part.text, &part.refusal].into_iter().flatten() {
                            answer.say(item.id.as_deref(), text)?;
                        }
                    }
                }
                "function_call" => {
                    let Bytes(arguments) = item.arguments.as_ref().unwrap_or(const { &Bytes(Vec::new()) });
                    answer.tool(item.piece(Some(index), Some(arguments.clone())))?;
                }
                _ => {}
            }
        }
        if response.status.is_none() && output.is_empty() && response.error.is_none() {
            // Some other object.
            return Ok(false);
        }
        self.end(response, answer)
    }

    fn end(&self, response: Response, answer: &mut Answer) -> Result<bool, Failure> {
        if let Some(tokens) = response.usage {
            answer.used(Usage {
                input: tokens.input_tokens.unwrap_or_default(),
                output: tokens.output_tokens.unwrap_or_default(),
            });
        }
        if let Some(error) = response.error {
            return Err(Failure::of_stream(&error));
        }
        let reason = response.incomplete_details.and_then(|details| details.reason);
        answer.stop(match (response.status.as_deref(), reason.as_deref()) {
            (Some("failed"), _) => {
                return Err(Failure::of_stream(&ErrorBody {
                    message: "the response failed".to_owned(),
                    ..ErrorBody::default()
                }));
            }
            (Some("cancelled"), _) => StopReason::Cancelled,
            (_, Some("content_filter")) => StopReason::Refusal,
            (Some("incomplete"), _) => StopReason::Length,
            _ if self.refused => StopReason::Refusal,
            _ => StopReason::End,
        });
        Ok(true)
    }
}

#[derive(Deserialize)]
struct DeltaEvent {
    #[serde(default)]
    item_id: Option<String>,
    #[serde(default)]
    output_index: Option<u64>,
    #[serde(default)]
    delta: Option<Bytes>,
}

#[derive(Deserialize)]
struct ItemEvent {
    #[serde(default)]
    output_index: Option<u64>,
    item: Item,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Bytes>,
    #[serde(default)]
    content: AtMost<Part, PARTS>,
}

impl Item {
    fn piece(&self, index: Option<u64>, arguments: Option<Vec<u8>>) -> Piece {
        Piece {
            index,
            id: self.call_id.clone().or_else(|| self.id.clone()),
            name: self.name.clone(),
            arguments,
            is_foreign: false,
            unknown: Map::new(),
        }
    }
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<Bytes>,
    #[serde(default)]
    refusal: Option<Bytes>,
}

#[derive(Deserialize)]
struct ResponseEvent {
    response: Response,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    output: Option<AtMost<Item, PARTS>>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<ErrorBody>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

/// The error is the event, or, as some endpoints send it, in the event.
#[derive(Deserialize)]
struct ErrorEvent {
    #[serde(default)]
    error: Option<ErrorBody>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    code: Option<String>,
}

impl From<ErrorEvent> for ErrorBody {
    fn from(event: ErrorEvent) -> Self {
        event.error.unwrap_or_else(|| Self {
            message: event.message.unwrap_or_default(),
            code: event.code.unwrap_or_default(),
            ..Self::default()
        })
    }
}
