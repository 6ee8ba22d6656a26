//! What requests are answered with, and the headers that all answers have.

use super::limits;
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use hyper::Response;
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use serde::Serialize;
use std::io;
use std::time::Duration;

pub(super) type PageBody = UnsyncBoxBody<Bytes, io::Error>;
pub(super) type PageAnswer = Response<PageBody>;

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// An answer of these bytes.
pub(super) fn of(status: StatusCode, media_type: &'static str, bytes: impl Into<Bytes>) -> PageAnswer {
    let body = Full::new(bytes.into()).map_err(|never| match never {});
    let mut answer = Response::new(body.boxed_unsync());
    *answer.status_mut() = status;
    let media_type = HeaderValue::from_static(media_type);
    answer.headers_mut().insert(CONTENT_TYPE, media_type);
    answer
}

/// An answer in words, for the visitor to read.
pub(super) fn say(status: StatusCode, words: impl Into<String>) -> PageAnswer {
    of(status, TEXT, words.into())
}

pub(super) fn json(value: &impl Serialize) -> PageAnswer {
    // Strings and numbers can always be written.
    of(
        StatusCode::OK,
        JSON,
        serde_json::to_vec(value).unwrap_or_default(),
    )
}

/// Asks to wait for so long.
pub(super) fn too_many(wait: Duration, words: &str) -> PageAnswer {
    wait_for(StatusCode::TOO_MANY_REQUESTS, wait, words)
}

/// The same for another reason.
pub(super) fn wait_for(status: StatusCode, wait: Duration, words: &str) -> PageAnswer {
    let mut answer = say(status, words);
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    if let Ok(seconds) = HeaderValue::try_from(seconds.to_string()) {
        answer.headers_mut().insert(RETRY_AFTER, seconds);
    }
    answer
}

/// Adds the headers that every answer has, where it has no other ones: nothing is guessed, kept or shown elsewhere, and
/// the page runs nothing but its own script.
pub(super) fn secure(mut answer: PageAnswer, frame_ancestors: &str) -> PageAnswer {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {frame_ancestors}"
    );
    let headers = answer.headers_mut();
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("same-origin"),
        ),
    ] {
        headers.entry(name).or_insert(value);
    }
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.entry(CONTENT_SECURITY_POLICY).or_insert(policy);
    }
    answer
}

pub(super) fn wrong_method(right: &'static str) -> PageAnswer {
    let mut answer = say(StatusCode::METHOD_NOT_ALLOWED, format!("only {right}"));
    answer
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(right));
    answer
}

pub(super) fn foreign() -> PageAnswer {
    say(
        StatusCode::FORBIDDEN,
        "Only the chat's own page may ask for this.",
    )
}

pub(super) fn no_session() -> PageAnswer {
    say(
        StatusCode::NOT_FOUND,
        "There is no such conversation. Load the page again.",
    )
}

pub(super) fn unwritten(error: &std::io::Error) -> PageAnswer {
    tracing::warn!(%error, "a message of a web chat cannot be written down");
    let words = "Nothing can be kept here for now.";
    wait_for(StatusCode::SERVICE_UNAVAILABLE, limits::QUIET, words)
}
