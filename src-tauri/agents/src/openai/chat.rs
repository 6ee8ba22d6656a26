//! Chat completions, streamed (<https://platform.openai.com/docs/api-reference/chat-streaming>).

use super::effort;
use crate::{
    ActionAnswer, OfferedAction,
    http::{
        answer::{Answer, ModelAnswer},
        ask::Ask,
        config::HttpConfig,
        error_body::ErrorBody,
        failure::Failure,
        json::{AtMost, Bytes, Label, parse},
        protocol::{Protocol, Reader, ToolProtocol, bearer, extend, payload_of},
        tools::Piece,
    },
    joiner::Joiner,
    levels::LevelSupport,
};
use foldback_wire::{AgentFault, Secret, StopReason, ThinkLevel, Usage};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Most choices of a chunk. One is asked for.
const CHOICES: usize = 128;
/// Most pieces of tool calls in a chunk.
const CALLS: usize = 128;

/// The field of a message for its reasoning that goes back with its calls.
const REASONING: &str = "reasoning_content";

/// The protocol.
pub(crate) struct Chat;

impl Protocol for Chat {
    fn backend(&self) -> &'static str {
        "openai"
    }

    fn path<'a>(&self, _model: &'a str) -> Vec<&'a str> {
        vec!["chat", "completions"]
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn reserved(&self) -> &'static [&'static str] {
        &["model", "messages", "stream"]
    }

    fn fields(&self, config: &HttpConfig, ask: &Ask<'_>) -> Map<String, Value> {
        let message = |role: &str, content: &str| json!({"role": role, "content": content});
        let mut messages: Vec<Value> = Vec::with_capacity(ask.history.len() * 2 + 2);
        messages.extend(config.system.as_deref().map(|system| message("system", system)));
        for exchange in &ask.history {
            messages.push(message("user", &exchange.prompt));
            messages.push(message("assistant", &exchange.reply));
        }
        messages.push(json!({"role": "user", "content": content(ask)}));
        let mut fields = Map::new();
        fields.insert("model".to_owned(), json!(ask.model));
        fields.insert("messages".to_owned(), Value::Array(messages));
        fields.insert("stream".to_owned(), json!(true));
        fields.insert("stream_options".to_owned(), json!({"include_usage": true}));
        fields.extend(
            config
                .max_tokens
                .map(|most| ("max_tokens".to_owned(), json!(most))),
        );
        fields
    }

    fn think_levels(&self, _config: &HttpConfig, model: &str) -> LevelSupport {
        effort::levels(model)
    }

    fn think(&self, level: ThinkLevel, _config: &HttpConfig, model: &str, fields: &mut Map<String, Value>) {
        if effort::never_thinks(model) {
            fields.remove("reasoning_effort");
        } else {
            fields.insert("reasoning_effort".to_owned(), json!(effort::effort(level)));
        }
    }

    fn tools(&self) -> Option<&'static dyn ToolProtocol> {
        Some(&Self)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<ChatReader>::default()
    }
}

/// <https://platform.openai.com/docs/guides/function-calling?api-mode=chat>
///
/// Models that reason want back what they sent with a call, where they sent it: `DeepSeek` the `reasoning_content` of the
/// message (<https://api-docs.deepseek.com/guides/thinking_mode#tool-calls>), Gemini the `extra_content` of a call with its
/// signature (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
impl ToolProtocol for Chat {
    fn tool(&self, action: &OfferedAction) -> Value {
        let OfferedAction {
            name, about, payload, ..
        } = action;
        json!({"type": "function", "function": {"name": name, "description": about, "parameters": payload}})
    }

    fn add_results(&self, answer: ModelAnswer, results: &[ActionAnswer], fields: &mut Map<String, Value>) {
        let ModelAnswer {
            text,
            calls,
            mut unknown,
            parts,
        } = answer;
        let called = calls.iter().map(|call| {
            let arguments = payload_of(call).to_string();
            let mut called = unknown.remove(&call.id).unwrap_or_default();
            called.insert("id".to_owned(), json!(call.id));
            called.insert("type".to_owned(), json!("function"));
            let function = json!({"name": call.name, "arguments": arguments});
            called.insert("function".to_owned(), function);
            called
        });
        let called: Vec<_> = called.collect();
        let content = (!text.is_empty()).then_some(text);
        let mut said = json!({"role": "assistant", "content": content, "tool_calls": called});
        if let Some(reasoned) = parts.into_iter().next() {
            said[REASONING] = reasoned;
        }
        let results = calls
            .iter()
            .zip(results)
            .map(|(call, result)| json!({"role": "tool", "tool_call_id": call.id, "content": result.text}));
        extend(fields, "messages", [said].into_iter().chain(results));
    }

    fn forbid_calls(&self, fields: &mut Map<String, Value>) {
        fields.insert("tool_choice".to_owned(), json!("none"));
    }
}

