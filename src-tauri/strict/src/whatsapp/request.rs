//! A call as it arrives, and how it is refused.

use super::rules::{JSON, PARAMETER, PRODUCT};
use crate::Rule;
use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

/// Most bytes of a message. No message is nearly as large.
const MAX_BODY: usize = 1_000_000;

/// A refusal, in the Graph API's form.
#[derive(Debug)]
pub struct Answer {
    pub(super) status: u16,
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) details: String,
    pub(super) rule: Option<Rule>,
}

impl Answer {
    pub(super) fn error(&self) -> Value {
        json!({
            "message": self.message,
            "type": "OAuthException",
            "code": self.code,
            "error_data": {"messaging_product": "whatsapp", "details": self.details},
            "fbtrace_id": "AbCdEfGh",
        })
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        (status, Json(json!({"error": self.error()}))).into_response()
    }
}

/// A refusal because a rule was broken. The titles are those of the codes.
pub(super) fn refuse(rule: Rule, code: i64, details: impl Into<String>) -> Answer {
    Answer {
        rule: Some(rule),
        ..refused(code, details)
    }
}

/// A refusal that no rule of a call is the reason of.
pub(super) fn refused(code: i64, details: impl Into<String>) -> Answer {
    let (status, title) = match code {
        1 => (500, "An unknown error occurred"),
        33 => (400, "Unsupported request: the object does not exist"),
        100 => (400, "Invalid parameter"),
        190 => (401, "Invalid OAuth access token"),
        80_007 => (400, "Rate limit issues"),
        130_429 => (429, "Rate limit hit"),
        131_008 => (400, "Required parameter is missing"),
        131_009 => (400, "Parameter value is not valid"),
        131_021 => (400, "Recipient cannot be sender"),
        131_026 => (400, "Message undeliverable"),
        131_047 => (400, "Re-engagement message"),
        131_051 => (400, "Unsupported message type"),
        131_056 => (429, "(Business Account, Consumer Account) pair rate limit hit"),
        _ => (400, "Error"),
    };
    Answer {
        status,
        code,
        message: format!("(#{code}) {title}"),
        details: details.into(),
        rule: None,
    }
}

/// The object of a call, or of a part of it.
#[derive(Debug)]
pub(super) struct Object(pub(super) Map<String, Value>);

impl Object {
    pub(super) async fn read(request: Request<Body>) -> Result<Self, Answer> {
        let content = request.headers().get(header::CONTENT_TYPE);
        let content = content.and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !content.starts_with("application/json") {
            return Err(refuse(JSON, 100, "The content type is application/json"));
        }
        let body = axum::body::to_bytes(request.into_body(), MAX_BODY).await;
        let body = body.map_err(|_| refuse(JSON, 100, "The body is too large"))?;
        match serde_json::from_slice(&body) {
            Ok(Value::Object(values)) => {
                let object = Self(values);
                match object.text("messaging_product")? {
                    Some("whatsapp") => Ok(object),
                    _ => Err(refuse(
                        PRODUCT,
                        100,
                        "The parameter messaging_product is required.",
                    )),
                }
            }
            _ => Err(refuse(JSON, 100, "The body is no JSON object")),
        }
    }

    /// Refuses parameters that there are not.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Answer> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(refuse(
                PARAMETER,
                100,
                format!("Unexpected key \"{name}\" on param."),
            )),
            None => Ok(()),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Answer> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(refuse(PARAMETER, 100, format!("Param {name} must be a string."))),
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Answer> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(refuse(PARAMETER, 100, format!("Param {name} must be a boolean."))),
        }
    }

    pub(super) fn object(&self, name: &str) -> Result<Option<Self>, Answer> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::Object(values)) => Ok(Some(Self(values.clone()))),
            Some(_) => Err(refuse(
                PARAMETER,
                100,
                format!("Param {name} must be a JSON object."),
            )),
        }
    }
}
