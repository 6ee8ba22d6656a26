//! What Discord's error codes mean:
//! <https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes>.

use crate::Refusal;
use foldback_wire::RefusalCode;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// What a refused call is answered with.
/// <https://discord.com/developers/docs/reference#error-messages>
#[derive(Debug, Default, Deserialize)]
struct Answer {
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

/// What is wrong with one field of a body.
#[derive(Debug)]
struct Complaint {
    field: String,
    code: String,
    says: String,
}

/// A refusal as Discord's edge or its interface gives it. `wait` is the header `Retry-After`, in seconds.
pub(super) fn refusal(status: StatusCode, wait: Option<f64>, body: &[u8]) -> Refusal {
    let Ok(answer) = serde_json::from_slice::<Answer>(body) else {
        return wordless(status, wait);
    };
    let complaints = complaints(&answer.errors);
    let mut detail = answer.message;
    for Complaint { field, says, .. } in &complaints {
        detail = format!("{detail} ({field}: {says})");
    }
    if answer.global {
        detail = format!("{detail} (all calls of this bot)");
    }
    let code = kind(status, answer.code, &complaints);
    Refusal {
        retry_after: seconds(answer.retry_after.or(wait)).filter(|_| code == RefusalCode::RateLimited),
        // A server that failed may have failed after it did what was asked.
        maybe_done: status.is_server_error(),
        ..Refusal::new(code, format!("{detail} (code {})", answer.code))
    }
}

/// Not Discord's interface speaks, but what stands before it.
fn wordless(status: StatusCode, wait: Option<f64>) -> Refusal {
    let code = match status {
        StatusCode::TOO_MANY_REQUESTS => RefusalCode::RateLimited,
        StatusCode::PAYLOAD_TOO_LARGE => RefusalCode::TooLong,
        _ => RefusalCode::Transient,
    };
    Refusal {
        retry_after: seconds(wait).filter(|_| code == RefusalCode::RateLimited),
        maybe_done: !status.is_client_error(),
        ..Refusal::new(code, format!("Discord answered {status} without a word"))
    }
}

fn kind(status: StatusCode, code: u32, complaints: &[Complaint]) -> RefusalCode {
    let complains = |field: &str, what: &str| {
        let mut complaints = complaints.iter();
        complaints.any(|complaint| complaint.field.starts_with(field) && complaint.code == what)
    };
    match (status.as_u16(), code) {
        (429, _) => RefusalCode::RateLimited,
        (401, _) => RefusalCode::Forbidden,
        (500.., _) => RefusalCode::Transient,
        // Unknown channel, unknown message.
        (_, 10_003 | 10_008) => RefusalCode::Gone,
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

fn seconds(wait: Option<f64>) -> Option<Duration> {
    Duration::try_from_secs_f64(wait?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(status: u16, body: &Value) -> Refusal {
        refusal(
            StatusCode::from_u16(status).unwrap(),
            Some(7.0),
            body.to_string().as_bytes(),
        )
    }

    #[test]
    fn codes_have_kinds() {
        for (status, code, kind) in [
            (404, 10_003, RefusalCode::Gone),
            (404, 10_008, RefusalCode::Gone),
            (403, 50_001, RefusalCode::Forbidden),
            (403, 50_013, RefusalCode::Forbidden),
            (403, 50_007, RefusalCode::Forbidden),
            (401, 0, RefusalCode::Forbidden),
            (413, 40_005, RefusalCode::TooLong),
            (400, 10_014, RefusalCode::Unsupported),
            (400, 50_006, RefusalCode::Rejected),
            (403, 160_002, RefusalCode::Rejected),
            (404, 0, RefusalCode::Rejected),
            (500, 0, RefusalCode::Transient),
        ] {
            let refusal = of(status, &json!({"code": code, "message": "m"}));
            assert_eq!(
                (refusal.code, refusal.maybe_done, refusal.retry_after),
                (kind, status == 500, None)
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
            (refusal.code, refusal.retry_after),
            (RefusalCode::RateLimited, Some(Duration::from_millis(250)))
        );
        assert!(
            refusal.detail.contains("all calls of this bot"),
            "{}",
            refusal.detail
        );
        let edge = super::refusal(StatusCode::TOO_MANY_REQUESTS, Some(7.0), b"<html>");
        assert_eq!(
            (edge.code, edge.retry_after),
            (RefusalCode::RateLimited, Some(Duration::from_secs(7)))
        );
        for nonsense in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(seconds(Some(nonsense)), None);
        }
    }
}