/// The question: a string, which every endpoint takes, unless there are pictures.
fn content(ask: &Ask<'_>) -> Value {
    if ask.images.is_empty() {
        return json!(ask.prompt);
    }
    let images = ask
        .images
        .iter()
        .map(|image| json!({"type": "image_url", "image_url": {"url": image.data_url()}}));
    let text = json!({"type": "text", "text": ask.prompt});
    images.chain([text]).collect()
}

/// Reads one answer.
#[derive(Default)]
struct ChatReader {
    message: Option<String>,
    refused: bool,
    /// Reasoning that goes back with the calls of the answer.
    reasoned: Vec<u8>,
}

impl Reader for ChatReader {
    fn read(&mut self, data: &[u8], answer: &mut Answer) -> Result<bool, Failure> {
        let chunk: Chunk = parse(data)?;
        if let Some(error) = chunk.error {
            return Err(Failure::of_stream(&error));
        }
        if self.message.is_none() {
            // The first id only: some gateways give every chunk its own, and a new id means a new message.
            self.message = chunk.id.map(|id| id.0).filter(|id| !id.is_empty());
        }
        let choices = chunk.choices.map(|choices| choices.0);
        if choices.as_ref().map_or(chunk.usage.is_some(), Vec::is_empty) {
            // Gateways send these before and after the answer, such as the verdict of a filter, or the tokens.
            answer.pass_over();
        }
        if let Some(tokens) = chunk.usage {
            answer.used(Usage {
                input: tokens.prompt_tokens.unwrap_or_default(),
                output: tokens.completion_tokens.unwrap_or_default(),
            });
        }
        for choice in choices.unwrap_or_default() {
            if choice.index.unwrap_or(0) != 0 {
                // Only one answer was asked for; a second one is not for the same reader.
                continue;
            }
            if let Some(delta) = choice.delta.or(choice.message) {
                if delta.is_known() {
                    answer.recognise();
                } else if !answer.is_recognised() && says_nothing(data) {
                    answer.pass_over();
                }
                self.delta(delta, answer)?;
            }
            if let Some(reason) = choice.finish_reason {
                self.finish(&reason, answer)?;
            }
        }
        Ok(false)
    }

    fn may_be_empty(&self) -> bool {
        true
    }

    fn close(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        let mut joiner = Joiner::default();
        let reasoned = joiner.push(&std::mem::take(&mut self.reasoned)) + joiner.finish();
        if !reasoned.is_empty() {
            answer.keep_part(Value::String(reasoned));
        }
        Ok(())
    }
}

impl ChatReader {
    fn delta(&mut self, delta: Delta, answer: &mut Answer) -> Result<(), Failure> {
        if let Some(Bytes(bytes)) = &delta.reasoning_content
            && answer.keeps_parts()
        {
            self.reasoned.extend_from_slice(bytes);
        }
        // Endpoints that send both names send the same text twice.
        if let Some(Bytes(bytes)) = delta.reasoning_content.or(delta.reasoning) {
            answer.reason(&bytes)?;
        }
        if let Some(Bytes(bytes)) = delta.content {
            // Nothing else tells that a call is whole.
            if !bytes.is_empty() {
                answer.end_tools();
            }
            answer.say(self.message.as_deref(), &bytes)?;
        }
        if let Some(Bytes(bytes)) = delta.refusal
            && !bytes.is_empty()
        {
            self.refused = true;
            answer.say(self.message.as_deref(), &bytes)?;
        }
        for call in delta.tool_calls.unwrap_or_default().0 {
            answer.tool(call.into())?;
        }
        Ok(())
    }

    fn finish(&self, reason: &str, answer: &mut Answer) -> Result<(), Failure> {
        answer.stop(match reason {
            "" => return Ok(()),
            "error" => {
                return Err(Failure::passing(
                    AgentFault::Internal,
                    "the backend stopped with an error",
                ));
            }
            "length" | "max_tokens" => StopReason::Length,
            "content_filter" | "refusal" => StopReason::Refusal,
            _ if self.refused => StopReason::Refusal,
            // `stop`, `tool_calls`, and what endpoints invent: the model has ended.
            _ => StopReason::End,
        });
        Ok(())
    }
}

