//! What the server insists on, from the APIs' references: a client that is a little wrong is refused here, in a
//! test, instead of by one of many endpoints, in use.

mod anthropic;
mod chat;
mod letta;
mod responses;
mod tools;

use super::http::Request;
use crate::{Api, Secret};
use serde_json::{Map, Value, json};

/// Whom the server answers.
#[derive(Debug, Clone)]
pub struct Insists {
    /// The protocol it speaks.
    pub api: Api,
    /// The only model it knows; for Letta the only agent.
    pub model: String,
    /// The key it wants; without one a request must not carry any.
    pub api_key: Option<Secret>,
    /// Longest conversation, in bytes of content; a longer one is a context overflow.
    pub context_bytes: usize,
    /// True where the client is somebody else's, which may do what the APIs themselves allow and ours does not: accept any type
    /// (`*/*`), and have an empty text beside its calls.
    pub is_foreign: bool,
}

impl Insists {
    /// Chat completions of a model, no key, 1 MB of context.
    pub fn on_model(model: impl Into<String>) -> Self {
        Self::on(Api::Chat, model)
    }

    /// A protocol and a model, no key, 1 MB of context.
    pub fn on(api: Api, model: impl Into<String>) -> Self {
        Self {
            api,
            model: model.into(),
            api_key: None,
            context_bytes: 1_000_000,
            is_foreign: false,
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
    pub(super) fn body(&self, api: Api) -> Value {
        let message = &self.message;
        match api {
            Api::Chat | Api::Responses => json!({"error": {"message": message,
                "type": "invalid_request_error", "param": null, "code": self.code}}),
            // https://docs.anthropic.com/en/api/errors
            Api::Anthropic => {
                let kind = match self.status {
                    401 => "authentication_error",
                    404 => "not_found_error",
                    413 => "request_too_large",
                    500.. => "api_error",
                    _ => "invalid_request_error",
                };
                json!({"type": "error", "error": {"type": kind, "message": message}})
            }
            // FastAPI's form: https://fastapi.tiangolo.com/tutorial/handling-errors/
            Api::Letta => json!({"detail": message}),
        }
    }
}

/// A request that is right in every respect, by its body.
pub(super) enum Right {
    /// It wants an answer.
    Question(Value),
    /// It ends the agent's run.
    Stop(Value),
}

/// What a request wants, when it is right in every respect.
pub(super) fn check(request: &Request, insists: &Insists) -> Result<Right, Refusal> {
    let stop = format!("/v1/agents/{}/messages/cancel", insists.model);
    if insists.api == Api::Letta && request.path == stop {
        check_head(request, insists)?;
        let body = json_of(request)?;
        letta::check_stop(fields_of(&body)?)?;
        return Ok(Right::Stop(body));
    }
    let path = match insists.api {
        Api::Chat => "/v1/chat/completions".to_owned(),
        Api::Responses => "/v1/responses".to_owned(),
        Api::Anthropic => "/v1/messages".to_owned(),
        // https://docs.letta.com/api-reference/agents/messages/create-stream
        Api::Letta => format!("/v1/agents/{}/messages/stream", insists.model),
    };
    if request.path != path {
        let (code, path) = ("unknown_url", &request.path);
        return Err(Refusal::new(404, code, format!("nothing at {path}")));
    }
    check_head(request, insists)?;
    let body = json_of(request)?;
    let fields = fields_of(&body)?;
    let bytes = match insists.api {
        Api::Chat => chat::check(fields, insists),
        Api::Responses => responses::check(fields, insists),
        Api::Anthropic => anthropic::check(fields, insists),
        Api::Letta => letta::check(fields),
    }?;
    if bytes > insists.context_bytes {
        let limit = insists.context_bytes;
        return Err(Refusal::new(
            400,
            "context_length_exceeded",
            format!("{bytes} bytes are more than the context of {limit}"),
        ));
    }
    Ok(Right::Question(body))
}

fn json_of(request: &Request) -> Result<Value, Refusal> {
    serde_json::from_slice(&request.body)
        .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))
}

fn fields_of(body: &Value) -> Result<&Map<String, Value>, Refusal> {
    body.as_object()
        .ok_or_else(|| Refusal::invalid("the body is not an object"))
}

fn check_head(request: &Request, insists: &Insists) -> Result<(), Refusal> {
    let header = |name: &str| request.headers.get(name).map_or("", String::as_str);
    if request.method != "POST" {
        return Err(Refusal::new(
            405,
            "method_not_supported",
            format!("no {} here", request.method),
        ));
    }
    let key = insists.api_key.as_ref().map(Secret::expose);
    let (name, other, wanted) = match insists.api {
        // https://docs.anthropic.com/en/api/overview#authentication
        Api::Anthropic => ("x-api-key", "authorization", key.map(str::to_owned)),
        _ => (
            "authorization",
            "x-api-key",
            key.map(|key| format!("Bearer {key}")),
        ),
    };
    let given = request.headers.get(name);
    if given != wanted.as_ref() || request.headers.contains_key(other) {
        return Err(Refusal::new(
            401,
            "invalid_api_key",
            format!("wrong credentials: {}", given.map_or("none", String::as_str)),
        ));
    }
    // https://docs.anthropic.com/en/api/versioning
    let version = (insists.api == Api::Anthropic).then_some(("anthropic-version", "2023-06-01"));
    let rules = [
        ("content-type", "application/json"),
        ("accept", "text/event-stream"),
    ];
    for (name, value) in rules.into_iter().chain(version) {
        let is_any = name == "accept" && insists.is_foreign && header(name) == "*/*";
        if header(name) != value && !is_any {
            return Err(Refusal::invalid(format!(
                "{name} is `{}`, not {value}",
                header(name)
            )));
        }
    }
    if header("host").is_empty() || header("user-agent").is_empty() {
        return Err(Refusal::invalid("host and user-agent belong to a request"));
    }
    Ok(())
}

