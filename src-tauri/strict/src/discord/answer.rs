//! Refusals in Discord's form: <https://discord.com/developers/docs/reference#error-messages>.

use crate::Rule;
use axum::Json;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Answer {
    status: StatusCode,
    body: Box<Value>,
    wait: Option<(Duration, bool)>,
    pub(super) rule: Option<Rule>,
}

/// A refusal because a rule was broken, with one of Discord's error codes.
pub(super) fn refuse(rule: Rule, status: u16, code: u32, message: &str) -> Answer {
    Answer::new(status, json!({"message": message, "code": code})).because(rule)
}

/// The refusal of a body whose `field` is wrong.
pub(super) fn form(rule: Rule, field: &str, code: &str, message: &str) -> Answer {
    let complaint = json!({"_errors": [{"code": code, "message": message}]});
    let errors = field
        .rsplit('.')
        .fold(complaint, |inner, name| json!({name: inner}));
    let body = json!({"message": "Invalid Form Body", "code": 50_035, "errors": errors});
    Answer::new(400, body).because(rule)
}

impl Answer {
    pub(super) fn new(status: u16, body: Value) -> Self {
        Self {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST),
            body: Box::new(body),
            wait: None,
            rule: None,
        }
    }

    /// The same, because a rule was broken.
    pub(super) fn because(self, rule: Rule) -> Self {
        Self {
            rule: Some(rule),
            ..self
        }
    }

    /// <https://discord.com/developers/docs/topics/rate-limits#exceeding-a-rate-limit>
    pub(super) fn wait(wait: Duration, global: bool) -> Self {
        let body = json!({
            "message": "You are being rate limited.",
            "retry_after": wait.as_secs_f64(),
            "global": global,
        });
        Self {
            wait: Some((wait, global)),
            ..Self::new(429, body)
        }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(*self.body)).into_response();
        if let Some((wait, global)) = self.wait {
            let headers = response.headers_mut();
            // Whole seconds, rounded up; the body is exact.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert("retry-after", seconds.into());
            let scope = if global { "global" } else { "user" };
            headers.insert("x-ratelimit-scope", HeaderValue::from_static(scope));
            if global {
                headers.insert("x-ratelimit-global", HeaderValue::from_static("true"));
            }
        }
        response
    }
}
