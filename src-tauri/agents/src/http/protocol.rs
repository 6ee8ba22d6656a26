//! What differs between backends that are asked over HTTP.

use super::{
    answer::{Answer, ModelAnswer},
    ask::Ask,
    config::HttpConfig,
    failure::Failure,
};
use crate::{ActionAnswer, OfferedAction, anthropic, letta, levels::LevelSupport, openai};
use foldback_wire::{ModelOverride, Secret, ThinkLevel, ToolCall};
use serde_json::{Map, Value};

/// The protocols there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// Chat completions of `OpenAI` and of the many that speak them too.
    Chat,
    /// Responses of `OpenAI`.
    Responses,
    /// Messages of Anthropic.
    Anthropic,
    /// Messages to an agent of a Letta server.
    Letta,
}

impl Api {
    pub(crate) fn protocol(self) -> &'static dyn Protocol {
        match self {
            Self::Chat => &openai::Chat,
            Self::Responses => &openai::Responses,
            Self::Anthropic => &anthropic::Messages,
            Self::Letta => &letta::Messages,
        }
    }
}

/// One protocol.
pub(crate) trait Protocol: Send + Sync {
    /// The backend's name in the configuration.
    fn backend(&self) -> &'static str;

    /// Where requests go, below the root.
    fn path<'a>(&self, model: &'a str) -> Vec<&'a str>;

    /// The setting that helps when the server has no such path, as a sentence.
    fn without_path(&self) -> &'static str {
        "base_url is the root of the API, such as https://api.openai.com/v1."
    }

    /// Headers of its own. The values count as secret.
    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)>;

    /// Fields that only Foldback writes: with others here the answer would not be the one it waits for.
    fn reserved(&self) -> &'static [&'static str];

    /// The fields of a request.
    fn fields(&self, config: &HttpConfig, ask: &Ask<'_>) -> Map<String, Value>;

    /// The think levels of a model, and why there are none where the protocol has no field for them.
    fn think_levels(&self, config: &HttpConfig, model: &str) -> LevelSupport;

    /// Asks for a think level that the model has. The fields are those of the request, the configured ones included.
    fn think(&self, level: ThinkLevel, config: &HttpConfig, model: &str, fields: &mut Map<String, Value>);

    /// The tools of actions, as a protocol has them that gives the results of calls back to the model; `None` where it has
    /// none.
    fn tools(&self) -> Option<&'static dyn ToolProtocol> {
        None
    }

    /// The name of another model than the configured one, as the protocol writes it.
    fn model_name<'a>(&self, model: &'a ModelOverride) -> &'a str {
        model.for_backend(self.backend())
    }

    /// Reads one answer.
    fn reader(&self) -> Box<dyn Reader>;

    /// Where a server is told to stop a run, below the root. Only one that keeps the conversation goes on with a run
    /// when nobody listens any more: it has to be told, and nothing is remembered here.
    fn stop_path<'a>(&self, _model: &'a str) -> Option<Vec<&'a str>> {
        None
    }

    /// What it is told: which run, by the server's own id, where that is known.
    fn stop(&self, _run: Option<&str>) -> Value {
        Value::Null
    }

    /// What is to be known when a conversation begins whose memory is not its own; empty where it is.
    fn shared_memory(&self) -> &'static str {
        ""
    }
}

/// The tools of actions in the requests of a protocol. The fields are those of a request, the configured ones included.
pub(crate) trait ToolProtocol: Send + Sync {
    /// One action as a tool, for the list `tools` of the request.
    fn tool(&self, action: &OfferedAction) -> Value;

    /// Adds what else a request with tools for this model has.
    fn offer(&self, _model: &str, _fields: &mut Map<String, Value>) {}

    /// Adds an answer of the model, and the results of its calls, in their order.
    fn add_results(&self, answer: ModelAnswer, results: &[ActionAnswer], fields: &mut Map<String, Value>);

    /// Asks for an answer without a call. The tools stay in the request: the conversation has calls of them.
    fn forbid_calls(&self, fields: &mut Map<String, Value>);
}

/// Adds entries to a list of a request.
pub(crate) fn extend(fields: &mut Map<String, Value>, list: &str, entries: impl IntoIterator<Item = Value>) {
    let all = fields
        .entry(list.to_owned())
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(all) = all {
        all.extend(entries);
    }
}

/// The payload of a call, as an object. What is none the model is told as an empty one: its refusal says what was wrong, and
/// no server fails on it.
pub(crate) fn payload_of(call: &ToolCall) -> Value {
    let arguments = call.arguments.as_deref().unwrap_or_default();
    match serde_json::from_str(arguments) {
        Ok(payload @ Value::Object(_)) => payload,
        _ => Value::Object(Map::new()),
    }
}

/// Reads one answer.
pub(crate) trait Reader: Send {
    /// Takes the data of an event, or a whole answer of a server that does not stream. True once nothing more
    /// comes.
    fn read(&mut self, data: &[u8], answer: &mut Answer) -> Result<bool, Failure>;

    /// True where an answer without one event, only ended by `[DONE]`, is a good one that says nothing.
    fn may_be_empty(&self) -> bool {
        false
    }

    /// The answer ends, well or not: says what was kept back of it.
    fn close(&mut self, _answer: &mut Answer) -> Result<(), Failure> {
        Ok(())
    }
}

/// A key as a bearer token (RFC 6750, section 2.1).
pub(crate) fn bearer(key: Option<&Secret>) -> Vec<(&'static str, String)> {
    let header = |key: &Secret| ("authorization", format!("Bearer {}", key.expose()));
    key.map(header).into_iter().collect()
}
