//! The Messages API of Anthropic, streamed (<https://docs.anthropic.com/en/api/messages-streaming>).

mod blocks;
mod reader;
mod thinking;

use crate::{
    ActionAnswer, OfferedAction,
    http::{
        answer::ModelAnswer,
        ask::Ask,
        config::HttpConfig,
        protocol::{Protocol, Reader, ToolProtocol, extend, payload_of},
    },
    levels::LevelSupport,
};
use foldback_wire::{Secret, ThinkLevel};
use reader::MessageReader;
use serde_json::{Map, Value, json};

/// The version of the API that is spoken (<https://docs.anthropic.com/en/api/versioning>).
const VERSION: &str = "2023-06-01";
/// Longest answer in tokens where nothing is configured: the API wants a number.
const MAX_TOKENS: u32 = 8192;

/// The protocol.
pub(crate) struct Messages;

impl Protocol for Messages {
    fn backend(&self) -> &'static str {
        "anthropic"
    }

    fn path<'a>(&self, _model: &'a str) -> Vec<&'a str> {
        vec!["v1", "messages"]
    }

    fn without_path(&self) -> &'static str {
        "base_url is the root of the API, such as https://api.anthropic.com."
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        let version = ("anthropic-version", VERSION.to_owned());
        let key = key.map(|key| ("x-api-key", key.expose().to_owned()));
        std::iter::once(version).chain(key).collect()
    }

    fn reserved(&self) -> &'static [&'static str] {
        &["model", "messages", "stream"]
    }

    fn fields(&self, config: &HttpConfig, ask: &Ask<'_>) -> Map<String, Value> {
        let message = |role: &str, content: Value| json!({"role": role, "content": content});
        let mut messages: Vec<Value> = Vec::with_capacity(ask.history.len() * 2 + 1);
        for exchange in &ask.history {
            messages.push(message("user", json!(exchange.prompt)));
            messages.push(message("assistant", json!(exchange.reply)));
        }
        messages.push(message("user", content(ask)));
        let mut fields = Map::new();
        fields.insert("model".to_owned(), json!(ask.model));
        fields.insert("messages".to_owned(), Value::Array(messages));
        fields.insert("stream".to_owned(), json!(true));
        let most = config.max_tokens.unwrap_or(MAX_TOKENS);
        fields.insert("max_tokens".to_owned(), json!(most));
        let system = config.system.as_ref();
        fields.extend(system.map(|system| ("system".to_owned(), json!(system))));
        fields
    }

    fn think_levels(&self, config: &HttpConfig, model: &str) -> LevelSupport {
        thinking::levels(model, config.answer_tokens())
    }

    fn think(&self, level: ThinkLevel, config: &HttpConfig, model: &str, fields: &mut Map<String, Value>) {
        thinking::ask(level, model, config.answer_tokens(), fields);
    }

    fn tools(&self) -> Option<&'static dyn ToolProtocol> {
        Some(&Self)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<MessageReader>::default()
    }
}

/// <https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use>
impl ToolProtocol for Messages {
    fn tool(&self, action: &OfferedAction) -> Value {
        let OfferedAction {
            name, about, payload, ..
        } = action;
        json!({"name": name, "description": about, "input_schema": payload})
    }

    /// The blocks go back as they came: the API wants what was thought before a call together with its signature
    /// (<https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking#preserving-thinking-blocks>).
    fn add_results(&self, answer: ModelAnswer, results: &[ActionAnswer], fields: &mut Map<String, Value>) {
        let ModelAnswer {
            text,
            calls,
            mut parts,
            ..
        } = answer;
        // A call whose id an earlier one has was given another.
        let blocks_of_calls = parts.iter_mut().filter(|block| block["type"] == "tool_use");
        for (block, call) in blocks_of_calls.zip(&calls) {
            block["id"] = json!(call.id);
        }
        let blocks = if parts.is_empty() {
            let said = (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
            let called = calls.iter().map(|call| {
                json!({"type": "tool_use", "id": call.id, "name": call.name, "input": payload_of(call)})
            });
            said.into_iter().chain(called).collect()
        } else {
            parts
        };
        let results = calls.iter().zip(results).map(|(call, result)| {
            json!({"type": "tool_result", "tool_use_id": call.id, "content": result.text,
                "is_error": result.is_error})
        });
        let results: Vec<_> = results.collect();
        extend(
            fields,
            "messages",
            [
                json!({"role": "assistant", "content": blocks}),
                json!({"role": "user", "content": results}),
            ],
        );
    }

    fn forbid_calls(&self, fields: &mut Map<String, Value>) {
        fields.insert("tool_choice".to_owned(), json!({"type": "none"}));
    }
}

/// Pictures first, as the API advises (<https://docs.anthropic.com/en/docs/build-with-claude/vision>).
fn content(ask: &Ask<'_>) -> Value {
    if ask.images.is_empty() {
        return json!(ask.prompt);
    }
    let images = ask.images.iter().map(|image| {
        json!({"type": "image", "source":
            {"type": "base64", "media_type": image.media_type, "data": image.base64}})
    });
    let text = json!({"type": "text", "text": ask.prompt});
    images.chain([text]).collect()
}
