//! Refusals in X's own words: <https://docs.x.com/x-api/fundamentals/response-codes-and-errors>. What a post is refused for
//! is told in words alone, with 403 and the type `about:blank`
//! (<https://github.com/akrherz/iembot/issues/163>), so that the words decide.

use crate::{LimitScope, Refusal};
use foldback_wire::RefusalCode;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

/// An error as X tells it; of the limits of calls in the form of an older version.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorAnswer {
    title: Option<String>,
    detail: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    errors: Vec<Value>,
}

/// The refusal of a problem; `None` where it says nothing.
pub(super) fn of_problem(status: StatusCode, said: &ErrorAnswer) -> Option<Refusal> {
    let first = said.errors.first();
    let in_first = |key: &str| first.and_then(|error| error[key].as_str());
    let words = said
        .detail
        .as_deref()
        .or_else(|| in_first("message"))
        .or_else(|| in_first("detail"));
    let words = words.or(said.title.as_deref())?;
    let kind = said
        .kind
        .as_deref()
        .or_else(|| in_first("type"))
        .unwrap_or_default();
    let code = code(status, kind.rsplit('/').next().unwrap_or_default(), words);
    let scope = match code {
        RefusalCode::RateLimited if kind.ends_with("usage-capped") => LimitScope::Channel,
        RefusalCode::RateLimited => LimitScope::Route,
        _ => LimitScope::Unstated,
    };
    Some(Refusal {
        scope,
        ..Refusal::new(code, format!("{}: {words}", status.as_u16()))
    })
}

fn code(status: StatusCode, kind: &str, words: &str) -> RefusalCode {
    let words = words.to_ascii_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    match status {
        StatusCode::TOO_MANY_REQUESTS => RefusalCode::RateLimited,
        status if status.is_server_error() => RefusalCode::Transient,
        StatusCode::UNAUTHORIZED => RefusalCode::Unauthorized,
        // The app lacks a permission, or shows itself in a way that the call does not take.
        _ if [
            "client-forbidden",
            "oauth1-permissions",
            "unsupported-authentication",
        ]
        .contains(&kind) =>
        {
            RefusalCode::Unauthorized
        }
        StatusCode::NOT_FOUND | StatusCode::GONE => RefusalCode::Gone,
        // The same text a second time: another one is taken.
        _ if says(&["duplicate content"]) => RefusalCode::Rejected,
        _ if kind == "resource-not-found"
            || says(&[
                "deleted or not visible",
                "has been suspended",
                "no longer exists",
                "could not find tweet",
            ]) =>
        {
            RefusalCode::Gone
        }
        _ if says(&["too long", "longer than"]) => RefusalCode::TooLong,
        StatusCode::FORBIDDEN => RefusalCode::Forbidden,
        _ => RefusalCode::Rejected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_words_of_a_problem_decide() {
        use RefusalCode::{Forbidden, Gone, RateLimited, Rejected, Transient, Unauthorized};
        let blank = |detail: &str| json!({"title": "Forbidden", "detail": detail, "type": "about:blank", "status": 403});
        for (status, body, code) in [
            (
                403,
                blank("You are not allowed to create a Tweet with duplicate content."),
                Rejected,
            ),
            (
                403,
                blank("You attempted to reply to a Tweet that is deleted or not visible to you."),
                Gone,
            ),
            (
                403,
                blank("You are not permitted to perform this action."),
                Forbidden,
            ),
            (
                400,
                json!({"errors": [{"message": "x"}], "title": "Invalid Request", "detail": "One or more"}),
                Rejected,
            ),
            (
                400,
                json!({"errors": [{"type": "https://api.twitter.com/2/problems/resource-not-found", "detail": "x"}]}),
                Gone,
            ),
            (
                401,
                json!({"title": "Unauthorized", "type": "about:blank"}),
                Unauthorized,
            ),
            (
                403,
                json!({"type": "https://api.twitter.com/2/problems/client-forbidden", "detail": "x"}),
                Unauthorized,
            ),
            (
                402,
                json!({"title": "CreditsDepleted", "detail": "no credits"}),
                Rejected,
            ),
            (
                429,
                json!({"errors": [{"code": 88, "message": "Rate limit exceeded"}]}),
                RateLimited,
            ),
            (503, json!({"title": "Service Unavailable"}), Transient),
        ] {
            let said: ErrorAnswer = serde_json::from_value(body.clone()).unwrap();
            let refusal = of_problem(StatusCode::from_u16(status).unwrap(), &said).unwrap();
            assert_eq!(refusal.code, code, "{body}");
        }
        assert!(of_problem(StatusCode::FORBIDDEN, &ErrorAnswer::default()).is_none());
    }
}
