//! An agent of a Letta server (<https://docs.letta.com/guides/agents/streaming>). The server keeps the agent's
//! conversation, its prompt and its tools; every chat that this backend answers speaks to the same agent.

mod escaped;
mod reader;

use crate::{
    http::{
        ask::Ask,
        config::HttpConfig,
        protocol::{Protocol, Reader, bearer},
    },
    levels::LevelSupport,
};
use foldback_wire::{ModelOverride, Secret, ThinkLevel};
use reader::MessageReader;
use serde_json::{Map, Value, json};

/// The protocol.
pub(crate) struct Messages;

impl Protocol for Messages {
    fn backend(&self) -> &'static str {
        "letta"
    }

    fn path<'a>(&self, model: &'a str) -> Vec<&'a str> {
        vec!["v1", "agents", model, "messages", "stream"]
    }

    fn without_path(&self) -> &'static str {
        "base_url is the root of the Letta server, such as http://127.0.0.1:8283."
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn reserved(&self) -> &'static [&'static str] {
        &["messages", "stream_tokens", "streaming", "override_model"]
    }

    /// The configured model is the agent's id, which stands in the path. Another one is the handle of a model that
    /// the agent answers this message with.
    fn fields(&self, config: &HttpConfig, ask: &Ask<'_>) -> Map<String, Value> {
        let mut fields = streamed(&json!([{"role": "user", "content": content(ask)}]));
        if ask.model != config.model {
            fields.insert("override_model".to_owned(), json!(ask.model));
        }
        fields
    }

    fn think_levels(&self, _config: &HttpConfig, _model: &str) -> LevelSupport {
        let why = "letta cannot set a think level; the agent's own is set at the Letta server";
        LevelSupport::Unsupported(why.to_owned())
    }

    /// There is no level that it has.
    fn think(
        &self,
        _level: ThinkLevel,
        _config: &HttpConfig,
        _model: &str,
        _fields: &mut Map<String, Value>,
    ) {
    }

    /// A handle begins with a provider, and one provider is called `letta`.
    fn model_name<'a>(&self, model: &'a ModelOverride) -> &'a str {
        let handle = model.for_backend(self.backend());
        if handle.contains('/') { handle } else { &model.name }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<MessageReader>::default()
    }

    /// <https://docs.letta.com/api-reference/agents/messages/cancel>
    fn stop_path<'a>(&self, model: &'a str) -> Option<Vec<&'a str>> {
        Some(vec!["v1", "agents", model, "messages", "cancel"])
    }

    /// Without an id the server stops the run that it does for the agent's messages.
    fn stop(&self, run: Option<&str>) -> Value {
        run.map_or_else(|| json!({}), |run| json!({"run_ids": [run]}))
    }

    fn shared_memory(&self) -> &'static str {
        "its memory is that of all chats which this agent answers"
    }
}

/// Messages whose answer is streamed.
fn streamed(messages: &Value) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("messages".to_owned(), messages.clone());
    fields.insert("stream_tokens".to_owned(), json!(true));
    fields.insert("include_pings".to_owned(), json!(true));
    fields
}

/// <https://docs.letta.com/guides/agents/multimodal>
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