/// A chunk of a stream, or a whole answer.
#[derive(Debug, Default, Deserialize)]
struct Chunk {
    #[serde(default)]
    id: Option<Label>,
    #[serde(default)]
    choices: Option<AtMost<Choice, CHOICES>>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<ErrorBody>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    index: Option<u64>,
    /// In a stream.
    #[serde(default)]
    delta: Option<Delta>,
    /// In a whole answer.
    #[serde(default)]
    message: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Delta {
    #[serde(default)]
    role: Option<IgnoredAny>,
    #[serde(default)]
    content: Option<Bytes>,
    /// As `DeepSeek`, vLLM and others name it.
    #[serde(default)]
    reasoning_content: Option<Bytes>,
    /// As `OpenRouter`, Ollama and others name it.
    #[serde(default)]
    reasoning: Option<Bytes>,
    #[serde(default)]
    refusal: Option<Bytes>,
    #[serde(default)]
    tool_calls: Option<AtMost<ToolDelta, CALLS>>,
}

impl Delta {
    /// True where a field of this protocol is in it, also one that says nothing.
    const fn is_known(&self) -> bool {
        self.role.is_some()
            || self.content.is_some()
            || self.reasoning_content.is_some()
            || self.reasoning.is_some()
            || self.refusal.is_some()
            || self.tool_calls.is_some()
    }
}

/// True where no delta has a field of any kind, as beside the reason of an end.
fn says_nothing(data: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Shape {
        choices: AtMost<Said, CHOICES>,
    }
    #[derive(Deserialize)]
    struct Said {
        #[serde(default, alias = "message")]
        delta: BTreeMap<String, Option<IgnoredAny>>,
    }
    let empty = |said: &Said| said.delta.values().all(Option::is_none);
    parse::<Shape>(data).is_ok_and(|shape| shape.choices.0.iter().all(empty))
}

#[derive(Debug, Deserialize)]
pub(crate) struct ToolDelta {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<Label>,
    #[serde(default)]
    function: Option<FunctionDelta>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Bytes>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
}

impl From<ToolDelta> for Piece {
    fn from(delta: ToolDelta) -> Self {
        let FunctionDelta { name, arguments } = delta.function.unwrap_or_default();
        // Every call is a function; what is null says nothing.
        let is_told = |(name, value): &(String, Value)| name != "type" && !value.is_null();
        let unknown = delta.unknown.into_iter().filter(is_told);
        Self {
            index: delta.index,
            id: delta.id.map(|id| id.0),
            name,
            arguments: arguments.map(|Bytes(bytes)| bytes),
            is_foreign: false,
            unknown: unknown.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AgentFile,
        http::{exchange::Exchange, history::Remembered},
    };

    #[test]
    fn says_what_was_said_before() {
        let mut config = HttpConfig::new("http://127.0.0.1/v1", "m");
        config.system = Some("Be brief.".to_owned());
        config.max_tokens = Some(9);
        let before = Remembered {
            summary: None,
            exchanges: vec![Exchange {
                run: None,
                prompt: "one".to_owned(),
                reply: "1".to_owned(),
            }],
        };
        assert_eq!(
            Value::Object(Chat.fields(&config, &Ask::new("m", before, "two", &[]))),
            json!({"model": "m", "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "one"},
                {"role": "assistant", "content": "1"},
                {"role": "user", "content": "two"},
            ], "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 9})
        );
    }

    #[test]
    fn pictures_come_before_the_question() {
        let picture = AgentFile {
            name: "a.png".to_owned(),
            media_type: "image/png".to_owned(),
            bytes: b"aaa".as_slice().into(),
        };
        let fields = Chat.fields(
            &HttpConfig::new("http://127.0.0.1/v1", "m"),
            &Ask::new("m", Remembered::default(), "?", &[picture]),
        );
        assert_eq!(
            fields["messages"],
            json!([{"role": "user", "content": [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,YWFh"}},
                {"type": "text", "text": "?"}]}])
        );
    }

    fn chunk(json: &[u8]) -> Chunk {
        serde_json::from_slice(json).expect("a chunk")
    }

    fn content(json: &[u8]) -> Vec<u8> {
        let choices = chunk(json).choices.expect("choices").0;
        let delta = choices.into_iter().next().and_then(|choice| choice.delta);
        delta.and_then(|delta| delta.content).expect("content").0
    }

    #[test]
    fn text_may_hold_half_a_character() {
        assert_eq!(
            content(br#"{"choices":[{"delta":{"content":"a\ud83d"}}]}"#),
            b"a\xED\xA0\xBD"
        );
        assert_eq!(
            content(b"{\"choices\":[{\"delta\":{\"content\":\"\xF0\x9F\"}}]}"),
            b"\xF0\x9F"
        );
        assert_eq!(
            content(r#"{"choices":[{"delta":{"content":"é\n\u00e9"}}]}"#.as_bytes()),
            "é\né".as_bytes()
        );
    }

    #[test]
    fn text_may_come_in_parts() {
        let json = br#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"image"},{"text":"b"}]}}]}"#;
        assert_eq!(content(json), b"ab");
    }

    #[test]
    fn what_is_missing_or_null_is_missing() {
        let nulls = chunk(br#"{"id":null,"choices":null,"usage":null,"error":null,"new":{"deep":[1]}}"#);
        assert!(nulls.id.is_none() && nulls.choices.is_none() && nulls.error.is_none());
        let empty = chunk(br#"{"id":0,"choices":[{"delta":{"content":null,"tool_calls":null}}]}"#);
        assert_eq!(empty.id, Some(Label("0".to_owned())));
    }

    #[test]
    fn an_error_is_an_object_or_a_sentence() {
        let error = |json: &[u8]| chunk(json).error.expect("an error");
        assert_eq!(error(br#"{"error":"down"}"#).message, "down");
        let full = error(br#"{"error":{"message":"m","type":"t","code":502,"param":null}}"#);
        assert_eq!(
            (full.message.as_str(), full.kind.as_str(), full.code.as_str()),
            ("m", "t", "502")
        );
    }
}
