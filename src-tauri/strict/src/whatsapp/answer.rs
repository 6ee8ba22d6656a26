//! Answers of the server: which call it is, whether it may be made, and what goes wrong with it.

use super::messages;
use super::request::{Answer, Object, refuse, refused};
use super::rules::{MEDIA_NUMBER, METHOD, NUMBER, TOKEN};
use super::server::{Inner, State, VERSION};
use super::upload;
use crate::Mishap;
use crate::fault::throttled;
use crate::sent::Sent;
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State as Shared};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;

/// A file's address, or its bytes:
/// <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media>.
fn hand_over(inner: &Inner, request: &Request<Body>) -> Option<Response> {
    let mut state = inner.state();
    let path = request.uri().path();
    let numbered = path.strip_prefix(&format!("/{VERSION}/"));
    let number = request
        .uri()
        .query()
        .unwrap_or_default()
        .strip_prefix("phone_number_id=");
    let about = numbered.filter(|_| number.is_some());
    let id = about.or_else(|| path.strip_prefix("/media/"))?;
    state.calls += 1;
    let file = state.sent.get(id).cloned();
    let done = if let Err(answer) = with_token(&state, request) {
        Err(answer)
    } else if about.is_some() && number != Some(state.credentials.number.as_str()) {
        Err(refuse(MEDIA_NUMBER, 100, "phone_number_id is that of the number"))
    } else if about.is_none() {
        return Some(match file {
            Some(file) => file.bytes.into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        });
    } else {
        let gone = || refused(100, "Object with this ID does not exist");
        file.ok_or_else(gone)
    };
    let Sent { bytes, elsewhere } = match done {
        Ok(file) => file,
        Err(answer) => {
            answer.rule.into_iter().for_each(|rule| state.broken.note(rule));
            return Some(answer.into_response());
        }
    };
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    let told = json!({
        "messaging_product": "whatsapp", "id": id, "mime_type": "image/png", "sha256": sha256(&bytes),
        "file_size": bytes.len().to_string(),
        "url": elsewhere.unwrap_or_else(|| format!("http://{host}/media/{id}")),
    });
    Some(Json(told).into_response())
}

fn with_token(state: &State, request: &Request<Body>) -> Result<(), Answer> {
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if given == Some(state.credentials.token.as_str()) {
        return Ok(());
    }
    Err(refuse(TOKEN, 190, "The access token could not be decrypted."))
}

/// The method that is called, by its last part: `messages`, `media`, or `profile` for the number itself.
fn method(state: &State, request: &Request<Body>) -> Result<&'static str, Answer> {
    let rest = request.uri().path().strip_prefix(&format!("/{VERSION}/"));
    let rest = rest.and_then(|rest| rest.strip_prefix(state.credentials.number.as_str()));
    let (method, verb) = match rest {
        Some("") => ("profile", Method::GET),
        Some("/messages") => ("messages", Method::POST),
        Some("/media") => ("media", Method::POST),
        _ => return Err(refuse(NUMBER, 33, "Object does not exist, or cannot be loaded.")),
    };
    with_token(state, request)?;
    if *request.method() != verb {
        return Err(refuse(METHOD, 100, "Unsupported request method."));
    }
    Ok(method)
}

pub(super) async fn answer(Shared(inner): Shared<Arc<Inner>>, request: Request<Body>) -> Response {
    if request.method() == Method::GET
        && let Some(response) = hand_over(&inner, &request)
    {
        return response;
    }
    let (called, mishap) = {
        let mut state = inner.state();
        state.calls += 1;
        let called = method(&state, &request);
        let is_next =
            |(next, ..): &(String, StatusCode, String)| called.as_ref().is_ok_and(|name| name == next);
        if let Some(at) = state.instead.iter().position(is_next) {
            let (_, status, body) = state.instead.remove(at);
            return (status, body).into_response();
        }
        let mishap = called.as_ref().ok().and_then(|method| state.faults.next(method));
        (called, mishap)
    };
    let done = match (called, mishap) {
        (Err(answer), _) => Err(answer),
        (Ok(_), Some(Mishap::RateLimited(wait))) => {
            let answer = refused(
                130_429,
                "Message failed to send because there were too many messages.",
            );
            let mut response = answer.into_response();
            if let Ok(seconds) = wait.as_secs().max(1).to_string().parse() {
                response.headers_mut().insert(header::RETRY_AFTER, seconds);
            }
            return response;
        }
        (Ok(_), Some(Mishap::Throttled(status, until))) => return throttled(status, until),
        (Ok(_), Some(Mishap::Failed)) => Err(refused(1, "Something went wrong.")),
        (Ok(_), Some(Mishap::Broken)) => return broken_off(),
        (Ok(method), _) => call(&inner, method, request).await,
    };
    inner.news.notify_waiters();
    if let Err(Answer { rule: Some(rule), .. }) = &done {
        inner.state().broken.note(*rule);
    }
    match mishap {
        Some(Mishap::Lost) => return broken_off(),
        Some(Mishap::FailedAfter) => {
            return (StatusCode::BAD_GATEWAY, "<html>502 Bad Gateway</html>").into_response();
        }
        Some(Mishap::Late(late)) => tokio::time::sleep(late).await,
        _ => {}
    }
    match done {
        Ok(result) => Json(result).into_response(),
        Err(answer) => answer.into_response(),
    }
}

async fn call(inner: &Inner, method: &str, request: Request<Body>) -> Result<Value, Answer> {
    match method {
        "messages" => {
            let given = Object::read(request).await?;
            inner.state().message(&given)
        }
        "media" => {
            let file = upload::read(request).await?;
            let mut state = inner.state();
            state.last += 1;
            let id = format!("10375432915{:05}", state.last);
            state.media.insert(id.clone(), file);
            Ok(json!({"id": id}))
        }
        _ => messages::profile(&inner.state(), request.uri().query().unwrap_or_default()),
    }
}

/// An answer whose body breaks off, which ends the connection.
fn broken_off() -> Response {
    let error = io::Error::from(io::ErrorKind::ConnectionReset);
    let body = futures::stream::iter([Err::<&str, _>(error)]);
    Response::new(Body::from_stream(body))
}

/// The SHA-256 of a file, in hexadecimal digits.
fn sha256(bytes: &[u8]) -> String {
    crate::hex(ring::digest::digest(&ring::digest::SHA256, bytes).as_ref())
}
