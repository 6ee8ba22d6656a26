//! Answers in Reddit's forms.

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

/// A refusal by status.
pub(super) fn status(status: u16) -> Answer {
    let words = StatusCode::from_u16(status).ok();
    let words = words
        .and_then(|status| status.canonical_reason())
        .unwrap_or_default();
    Answer {
        status,
        body: json!({"message": words, "error": status}),
        rule: None,
    }
}

/// A refusal by status because a rule was broken.
pub(super) fn refuse(rule: Rule, code: u16) -> Answer {
    Answer {
        rule: Some(rule),
        ..status(code)
    }
}

/// An answer that is one, with a word of OAuth.
pub(super) fn oauth(word: &str) -> Answer {
    Answer {
        status: 200,
        body: json!({"error": word}),
        rule: None,
    }
}

/// An error of a form: its name, its words and its field.
pub(super) fn error(name: &str, words: &str, field: &str) -> Answer {
    Answer {
        status: 200,
        body: json!({"json": {"errors": [[name, words, field]]}}),
        rule: None,
    }
}

/// The same because a rule was broken.
pub(super) fn wrong(rule: Rule, name: &str, words: &str, field: &str) -> Answer {
    Answer {
        rule: Some(rule),
        ..error(name, words, field)
    }
}

/// An account writes too often: the wait in words, and, where Reddit tells it, in seconds.
pub(super) fn too_often(words: &str, seconds: Option<f64>) -> Answer {
    let mut answer = error("RATELIMIT", words, "ratelimit");
    if let Some(seconds) = seconds {
        answer.body["json"]["ratelimit"] = seconds.into();
    }
    answer
}
