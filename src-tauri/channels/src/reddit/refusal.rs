//! Refusals in Reddit's own words: the errors of a form (<https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/errors.py>),
//! and what a status comes with.

use crate::limit::platform_wait;
use crate::{LimitScope, Refusal};
use foldback_wire::RefusalCode;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// An answer of Reddit, as far as it says whether something was done.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Outcome {
    pub(super) json: Option<FormAnswer>,
    pub(super) message: Option<String>,
    pub(super) reason: Option<String>,
    /// A status, or a word of OAuth.
    pub(super) error: Option<Value>,
}

/// The answer to a form with `api_type=json`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FormAnswer {
    /// Each with its name, its words and the field it is about.
    #[serde(default)]
    errors: Vec<Vec<Value>>,
    #[serde(default)]
    pub(super) data: Value,
    /// Seconds to wait, beside an error `RATELIMIT`.
    ratelimit: Option<f64>,
}

/// The refusal of a form; `None` where it was done.
pub(super) fn of_errors(json: &FormAnswer) -> Option<Refusal> {
    let error = json.errors.first()?;
    let text = |at: usize| error.get(at).and_then(Value::as_str).unwrap_or_default();
    let (name, words) = (text(0), text(1));
    let refusal = Refusal::new(kind(name), format!("{name}: {words}"));
    if refusal.code != RefusalCode::RateLimited {
        return Some(refusal);
    }
    let told = json.ratelimit.and_then(crate::http::seconds);
    Some(Refusal {
        retry_after: told.or_else(|| wait_in(words)),
        // An account may write so often, wherever it writes; it may go on reading.
        scope: LimitScope::Route,
        ..refusal
    })
}

/// The kind of an error of a form.
fn kind(name: &str) -> RefusalCode {
    match name {
        "RATELIMIT" | "SUBREDDIT_RATELIMIT" => RefusalCode::RateLimited,
        "TOO_LONG" => RefusalCode::TooLong,
        // The post is archived or removed, the account is.
        "TOO_OLD" | "DELETED_LINK" | "USER_DOESNT_EXIST" => RefusalCode::ChatGone,
        // Locked or removed, also a comment alone; one that is not the bot's is none that it can edit.
        "THREAD_LOCKED"
        | "DELETED_COMMENT"
        | "DELETED_THING"
        | "NO_THING_ID"
        | "NOT_AUTHOR"
        | "COMMENT_UNREPLIABLE"
        | "COMMENT_GUIDANCE_LOCKED" => RefusalCode::Gone,
        "SUBREDDIT_NOTALLOWED"
        | "BANNED_FROM_SUBREDDIT"
        | "USER_BLOCKED"
        | "USER_BLOCKED_MESSAGE"
        | "NOT_WHITELISTED_BY_USER_MESSAGE"
        | "USER_MUTED" => RefusalCode::Forbidden,
        // Nobody is signed in; the account has no address that was checked.
        "USER_REQUIRED" | "VERIFIED_USER_REQUIRED" => RefusalCode::Unauthorized,
        _ => RefusalCode::Rejected,
    }
}

/// The refusal of a status.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, said: &Outcome) -> Refusal {
    let words = [said.message.as_deref(), said.reason.as_deref()];
    let words: Vec<_> = words.into_iter().flatten().collect();
    let code = match status {
        StatusCode::TOO_MANY_REQUESTS => RefusalCode::RateLimited,
        StatusCode::UNAUTHORIZED => RefusalCode::Unauthorized,
        StatusCode::FORBIDDEN if lacks_scope(headers) => RefusalCode::Unauthorized,
        StatusCode::FORBIDDEN => RefusalCode::Forbidden,
        StatusCode::NOT_FOUND | StatusCode::GONE => RefusalCode::Gone,
        StatusCode::PAYLOAD_TOO_LARGE => RefusalCode::TooLong,
        status if status.is_server_error() => RefusalCode::Transient,
        _ => RefusalCode::Rejected,
    };
    let scope = match code {
        RefusalCode::RateLimited => LimitScope::Channel,
        _ => LimitScope::Unstated,
    };
    Refusal {
        scope,
        ..Refusal::new(code, format!("{}: {}", status.as_u16(), words.join(", ")))
    }
}

