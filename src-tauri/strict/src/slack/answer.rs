//! Calls, answered in Slack's form: <https://docs.slack.dev/apis/web-api>.

use super::request::Arguments;
use super::rules::{FILE_TOKEN, TOKEN};
use super::server::Inner;
use crate::fault::throttled;
use crate::{Mishap, Rule};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde_json::json;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A refusal, in Slack's form.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) error: &'static str,
    pub(super) needed: Option<&'static str>,
    pub(super) rule: Option<Rule>,
}

impl Answer {
    pub(super) const fn error(error: &'static str) -> Self {
        Self {
            error,
            needed: None,
            rule: None,
        }
    }
}

/// A refusal because a rule was broken.
pub(super) const fn refuse(rule: Rule, error: &'static str) -> Answer {
    Answer {
        rule: Some(rule),
        ..Answer::error(error)
    }
}

impl Inner {
    /// Whether a call comes from the app itself, or from its bot.
    fn is_app(&self, headers: &HeaderMap) -> Result<bool, Answer> {
        let bearer = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        match bearer.and_then(|value| value.strip_prefix("Bearer ")) {
            None => Err(refuse(TOKEN, "not_authed")),
            Some(token) if token == self.token => Ok(false),
            Some(token) if token == self.app_token => Ok(true),
            Some(_) => Err(refuse(TOKEN, "invalid_auth")),
        }
    }
}

/// A file's bytes, for who has the bot's token and the scope; everybody else is shown a page.
pub(super) async fn hand_over(
    Shared(inner): Shared<Arc<Inner>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let allowed = inner.is_app(&headers).is_ok_and(|app| !app);
    let mut state = inner.state();
    state.calls += 1;
    if !allowed {
        state.broken.note(FILE_TOKEN);
    }
    match state.sent.get(&id) {
        Some(file) if allowed && state.scopes.contains("files:read") => file.bytes.clone().into_response(),
        _ => Html("<!DOCTYPE html><title>Slack</title>").into_response(),
    }
}

pub(super) async fn answer(Shared(inner): Shared<Arc<Inner>>, request: Request<Body>) -> Response {
    let path = request.uri().path().to_owned();
    let Some(method) = path.strip_prefix("/api/") else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mishap = {
        let mut state = inner.state();
        state.calls += 1;
        state.faults.next(method)
    };
    let done = match mishap {
        Some(Mishap::RateLimited(wait)) => return rate_limited(wait),
        Some(Mishap::Throttled(status, until)) => return throttled(status, until),
        Some(Mishap::Failed) => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Some(Mishap::Broken) => return broken_off(),
        _ => match inner.is_app(request.headers()) {
            Err(answer) => Err(answer),
            Ok(as_app) => Arguments::read(method, request)
                .await
                .and_then(|given| inner.state().call(method, as_app, &given)),
        },
    };
    inner.news.notify_waiters();
    if let Err(Answer { rule: Some(rule), .. }) = &done {
        inner.state().broken.note(*rule);
    }
    match mishap {
        Some(Mishap::Lost) => return broken_off(),
        Some(Mishap::FailedAfter) => {
            return (
                StatusCode::INTERNAL_SERVER_ERROR,
                Json(json!({"ok": false, "error": "internal_error"})),
            )
                .into_response();
        }
        Some(Mishap::Late(late)) => tokio::time::sleep(late).await,
        _ => {}
    }
    let body = match done {
        Ok(mut result) => {
            result["ok"] = true.into();
            result
        }
        Err(Answer { error, needed, .. }) => json!({"ok": false, "error": error, "needed": needed}),
    };
    Json(body).into_response()
}

pub(super) async fn upload(
    Shared(inner): Shared<Arc<Inner>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let mishap = inner.state().faults.next("upload");
    match mishap {
        Some(Mishap::RateLimited(wait)) => return rate_limited(wait),
        Some(Mishap::Broken) => return broken_off(),
        Some(Mishap::Failed) => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        _ => {}
    }
    let mut state = inner.state();
    match state.take(&id, headers.contains_key(header::AUTHORIZATION), &bytes) {
        Ok(_) if matches!(mishap, Some(Mishap::Lost)) => broken_off(),
        Ok(said) => said.into_response(),
        Err(answer) => {
            if let Some(rule) = answer.rule {
                state.broken.note(rule);
            }
            (StatusCode::BAD_REQUEST, answer.error).into_response()
        }
    }
}

/// <https://docs.slack.dev/apis/web-api/rate-limits>
fn rate_limited(wait: Duration) -> Response {
    let seconds = wait.as_secs().max(1).to_string();
    let body = Json(json!({"ok": false, "error": "ratelimited"}));
    (
        StatusCode::TOO_MANY_REQUESTS,
        [(header::RETRY_AFTER, seconds)],
        body,
    )
        .into_response()
}

/// An answer whose body breaks off, which ends the connection.
pub(super) fn broken_off() -> Response {
    let error = || async { Err::<Bytes, _>(io::Error::from(io::ErrorKind::ConnectionReset)) };
    Response::new(Body::from_stream(futures::stream::once(error())))
}
