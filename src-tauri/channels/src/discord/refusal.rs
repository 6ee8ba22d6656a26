//! What Discord's error codes mean:
//! <https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes>.

use crate::http::{self, HttpAnswer, Service};
use crate::{LimitScope, Pause, Refusal};
use foldback_wire::RefusalCode;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// What a refused call is answered with.
/// <https://discord.com/developers/docs/reference#error-messages>
#[derive(Debug, Default, Deserialize)]
struct Said {
    #[serde(default)]
    code: u32,
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Value,
    /// Seconds. <https://discord.com/developers/docs/topics/rate-limits#exceeding-a-rate-limit>
    retry_after: Option<f64>,
    #[serde(default)]
    global: bool,
}

/// Longest name of a bucket that is believed to be one; they have 32 digits.
const LONGEST_BUCKET: usize = 64;

/// What is wrong with one field of a body.
#[derive(Debug)]
struct Complaint {
    field: String,
    code: String,
    says: String,
}

/// What stands before the interface limits the address of this machine.
pub(super) const SERVICE: Service = Service {
    name: "Discord",
    front_limit: LimitScope::Channel,
    limit_header: reset_after,
};

/// A refusal as Discord's edge or its interface gives it.
pub(super) fn refusal(answer: &HttpAnswer) -> Refusal {
    let (status, headers) = (answer.status, &answer.headers);
    let Ok(said) = serde_json::from_slice::<Said>(&answer.body) else {
        return SERVICE.wordless(status, headers);
    };
    let complaints = complaints(&said.errors);
    let mut detail = said.message;
    for Complaint { field, says, .. } in &complaints {
        detail = format!("{detail} ({field}: {says})");
    }
    if said.global {
        detail = format!("{detail} (all calls of this bot)");
    }
    let code = kind(status, said.code, &complaints);
    let limited = code == RefusalCode::RateLimited;
    let refusal = Refusal {
        retry_after: said.retry_after.filter(|_| limited).and_then(http::seconds),
        scope: scope(said.global, headers),
        bucket: bucket(headers),
        ..Refusal::new(code, format!("{detail} (code {})", said.code))
    };
    SERVICE.complete(refusal, status, headers)
}

fn kind(status: StatusCode, code: u32, complaints: &[Complaint]) -> RefusalCode {
    let complains = |field: &str, what: &str| {
        let mut complaints = complaints.iter();
        complaints.any(|complaint| complaint.field.starts_with(field) && complaint.code == what)
    };
    match (status.as_u16(), code) {
        (429, _) => RefusalCode::RateLimited,
        // Unauthorized, an invalid authentication token.
        (401, _) | (_, 40_001 | 50_014) => RefusalCode::Unauthorized,
        (500.., _) => RefusalCode::Transient,
        // Unknown channel.
        (_, 10_003) => RefusalCode::ChatGone,
        // Unknown message.
        (_, 10_008) => RefusalCode::Gone,
        // Unknown emoji.
        (_, 10_014) => RefusalCode::Unsupported,
        // Request entity too large.
        (413, _) | (_, 40_005) => RefusalCode::TooLong,
        // Missing access, another author's message, messages to this person, missing permissions, a locked thread,
        // a person who has blocked the bot.
        (_, 50_001 | 50_005 | 50_007 | 50_013 | 90_001 | 160_005) => RefusalCode::Forbidden,
        (_, 50_035) if complains("content", "BASE_TYPE_MAX_LENGTH") => RefusalCode::TooLong,
        (_, 50_035) if complains("message_reference", "REPLIES_UNKNOWN_MESSAGE") => RefusalCode::Gone,
        _ => RefusalCode::Rejected,
    }
}

/// Everything that is wrong, with the field it is wrong with; fields lie in one another as in the body.
fn complaints(errors: &Value) -> Vec<Complaint> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), errors)];
    while let Some((path, errors)) = open.pop() {
        for (name, below) in errors.as_object().into_iter().flatten() {
            if name != "_errors" {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                open.push((path, below));
                continue;
            }
            let text = |complaint: &Value, key: &str| complaint[key].as_str().unwrap_or_default().to_owned();
            found.extend(below.as_array().into_iter().flatten().map(|complaint| Complaint {
                field: path.clone(),
                code: text(complaint, "code"),
                says: text(complaint, "message"),
            }));
        }
    }
    found
}

/// The calls that a limit counts: all of the bot, or those of a route and the channel that it names.
/// <https://discord.com/developers/docs/topics/rate-limits#header-format>
fn scope(global: bool, headers: &HeaderMap) -> LimitScope {
    let says = |name: &str, value: &str| headers.get(name).is_some_and(|said| said == value);
    if global || says("x-ratelimit-global", "true") || says("x-ratelimit-scope", "global") {
        LimitScope::Channel
    } else {
        LimitScope::RouteInChat
    }
}

/// The words of an answer about the limit of its calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RouteLimit {
    /// The bucket in which its route is counted, for each channel apart.
    pub(super) bucket: Option<String>,
    /// The pause after the last call of the bucket for now.
    pub(super) pause: Option<Pause>,
}

impl RouteLimit {
    /// <https://discord.com/developers/docs/topics/rate-limits#header-format>
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let used_up = headers
            .get("x-ratelimit-remaining")
            .is_some_and(|left| left == "0");
        let pause = reset_after(headers).filter(|_| used_up).map(|after| Pause {
            scope: LimitScope::RouteInChat,
            after,
        });
        Self {
            bucket: bucket(headers),
            pause,
        }
    }
}