/// True where the token lacks a scope, which a header tells from a chat that is closed to the bot:
/// <https://www.rfc-editor.org/rfc/rfc6750#section-3.1>.
fn lacks_scope(headers: &HeaderMap) -> bool {
    let told = headers.get(WWW_AUTHENTICATE).and_then(|told| told.to_str().ok());
    told.is_some_and(|told| told.contains("insufficient_scope"))
}

/// The wait that words ask for, as in "Take a break for 9 minutes before trying again". What is left of a unit was cut off,
/// so that one more is waited for.
fn wait_in(words: &str) -> Option<Duration> {
    let words: Vec<_> = words.split(|c: char| !c.is_alphanumeric()).collect();
    words.windows(2).find_map(|pair| {
        let count: u64 = pair[0].parse().ok()?;
        let unit = match pair[1].trim_end_matches('s') {
            "millisecond" => Duration::from_millis(1),
            "second" => Duration::from_secs(1),
            "minute" => Duration::from_mins(1),
            "hour" => Duration::from_hours(1),
            _ => return None,
        };
        let wait = unit.checked_mul(u32::try_from(count.saturating_add(1)).ok()?)?;
        Some(platform_wait(wait))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_wait_stands_in_the_words_unless_it_is_told_as_a_number() {
        for (words, seconds) in [
            (
                "Looks like you've been doing that a lot. Take a break for 9 minutes before trying again.",
                Some(600),
            ),
            ("you are doing that too much. try again in 4 seconds.", Some(5)),
            ("try again in 1 hour.", Some(7_200)),
            ("Take a break for 4294967296 hours", None),
            ("you are doing that too much. try again later.", None),
        ] {
            let body = json!({"errors": [["RATELIMIT", words, "ratelimit"]]});
            let refusal = of_errors(&serde_json::from_value(body).unwrap()).unwrap();
            assert_eq!(refusal.code, RefusalCode::RateLimited);
            assert_eq!(refusal.retry_after.map(|wait| wait.as_secs()), seconds, "{words}");
        }
        let body = json!({"errors": [["RATELIMIT", "in 9 minutes", "ratelimit"]], "ratelimit": 540.5});
        let refusal = of_errors(&serde_json::from_value(body).unwrap()).unwrap();
        assert_eq!(refusal.retry_after, Some(Duration::from_millis(540_500)));
    }

    #[test]
    fn what_the_token_may_not_do_is_told_from_what_a_chat_does_not_take() {
        use RefusalCode::{Forbidden, Unauthorized};
        let scope = r#"Bearer realm="reddit", error="insufficient_scope""#;
        for (status, header, code) in [
            (
                401,
                r#"Bearer realm="reddit", error="invalid_token""#,
                Unauthorized,
            ),
            (403, scope, Unauthorized),
            (403, "", Forbidden),
        ] {
            let headers = HeaderMap::from_iter([(WWW_AUTHENTICATE, header.parse().unwrap())]);
            let status = StatusCode::from_u16(status).unwrap();
            let refusal = of_status(status, &headers, &Outcome::default());
            assert_eq!(refusal.code, code, "{status} {header}");
        }
        for (name, code) in [
            ("USER_REQUIRED", Unauthorized),
            ("VERIFIED_USER_REQUIRED", Unauthorized),
            ("BANNED_FROM_SUBREDDIT", Forbidden),
        ] {
            assert_eq!(kind(name), code, "{name}");
        }
    }

    #[test]
    fn errors_without_a_name_are_refusals_all_the_same() {
        let refusal = of_errors(&serde_json::from_value(json!({"errors": [[]]})).unwrap()).unwrap();
        assert_eq!(refusal.code, RefusalCode::Rejected);
        assert!(of_errors(&FormAnswer::default()).is_none());
    }
}
