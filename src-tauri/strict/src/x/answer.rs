//! Answers in X's forms: <https://docs.x.com/x-api/fundamentals/response-codes-and-errors>.

use crate::Rule;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// A refusal.
#[derive(Debug)]
pub(super) struct Answer {
    status: u16,
    body: Value,
    pub(super) rule: Option<Rule>,
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        (status, Json(self.body)).into_response()
    }
}

/// A problem of a status, in words.
pub(super) fn problem(status: u16, detail: &str) -> Answer {
    let title = StatusCode::from_u16(status).ok();
    let title = title
        .and_then(|status| status.canonical_reason())
        .unwrap_or_default();
    Answer {
        status,
        body: json!({"title": title, "detail": detail, "type": "about:blank", "status": status}),
        rule: None,
    }
}

/// A problem because a rule was broken.
pub(super) fn refuse(rule: Rule, status: u16, detail: &str) -> Answer {
    Answer {
        rule: Some(rule),
        ..problem(status, detail)
    }
}

/// A refusal in the form of OAuth.
pub(super) fn oauth(rule: Option<Rule>, status: u16, error: &str, words: &str) -> Answer {
    Answer {
        status,
        body: json!({"error": error, "error_description": words}),
        rule,
    }
}

/// Too many calls: <https://docs.x.com/fundamentals/rate-limits>.
pub(super) fn limited() -> Answer {
    Answer {
        status: 429,
        body: json!({"errors": [{"code": 88, "message": "Rate limit exceeded"}]}),
        rule: None,
    }
}