fn bucket(headers: &HeaderMap) -> Option<String> {
    let name = headers.get("x-ratelimit-bucket")?.to_str().ok()?;
    (name.len() <= LONGEST_BUCKET).then(|| name.to_owned())
}

fn reset_after(headers: &HeaderMap) -> Option<Duration> {
    let wait = headers.get("x-ratelimit-reset-after")?.to_str().ok()?;
    http::seconds(wait.trim().parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn headers(told: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in told {
            headers.insert(*name, value.parse().unwrap());
        }
        headers
    }

    fn of(status: u16, body: &Value) -> Refusal {
        refusal(&HttpAnswer {
            status: StatusCode::from_u16(status).unwrap(),
            headers: headers(&[("retry-after", "7")]),
            body: body.to_string().into(),
        })
    }

    #[test]
    fn codes_have_kinds() {
        for (status, code, kind) in [
            (404, 10_003, RefusalCode::ChatGone),
            (404, 10_008, RefusalCode::Gone),
            (403, 50_001, RefusalCode::Forbidden),
            (403, 50_013, RefusalCode::Forbidden),
            (403, 50_007, RefusalCode::Forbidden),
            (401, 0, RefusalCode::Unauthorized),
            (403, 40_001, RefusalCode::Unauthorized),
            (400, 50_014, RefusalCode::Unauthorized),
            (413, 40_005, RefusalCode::TooLong),
            (400, 10_014, RefusalCode::Unsupported),
            (400, 50_006, RefusalCode::Rejected),
            (403, 160_002, RefusalCode::Rejected),
            (404, 0, RefusalCode::Rejected),
            (500, 0, RefusalCode::Transient),
        ] {
            let refusal = of(status, &json!({"code": code, "message": "m"}));
            let failed = status == 500;
            assert_eq!(
                (refusal.code, refusal.maybe_done, refusal.retry_after),
                (kind, failed, failed.then_some(Duration::from_secs(7))),
                "the header tells when to come back to a server that failed"
            );
        }
    }

    #[test]
    fn fields_are_named_where_a_body_is_wrong() {
        let long = json!({"content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer."}]}});
        let refusal = of(
            400,
            &json!({"code": 50_035, "message": "Invalid Form Body", "errors": long}),
        );
        assert_eq!(refusal.code, RefusalCode::TooLong);
        assert_eq!(
            refusal.detail,
            "Invalid Form Body (content: Must be 2000 or fewer.) (code 50035)"
        );
        let deep = json!({"embeds": {"0": {"title": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "m"}]}}}});
        let refusal = of(
            400,
            &json!({"code": 50_035, "message": "Invalid Form Body", "errors": deep}),
        );
        assert_eq!(refusal.code, RefusalCode::Rejected);
        assert!(refusal.detail.contains("embeds.0.title: m"), "{}", refusal.detail);
    }

    #[test]
    fn a_wait_is_told_by_the_body_else_by_the_header() {
        let body = json!({"message": "You are being rate limited.", "retry_after": 0.25, "global": true});
        let refusal = of(429, &body);
        assert_eq!(
            (refusal.code, refusal.retry_after, refusal.scope),
            (
                RefusalCode::RateLimited,
                Some(Duration::from_millis(250)),
                LimitScope::Channel
            )
        );
        assert!(
            refusal.detail.contains("all calls of this bot"),
            "{}",
            refusal.detail
        );
        let limited = |told: &[(&'static str, &'static str)], body: &[u8]| {
            let refusal = super::refusal(&HttpAnswer {
                status: StatusCode::TOO_MANY_REQUESTS,
                headers: headers(told),
                body: body.to_vec(),
            });
            assert_eq!(refusal.code, RefusalCode::RateLimited);
            (refusal.scope, refusal.retry_after)
        };
        let wait = |ms| Some(Duration::from_millis(ms));
        assert_eq!(
            limited(&[("retry-after", "7")], b"<html>"),
            (LimitScope::Channel, wait(7_000))
        );
        assert_eq!(
            limited(&[("x-ratelimit-reset-after", "1.5")], b"{}"),
            (LimitScope::RouteInChat, wait(1_500))
        );
        assert_eq!(
            limited(&[("x-ratelimit-scope", "global")], b"{}"),
            (LimitScope::Channel, None)
        );
        for nonsense in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(http::seconds(nonsense), None);
        }
    }

    #[test]
    fn the_last_call_of_a_bucket_says_how_long_the_next_one_waits() {
        let told = |left, after| {
            RouteLimit::of(&headers(&[
                ("x-ratelimit-remaining", left),
                ("x-ratelimit-reset-after", after),
                ("x-ratelimit-bucket", "abcd1234"),
            ]))
        };
        let told = |left, after| {
            let RouteLimit { bucket, pause } = told(left, after);
            assert_eq!(bucket.as_deref(), Some("abcd1234"));
            pause
        };
        let pause = Pause {
            scope: LimitScope::RouteInChat,
            after: Duration::from_millis(1_200),
        };
        assert_eq!((told("0", "1.2"), told("1", "1.2")), (Some(pause), None));
        assert_eq!(told("0", "soon"), None);
    }
}
