//! How a backend's refusals are understood.

use super::error_body::{ErrorBody, error_in};
use crate::status::{StatusFault, fault_of_status};
use foldback_wire::{AgentFault, Timestamp};
use reqwest::{StatusCode, Url, header::HeaderMap};
use std::{error::Error as _, fmt::Write as _, time::Duration};

/// Bytes of a server's own words beside an address and a remedy.
const WORDS_BYTES: usize = 150;

/// Why an attempt failed, and whether another one may help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) fault: AgentFault,
    pub(crate) detail: String,
    pub(crate) passing: bool,
    pub(crate) retry_after: Option<Duration>,
    /// The backend does something else for the agent that was asked.
    pub(crate) busy: bool,
}

impl Failure {
    /// A failure that will be the same next time.
    pub(crate) fn lasting(fault: AgentFault, detail: impl Into<String>) -> Self {
        Self {
            fault,
            detail: detail.into(),
            passing: false,
            retry_after: None,
            busy: false,
        }
    }

    /// A failure that may be over next time.
    pub(crate) fn passing(fault: AgentFault, detail: impl Into<String>) -> Self {
        Self {
            passing: true,
            ..Self::lasting(fault, detail)
        }
    }

    /// An answer, or a part of one, that is longer than is accepted.
    pub(crate) fn too_large(limit: usize) -> Self {
        Self::lasting(
            AgentFault::TooLarge,
            format!("the answer is longer than {limit} bytes"),
        )
    }

    /// What is not what the protocol says.
    pub(crate) fn malformed(error: &serde_json::Error) -> Self {
        Self::lasting(
            AgentFault::Malformed,
            format!("not an answer of this protocol: {error}"),
        )
    }

    /// A connection that did not come about or broke.
    pub(crate) fn of_transport(error: reqwest::Error) -> Self {
        // The endpoint is known; the URL in every message would hide the cause behind it.
        let error = error.without_url();
        let detail = innermost(&error);
        if error.is_connect() {
            return Self::passing(AgentFault::Unreachable, format!("no connection: {detail}"));
        }
        if sources(&error).any(|source| source.downcast_ref().is_some_and(hyper::Error::is_parse)) {
            return Self::lasting(
                AgentFault::Malformed,
                format!("the endpoint does not speak HTTP: {detail}"),
            );
        }
        Self::passing(
            AgentFault::Disconnected,
            format!("the connection was cut: {detail}"),
        )
    }

    /// A status other than success, with its body as far as it was read.
    pub(crate) fn of_status(status: StatusCode, headers: &HeaderMap, body: &[u8], now: Timestamp) -> Self {
        let error = error_in(body);
        let said = if error.message.is_empty() {
            status.canonical_reason().unwrap_or("no reason given").to_owned()
        } else {
            error.message.clone()
        };
        let detail = format!("HTTP {}: {said}", status.as_u16());
        Self {
            retry_after: retry_after(headers, now),
            busy: status == StatusCode::CONFLICT,
            ..Self::classify(status.as_u16(), &error, detail)
        }
    }

    /// A refusal because the server has nothing at this address: with the address and what to do about it.
    pub(crate) fn without_path(mut self, endpoint: &Url, remedy: &str) -> Self {
        if self.detail.len() > WORDS_BYTES {
            self.detail.truncate(self.detail.floor_char_boundary(WORDS_BYTES));
            self.detail.push('…');
        }
        // Writing to a String cannot fail.
        let _ = write!(self.detail, "; the server has nothing at {endpoint}. {remedy}");
        self
    }

    /// An error inside a stream that began well.
    pub(crate) fn of_stream(error: &ErrorBody) -> Self {
        let status = error.code.parse().unwrap_or(0);
        let said = [&error.message, &error.code, &error.kind]
            .into_iter()
            .find(|text| !text.is_empty());
        let detail = said.map_or("an error without words", String::as_str);
        Self::classify(status, error, format!("the backend reported: {detail}"))
    }

    fn classify(status: u16, error: &ErrorBody, detail: String) -> Self {
        use AgentFault::{Internal, NoModel, Overloaded, RateLimited, Rejected, Unauthorized};
        let names = |part: &str| error.code.contains(part) || error.kind.contains(part);
        if names("insufficient_quota") {
            // Also a 429, but waiting does not fill an account.
            return Self::lasting(RateLimited, detail);
        }
        if names("model_not_found") {
            return Self::lasting(NoModel, detail);
        }
        let waits = error
            .message
            .to_ascii_lowercase()
            .contains("waiting for approval");
        if names("PENDING_APPROVAL") || (status == 409 && waits) {
            let detail = "the agent waits until somebody approves or denies a tool call at the Letta server, \
                and takes no message before";
            return Self::lasting(Rejected, detail);
        }
        let by_name = || {
            let (fault, passing) = if names("rate_limit") {
                (RateLimited, true)
            } else if names("overloaded") {
                (Overloaded, true)
            } else if names("api_key") || names("authentication") {
                (Unauthorized, false)
            } else if names("context_length") || names("invalid_request") {
                (Rejected, false)
            } else {
                (Internal, true)
            };
            StatusFault { fault, passing }
        };
        let StatusFault { fault, passing } = fault_of_status(status, &error.message).unwrap_or_else(by_name);
        Self {
            passing,
            ..Self::lasting(fault, detail)
        }
    }
}

