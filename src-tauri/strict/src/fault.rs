//! Misbehaviour of a platform that a test asks for.

use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use std::time::Duration;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// Too many requests: wait so long.
    RateLimited(Duration),
    /// A front end refuses in the server's place with this status (429 or 503), without a word of the platform's own, and
    /// with this header `Retry-After` at noon of a day.
    Throttled(u16, &'static str),
    /// A front end that reaches no server behind it answers with this status (502, 503 or 504); nothing is done. Only
    /// Telegram has one.
    Gateway(u16, GatewayBody),
    /// It is done, and is the last call of its kind that is taken for so long. Only Discord, Reddit and X say so.
    UsedUp(Duration),
    /// The server fails, and has done nothing.
    Failed,
    /// The server fails, though it has done what was asked.
    FailedAfter,
    /// It is done, but the connection breaks before the answer.
    Lost,
    /// The connection breaks before the call arrives.
    Broken,
    /// The answer comes so much later.
    Late(Duration),
}

/// The body of a front end's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayBody {
    /// A page of HTML.
    Page,
    /// JSON of the platform's own form, with the status's reason phrase for a description.
    Json,
}

/// The refusal of what stands before a server.
pub(super) fn throttled(status: u16, retry_after: &'static str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::TOO_MANY_REQUESTS);
    let headers = [
        (header::DATE, "Mon, 23 Nov 2026 12:00:00 GMT"),
        (header::RETRY_AFTER, retry_after),
    ];
    let page = Html(format!("<html>{status}</html>"));
    (status, headers, page).into_response()
}

/// A mishap of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The method; empty for any.
    pub method: String,
    /// What goes wrong.
    pub mishap: Mishap,
}

/// The faults still to come, in order.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn plan(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// The next mishap of this method.
    pub(super) fn next(&mut self, method: &str) -> Option<Mishap> {
        let hits = |fault: &Fault| fault.method.is_empty() || fault.method == method;
        let at = self.0.iter().position(hits)?;
        Some(self.0.remove(at).mishap)
    }
}
