//! Calls as they arrive, and the answers with the headers that each has.

use super::answer::{Answer, refuse, status};
use super::rules::{AGENT, BEARER, FORM, METHOD};
use super::state::{State, lock};
use crate::Mishap;
use crate::calls::{MAX_BODY, bearer, broken_off, fields, header};
use crate::fault::throttled;
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The name of a call, for faults, and the method that it takes.
fn call_of(path: &str) -> Option<(&'static str, Method)> {
    Some(match path {
        "/api/v1/access_token" => ("access_token", Method::POST),
        "/api/v1/me" => ("me", Method::GET),
        "/message/unread" => ("unread", Method::GET),
        "/api/read_message" => ("read_message", Method::POST),
        "/api/comment" => ("comment", Method::POST),
        "/api/editusertext" => ("editusertext", Method::POST),
        "/api/compose" => ("compose", Method::POST),
        _ if path.starts_with("/comments/") => ("comments", Method::GET),
        _ => return None,
    })
}

pub(super) async fn answer(Shared(state): Shared<Arc<Mutex<State>>>, request: Request<Body>) -> Response {
    let path = request.uri().path().to_owned();
    let call = call_of(&path).filter(|(_, method)| method == request.method());
    let mishap = {
        let mut state = lock(&state);
        state.calls += 1;
        call.as_ref().and_then(|(name, _)| state.faults.next(name))
    };
    let (mut left, mut reset) = (99.0, 60.0);
    let done = match (&call, mishap) {
        (None, _) => Err(refuse(METHOD, 404)),
        (Some(_), Some(Mishap::RateLimited(wait))) => {
            (left, reset) = (0.0, wait.as_secs_f64());
            Err(status(429))
        }
        (Some(_), Some(Mishap::Throttled(status, until))) => return throttled(status, until),
        (Some(_), Some(Mishap::Gateway(status, _))) => return page(status),
        (Some(_), Some(Mishap::Failed)) => Err(status(500)),
        (Some(_), Some(Mishap::Broken)) => return broken_off(),
        (Some((name, _)), _) => carry_out(&state, name, &path, request).await,
    };
    if let Err(Answer { rule: Some(rule), .. }) = &done {
        lock(&state).note(*rule);
    }
    match mishap {
        Some(Mishap::Lost) => return broken_off(),
        Some(Mishap::FailedAfter) => return page(502),
        Some(Mishap::UsedUp(wait)) => (left, reset) = (0.0, wait.as_secs_f64()),
        Some(Mishap::Late(late)) => tokio::time::sleep(late).await,
        _ => {}
    }
    let mut response = match done {
        Ok(body) => Json(body).into_response(),
        Err(answer) => answer.into_response(),
    };
    limits(response.headers_mut(), left, reset);
    response
}

/// The headers that tell how many calls are left: <https://github.com/reddit-archive/reddit/wiki/API#rules>.
fn limits(headers: &mut HeaderMap, left: f64, reset: f64) {
    let told = [
        ("x-ratelimit-used", (100.0 - left).to_string()),
        ("x-ratelimit-remaining", format!("{left:.1}")),
        ("x-ratelimit-reset", reset.to_string()),
    ];
    for (name, value) in told {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
}

fn page(status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    (status, Html(format!("<html>{status}</html>"))).into_response()
}

async fn carry_out(
    state: &Mutex<State>,
    name: &str,
    path: &str,
    request: Request<Body>,
) -> Result<Value, Answer> {
    let (parts, body) = request.into_parts();
    if !is_agent(header(&parts.headers, "user-agent")) {
        return Err(refuse(AGENT, 429));
    }
    let is_form = parts.method == Method::POST;
    let kind = header(&parts.headers, "content-type");
    if is_form && !kind.starts_with("application/x-www-form-urlencoded") {
        return Err(refuse(FORM, 400));
    }
    let body = axum::body::to_bytes(body, MAX_BODY)
        .await
        .map_err(|_| refuse(FORM, 413))?;
    let text = if is_form {
        std::str::from_utf8(&body).map_err(|_| refuse(FORM, 400))?
    } else {
        parts.uri.query().unwrap_or_default()
    };
    let given: BTreeMap<String, String> = fields(text).ok_or_else(|| refuse(FORM, 400))?;
    let mut state = lock(state);
    if name == "access_token" {
        return state.give_token(&parts.headers, &given);
    }
    match bearer(&parts.headers) {
        None => return Err(refuse(BEARER, 401)),
        // Breaks no rule: it was valid once.
        Some(token) if !state.tokens.contains(token) => return Err(status(401)),
        Some(_) => {}
    }
    match name {
        "me" => state.me(&given),
        "unread" => state.list_unread(&given),
        "read_message" => state.mark_read(&given),
        "comment" => state.comment(&given),
        "editusertext" => state.edit(&given),
        "compose" => state.compose(&given),
        _ => state.branch(path.trim_start_matches("/comments/"), &given),
    }
}

/// True of a `User-Agent` that has the form of [`AGENT`].
fn is_agent(agent: &str) -> bool {
    let Some((app, by)) = agent.split_once(" (by /u/") else {
        return false;
    };
    let parts: Vec<_> = app.split(':').collect();
    parts.len() == 3 && parts.iter().all(|part| !part.is_empty()) && by.len() > 1 && by.ends_with(')')
}