/// Fields that are known. A misspelt one must not pass as ignored.
fn known(fields: &Map<String, Value>, names: &[&str]) -> Result<(), Refusal> {
    match fields.keys().find(|name| !names.contains(&name.as_str())) {
        Some(unknown) => Err(Refusal::invalid(format!("unknown field `{unknown}`"))),
        None => Ok(()),
    }
}

fn model_is(fields: &Map<String, Value>, insists: &Insists) -> Result<(), Refusal> {
    if fields.get("model").and_then(Value::as_str) == Some(&insists.model) {
        return Ok(());
    }
    Err(Refusal::new(
        404,
        "model_not_found",
        format!("no such model; this is {}", insists.model),
    ))
}

fn is_true(fields: &Map<String, Value>, name: &str) -> Result<(), Refusal> {
    if fields.get(name) == Some(&json!(true)) {
        return Ok(());
    }
    Err(Refusal::invalid(format!("{name} is not true")))
}

/// A number of tokens: whole and at least `least`.
fn tokens(fields: &Map<String, Value>, name: &str, least: u64) -> Result<(), Refusal> {
    match fields.get(name) {
        Some(number) if number.as_u64().is_none_or(|number| number < least) => {
            Err(Refusal::invalid(format!("{name} is not a number from {least}")))
        }
        _ => Ok(()),
    }
}

/// An effort of `OpenAI` (<https://platform.openai.com/docs/guides/reasoning>), where there is one.
fn effort(effort: Option<&Value>) -> Result<(), Refusal> {
    const EFFORTS: [&str; 6] = ["none", "minimal", "low", "medium", "high", "xhigh"];
    match effort {
        Some(effort) if !EFFORTS.iter().any(|known| effort == known) => {
            Err(Refusal::invalid(format!("{effort} is no effort")))
        }
        _ => Ok(()),
    }
}

/// The list of a conversation.
fn messages<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<&'a [Value], Refusal> {
    let messages = fields.get(name).and_then(Value::as_array);
    let messages = messages.ok_or_else(|| Refusal::invalid(format!("{name} is not a list")))?;
    Ok(messages)
}

/// Checks a conversation, without the calls of tools, and counts its bytes. Chat templates of real models are as strict: a system message first
/// or none, then user and assistant in turn, and a user at the end.
fn turns(
    messages: &[Value],
    name: &str,
    system: bool,
    content: fn(&str, &Value) -> Result<usize, String>,
) -> Result<usize, Refusal> {
    let mut bytes = 0;
    let mut expected = "user";
    for (place, message) in messages.iter().enumerate() {
        let at = |problem: String| Refusal::invalid(format!("{name}[{place}]: {problem}"));
        let message = message
            .as_object()
            .ok_or_else(|| at("not an object".to_owned()))?;
        known(message, &["role", "content"]).map_err(|refusal| at(refusal.message))?;
        let role = message.get("role").and_then(Value::as_str);
        let said = message.get("content").unwrap_or(&Value::Null);
        bytes += content(role.unwrap_or_default(), said).map_err(at)?;
        match role {
            Some("system") if system && place == 0 => {}
            Some(role) if role == expected => {
                expected = if role == "user" { "assistant" } else { "user" };
            }
            role => return Err(at(format!("role {role:?}, but {expected} is next"))),
        }
    }
    if expected != "assistant" {
        return Err(Refusal::invalid("the last message is not the user's"));
    }
    Ok(bytes)
}

/// A content that is text, or for a user a list of parts, each of which `part` knows.
fn text_or_parts(
    role: &str,
    content: &Value,
    part: fn(&Map<String, Value>) -> Result<usize, String>,
) -> Result<usize, String> {
    match content {
        Value::String(text) => Ok(text.len()),
        Value::Array(parts) if role == "user" && !parts.is_empty() => parts
            .iter()
            .map(|it| part(it.as_object().ok_or("a part is not an object")?))
            .sum(),
        _ => Err("content is no text".to_owned()),
    }
}

/// A part with exactly these fields, the first of which is its type.
fn exactly(part: &Map<String, Value>, names: &[&str]) -> Result<(), String> {
    if part.len() == names.len() && names.iter().all(|name| part.contains_key(*name)) {
        return Ok(());
    }
    Err(format!("a part has other fields than {}", names.join(", ")))
}

/// A picture as a data URL of a type that is taken.
fn data_url(url: Option<&Value>) -> Result<usize, String> {
    let url = url.and_then(Value::as_str).unwrap_or_default();
    let rest = url
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"));
    let (media_type, data) = rest.ok_or("a picture is no data URL")?;
    picture(media_type, data)
}

/// <https://docs.anthropic.com/en/docs/build-with-claude/vision>, and the same types at `OpenAI`.
fn picture(media_type: &str, data: &str) -> Result<usize, String> {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    if !["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&media_type) {
        return Err(format!("{media_type} is no type of picture that is taken"));
    }
    let bytes = STANDARD.decode(data).map_err(|_| "a picture is no base64")?;
    if bytes.is_empty() {
        return Err("a picture is empty".to_owned());
    }
    Ok(0)
}
