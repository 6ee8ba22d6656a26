//! What the server insists on, from the API's reference: a client that is a little wrong is refused here, in a
//! test, instead of by one of many endpoints, in use.

use super::http::Request;
use crate::Secret;
use serde_json::{Map, Value, json};

/// Whom the server answers.
#[derive(Debug, Clone)]
pub struct Insists {
    /// The only model it knows.
    pub model: String,
    /// The key it wants; without one a request must not carry any.
    pub api_key: Option<Secret>,
    /// Longest conversation, in bytes of content; a longer one is a context overflow.
    pub context_bytes: usize,
}

impl Insists {
    /// A model, no key, 1 MB of context.
    pub fn on_model(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            api_key: None,
            context_bytes: 1_000_000,
        }
    }
}

/// A refusal in the API's form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
        }
    }

    /// A request that breaks a rule of the protocol.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request", message)
    }

    /// The body the API would send.
    pub(super) fn body(&self) -> Value {
        let kind = "invalid_request_error";
        json!({"error": {"message": self.message, "type": kind, "param": null, "code": self.code}})
    }
}

/// Fields of a request this server knows. A misspelt one must not pass as ignored.
const FIELDS: [&str; 10] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "stop",
];

/// The body of a request that is right in every respect.
pub(super) fn check(request: &Request, insists: &Insists) -> Result<Value, Refusal> {
    let header = |name: &str| request.headers.get(name).map_or("", String::as_str);
    if request.path != "/v1/chat/completions" {
        return Err(Refusal::new(
            404,
            "unknown_url",
            format!("nothing at {}", request.path),
        ));
    }
    if request.method != "POST" {
        return Err(Refusal::new(
            405,
            "method_not_supported",
            format!("no {} here", request.method),
        ));
    }
    let wanted = insists
        .api_key
        .as_ref()
        .map(|key| format!("Bearer {}", key.expose()));
    let given = request.headers.get("authorization");
    if given != wanted.as_ref() {
        return Err(Refusal::new(
            401,
            "invalid_api_key",
            format!("wrong credentials: {}", given.map_or("none", String::as_str)),
        ));
    }
    for (name, value) in [
        ("content-type", "application/json"),
        ("accept", "text/event-stream"),
    ] {
        if header(name) != value {
            return Err(Refusal::invalid(format!(
                "{name} is `{}`, not {value}",
                header(name)
            )));
        }
    }
    if header("host").is_empty() || header("user-agent").is_empty() {
        return Err(Refusal::invalid("host and user-agent belong to a request"));
    }
    let body: Value = serde_json::from_slice(&request.body)
        .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))?;
    let fields = body
        .as_object()
        .ok_or_else(|| Refusal::invalid("the body is not an object"))?;
    check_fields(fields, insists)?;
    check_messages(fields, insists)?;
    Ok(body)
}

fn check_fields(fields: &Map<String, Value>, insists: &Insists) -> Result<(), Refusal> {
    if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(Refusal::invalid(format!("unknown field `{unknown}`")));
    }
    if fields.get("model").and_then(Value::as_str) != Some(&insists.model) {
        return Err(Refusal::new(
            404,
            "model_not_found",
            format!("no such model; this is {}", insists.model),
        ));
    }
    if fields.get("stream") != Some(&json!(true)) {
        return Err(Refusal::invalid("stream is not true"));
    }
    match fields.get("stream_options") {
        None => Ok(()),
        Some(options) if *options == json!({"include_usage": true}) => Ok(()),
        Some(options) => Err(Refusal::invalid(format!("unknown stream_options {options}"))),
    }
}

/// Chat templates of real models are as strict: a system message first or none, then user and assistant in
/// turn, and a user at the end.
fn check_messages(fields: &Map<String, Value>, insists: &Insists) -> Result<(), Refusal> {
    let messages = fields.get("messages").and_then(Value::as_array);
    let messages = messages.ok_or_else(|| Refusal::invalid("messages is not a list"))?;
    let mut bytes = 0;
    let mut expected = "user";
    for (place, message) in messages.iter().enumerate() {
        let at = |problem: String| Refusal::invalid(format!("messages[{place}]: {problem}"));
        let message = message
            .as_object()
            .ok_or_else(|| at("not an object".to_owned()))?;
        if let Some(unknown) = message
            .keys()
            .find(|name| !["role", "content"].contains(&name.as_str()))
        {
            return Err(at(format!("unknown field `{unknown}`")));
        }
        let content = message.get("content").and_then(Value::as_str);
        bytes += content.ok_or_else(|| at("content is no text".to_owned()))?.len();
        match message.get("role").and_then(Value::as_str) {
            Some("system") if place == 0 => {}
            Some(role) if role == expected => {
                expected = if role == "user" { "assistant" } else { "user" };
            }
            role => return Err(at(format!("role {role:?}, but {expected} is next"))),
        }
    }
    if expected != "assistant" {
        return Err(Refusal::invalid("the last message is not the user's"));
    }
    if bytes > insists.context_bytes {
        let limit = insists.context_bytes;
        return Err(Refusal::new(
            400,
            "context_length_exceeded",
            format!("{bytes} bytes are more than the context of {limit}"),
        ));
    }
    Ok(())
}