/// How long the backend asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110,
/// section 10.2.3).
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let after = text("retry-after")?;
    if let Ok(seconds) = after.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(after)
        .ok()?;
    Some(Timestamp(date.as_millisecond()).since(now))
}

fn sources<'a>(error: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source())
}

fn innermost(error: &reqwest::Error) -> String {
    sources(error)
        .last()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> Failure {
        let status = StatusCode::from_u16(status).expect("a status");
        Failure::of_status(status, &HeaderMap::new(), body.as_bytes(), Timestamp(0))
    }

    #[test]
    fn every_status_has_its_fault() {
        use AgentFault::{Internal, Overloaded, RateLimited, Rejected, Timeout, Unauthorized};
        for (status, fault, passing) in [
            (302, Rejected, false),
            (400, Rejected, false),
            (401, Unauthorized, false),
            (403, Unauthorized, false),
            (404, Rejected, false),
            (408, Timeout, true),
            (409, Overloaded, true),
            (413, Rejected, false),
            (429, RateLimited, true),
            (500, Internal, true),
            (502, Internal, true),
            (503, Overloaded, true),
            (529, Overloaded, true),
        ] {
            let failure = of(status, "");
            assert_eq!((failure.fault, failure.passing), (fault, passing), "{status}");
        }
        for (status, body) in [
            (404, r#"{"error":{"message":"x","code":"model_not_found"}}"#),
            (
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#,
            ),
            (404, r#"{"error":{"message":"The model `m` does not exist."}}"#),
            (404, r#"{"detail":"Agent with id agent-1 not found"}"#),
            (400, r#"{"error":{"message":"x","code":"model_not_found"}}"#),
            // LiteLLM, as of 1.106 and of 1.61.
            (
                400,
                r#"{"error":{"message":"/chat/completions: Invalid model name passed in model=m. Call `/v1/models`","type":"None","param":"None","code":"400"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":{"error":"/chat/completions: Invalid model name passed in model=m."},"type":"None","code":"400"}}"#,
            ),
        ] {
            let failure = of(status, body);
            assert_eq!(
                (failure.fault, failure.passing),
                (AgentFault::NoModel, false),
                "{body}"
            );
        }
        let quota = of(429, r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#);
        assert_eq!((quota.fault, quota.passing), (RateLimited, false));
    }

    #[test]
    fn the_detail_is_what_the_backend_says() {
        let detail = |body: &str| of(400, body).detail;
        assert_eq!(
            detail(r#"{"error":{"message":"too long"}}"#),
            "HTTP 400: too long"
        );
        assert_eq!(detail(r#"{"message":"bare"}"#), "HTTP 400: bare");
        assert_eq!(detail(" plain words\n"), "HTTP 400: plain words");
        assert_eq!(detail(""), "HTTP 400: Bad Request");
    }

    #[test]
    fn the_wait_is_read_in_every_form() {
        let now = Timestamp::parse("1994-11-06T08:49:07Z").expect("a time");
        let wait = |name: &'static str, value: &'static str| {
            let value = reqwest::header::HeaderValue::from_static(value);
            retry_after(
                &HeaderMap::from_iter([(name.parse().expect("a name"), value)]),
                now,
            )
        };
        assert_eq!(wait("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("retry-after-ms", "30"), Some(Duration::from_millis(30)));
        assert_eq!(
            wait("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(Duration::from_secs(30))
        );
        assert_eq!(
            wait("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"),
            Some(Duration::ZERO)
        );
        for wrong in ["soon", "-1", "NaN", "1e300"] {
            assert_eq!(wait("retry-after", wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_error_in_a_stream_is_known_by_its_names() {
        let of = |json: &str| {
            let failure = Failure::of_stream(&error_in(json.as_bytes()));
            (failure.fault, failure.passing)
        };
        assert_eq!(of(r#"{"error":{"code":502}}"#), (AgentFault::Internal, true));
        assert_eq!(
            of(r#"{"error":{"type":"overloaded_error"}}"#),
            (AgentFault::Overloaded, true)
        );
        assert_eq!(
            of(r#"{"error":{"code":"rate_limit_exceeded"}}"#),
            (AgentFault::RateLimited, true)
        );
        assert_eq!(
            of(r#"{"error":{"code":"invalid_api_key"}}"#),
            (AgentFault::Unauthorized, false)
        );
        assert_eq!(
            of(r#"{"error":{"code":"context_length_exceeded"}}"#),
            (AgentFault::Rejected, false)
        );
        assert_eq!(of(r#"{"error":"oops"}"#), (AgentFault::Internal, true));
    }
}
