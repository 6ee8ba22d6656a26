//! Answers of X, as far as they are the same for every call: the limits that headers tell of
//! (<https://docs.x.com/x-api/fundamentals/rate-limits>), and refusals.

use super::refusal::{self, ErrorAnswer};
use crate::http::{self, HttpAnswer, Service};
use crate::limit::platform_wait;
use crate::{LimitScope, Refusal};
use foldback_wire::Timestamp;
use reqwest::header::HeaderMap;
use std::time::Duration;

/// Each call has a limit of its own.
pub(super) static SERVICE: Service = Service {
    name: "X",
    front_limit: LimitScope::Route,
    limit_header: over_in,
};

/// The limits that the headers tell of: that of the call, and those of a day, of the user and of the app.
const LIMITS: [&str; 3] = ["x-rate-limit", "x-user-limit-24hour", "x-app-limit-24hour"];

/// The refusal of a call by its status, with X's own words where it has some.
pub(super) fn refused(answer: &HttpAnswer) -> Refusal {
    let said: Option<ErrorAnswer> = serde_json::from_slice(&answer.body).ok();
    match said
        .as_ref()
        .and_then(|said| refusal::of_problem(answer.status, said))
    {
        Some(refusal) => SERVICE.complete(refusal, answer.status, &answer.headers),
        None => SERVICE.wordless(answer.status, &answer.headers),
    }
}

/// The time until a limit that was reached is over; of one whose headers do not say that it was, that of the call.
fn over_in(headers: &HeaderMap) -> Option<Duration> {
    used_up(headers).or_else(|| reset(headers, LIMITS[0]))
}

/// The time for which no more calls are taken, where the headers say that this was the last one.
pub(super) fn used_up(headers: &HeaderMap) -> Option<Duration> {
    let is_used_up = |limit: &&&str| number(headers, &format!("{limit}-remaining")) == Some(0);
    let limits = LIMITS.iter().filter(is_used_up);
    limits.filter_map(|limit| reset(headers, limit)).max()
}

/// The time until a limit begins anew, which is told as seconds since 1970 by X's clock.
fn reset(headers: &HeaderMap, limit: &str) -> Option<Duration> {
    let at = number(headers, &format!("{limit}-reset"))?;
    let said = http::date(headers).unwrap_or_else(|| Timestamp(jiff::Timestamp::now().as_millisecond()));
    Some(platform_wait(Timestamp(at.saturating_mul(1_000)).since(said)))
}

fn number(headers: &HeaderMap, name: &str) -> Option<i64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_that_was_reached_says_when_it_is_over() {
        let headers = |told: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            headers.insert("date", "Mon, 23 Nov 2026 12:00:00 GMT".parse().unwrap());
            for (name, value) in told {
                headers.insert(*name, value.parse().unwrap());
            }
            headers
        };
        // 1795435200 is that noon.
        let (soon, day) = ("1795435260", "1795521600");
        for (told, used, over) in [
            (vec![], None, None),
            (
                vec![("x-rate-limit-remaining", "3"), ("x-rate-limit-reset", soon)],
                None,
                Some(60),
            ),
            (
                vec![("x-rate-limit-remaining", "0"), ("x-rate-limit-reset", soon)],
                Some(60),
                Some(60),
            ),
            (
                vec![
                    ("x-rate-limit-remaining", "3"),
                    ("x-rate-limit-reset", soon),
                    ("x-user-limit-24hour-remaining", "0"),
                    ("x-user-limit-24hour-reset", day),
                ],
                Some(86_400),
                Some(86_400),
            ),
            (
                vec![("x-rate-limit-remaining", "0"), ("x-rate-limit-reset", "1")],
                Some(0),
                Some(0),
            ),
            (
                vec![("x-rate-limit-remaining", "none"), ("x-rate-limit-reset", "soon")],
                None,
                None,
            ),
        ] {
            let headers = headers(&told);
            let seconds = |wait: Option<Duration>| wait.map(|wait| wait.as_secs());
            assert_eq!(
                (seconds(used_up(&headers)), seconds(over_in(&headers))),
                (used, over),
                "{told:?}"
            );
        }
    }
}
