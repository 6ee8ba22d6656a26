//! Calls of a platform's API, as far as they are the same everywhere: how an answer comes, what one means that has no word
//! of the platform's own, and what status and headers add to the words of one that has.
//!
//! | what happened | refusal | by |
//! |---|---|---|
//! | no connection was made | transient, `unsent` | [`super::unanswered`] |
//! | the connection broke, or nothing came in time | transient, `maybe_done` | [`super::unanswered`] |
//! | 413 without a word | too long | [`Service::wordless`] |
//! | 429 without a word | rate limited, for as long as the headers say | [`Service::wordless`] |
//! | another 4xx without a word | transient: a front end said it, and nothing of a credential | [`Service::wordless`] |
//! | 502, 503 or 504 without a word | transient, `maybe_done`, `by_front_end`, after `Retry-After` | [`Service::wordless`] |
//! | anything else without a word | transient, `maybe_done`, after `Retry-After` | [`Service::wordless`] |
//! | an error in the platform's own words | as the platform's module reads it, with the waits of the headers; from a server that failed `maybe_done` | [`Service::complete`] |
//! | success with other data than was expected | rejected, `maybe_done` | [`Service::read`] |

use super::{date, read_body, retry_after, unanswered};
use crate::{LimitScope, Refusal};
use foldback_wire::{RefusalCode, Timestamp};
use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, StatusCode};
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::time::Duration;

/// What differs between the APIs of platforms in that.
pub(crate) struct Service {
    /// The platform's name.
    pub(crate) name: &'static str,
    /// The calls that are to wait where a front end says that there were too many.
    pub(crate) front_limit: LimitScope,
    /// The end of a rate limit as headers of the platform's own tell it, where `Retry-After` does not.
    pub(crate) limit_header: fn(&HeaderMap) -> Option<Duration>,
}

/// An answer, whatever it says.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Service {
    /// Makes a call.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<HttpAnswer, Refusal> {
        let response = request.send().await.map_err(unanswered)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = read_body(response).await?;
        Ok(HttpAnswer {
            status,
            headers,
            body,
        })
    }

    /// Reads what came with success.
    pub(crate) fn read<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, Refusal> {
        serde_json::from_slice(body).map_err(|error| self.strange(&error))
    }

    /// An answer to a call that was carried out, which says something else than it should.
    pub(crate) fn strange(&self, why: &dyn Display) -> Refusal {
        let what = format!("{} answered something else: {why}", self.name);
        Refusal::new(RefusalCode::Rejected, what).or_done()
    }

    /// An answer without a word of the platform's own: what stands before it gave that. It knows no chats, and its 401 or
    /// 403 says nothing about a credential.
    pub(crate) fn wordless(&self, status: StatusCode, headers: &HeaderMap) -> Refusal {
        let what = format!("{} answered {status} without a word", self.name);
        let refusal = Refusal::new(RefusalCode::Transient, what);
        match status {
            StatusCode::PAYLOAD_TOO_LARGE => {
                let what = format!("the file is too large for {}", self.name);
                Refusal::new(RefusalCode::TooLong, what)
            }
            StatusCode::TOO_MANY_REQUESTS => Refusal {
                code: RefusalCode::RateLimited,
                retry_after: self.limit_wait(headers),
                scope: self.front_limit,
                ..refusal
            },
            status if status.is_client_error() => refusal,
            _ => of_front_end(refusal, status, retry_after(headers)),
        }
    }

    /// A refusal that the platform put into words, with what they leave open: the wait that the headers ask for, and
    /// whether a server that failed may have done it all the same.
    pub(crate) fn complete(&self, refusal: Refusal, status: StatusCode, headers: &HeaderMap) -> Refusal {
        if status.is_server_error() {
            return Refusal {
                retry_after: refusal.retry_after.or_else(|| retry_after(headers)),
                ..refusal.or_done()
            };
        }
        let wait = || match refusal.code {
            RefusalCode::RateLimited => self.limit_wait(headers),
            _ => None,
        };
        Refusal {
            retry_after: refusal.retry_after.or_else(wait),
            ..refusal
        }
    }

    /// The wait that the headers of a rate limit ask for.
    pub(crate) fn limit_wait(&self, headers: &HeaderMap) -> Option<Duration> {
        retry_after(headers).or_else(|| (self.limit_header)(headers))
    }
}

impl HttpAnswer {
    /// The time of the answer by its server's clock.
    pub(crate) fn date(&self) -> Option<Timestamp> {
        date(&self.headers)
    }
}

/// A failure of a server without a word of the platform's own: a front end gave it where the status says that it stands
/// before another server (<https://www.rfc-editor.org/rfc/rfc9110#section-15.6>). `wait` is what its header asks for.
pub(crate) fn of_front_end(refusal: Refusal, status: StatusCode, wait: Option<Duration>) -> Refusal {
    let before_another = [
        StatusCode::BAD_GATEWAY,
        StatusCode::SERVICE_UNAVAILABLE,
        StatusCode::GATEWAY_TIMEOUT,
    ];
    Refusal {
        by_front_end: before_another.contains(&status),
        retry_after: wait,
        ..refusal.or_done()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::RETRY_AFTER;

    const SERVICE: Service = Service {
        name: "Telex",
        front_limit: LimitScope::Channel,
        limit_header: |headers| {
            let seconds = headers.get("x-over-in")?.to_str().ok()?.parse().ok()?;
            Some(Duration::from_secs(seconds))
        },
    };

    fn headers(told: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in told {
            headers.insert(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn an_answer_without_a_word_is_known_by_its_status() {
        use RefusalCode::{RateLimited, TooLong, Transient};
        let wait = Some(Duration::from_secs(7));
        for (status, code, after, maybe_done, by_front_end) in [
            (413, TooLong, None, false, false),
            (429, RateLimited, wait, false, false),
            (401, Transient, None, false, false),
            (404, Transient, None, false, false),
            (500, Transient, wait, true, false),
            (502, Transient, wait, true, true),
            (503, Transient, wait, true, true),
            (504, Transient, wait, true, true),
            // A page in the place of what was asked for: what gave it may have let the call through.
            (200, Transient, wait, true, false),
            (302, Transient, wait, true, false),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let refusal = SERVICE.wordless(status, &headers(&[(RETRY_AFTER.as_str(), "7")]));
            assert_eq!(
                (
                    refusal.code,
                    refusal.retry_after,
                    refusal.maybe_done,
                    refusal.by_front_end
                ),
                (code, after, maybe_done, by_front_end),
                "{status}"
            );
            let says = match code {
                TooLong => "the file is too large for Telex".to_owned(),
                _ => format!("Telex answered {status} without a word"),
            };
            assert_eq!(refusal.detail, says);
        }
    }

    #[test]
    fn a_limit_ends_by_the_common_header_else_by_the_platforms_own() {
        let wait = |told: &[_]| {
            let refusal = SERVICE.wordless(StatusCode::TOO_MANY_REQUESTS, &headers(told));
            assert_eq!(refusal.scope, LimitScope::Channel);
            refusal.retry_after.map(|wait| wait.as_secs())
        };
        assert_eq!(wait(&[("retry-after", "7"), ("x-over-in", "9")]), Some(7));
        assert_eq!(wait(&[("x-over-in", "9")]), Some(9));
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn words_of_the_platform_are_completed_by_status_and_headers() {
        use RefusalCode::{Gone, RateLimited, Transient};
        let complete = |status: u16, code, said: Option<u64>| {
            let status = StatusCode::from_u16(status).unwrap();
            let refusal = Refusal {
                retry_after: said.map(Duration::from_secs),
                ..Refusal::new(code, "no")
            };
            let refusal = SERVICE.complete(refusal, status, &headers(&[("retry-after", "7")]));
            (refusal.retry_after.map(|wait| wait.as_secs()), refusal.maybe_done)
        };
        assert_eq!(complete(429, RateLimited, None), (Some(7), false));
        assert_eq!(
            complete(429, RateLimited, Some(3)),
            (Some(3), false),
            "its own wait"
        );
        assert_eq!(
            complete(200, RateLimited, None),
            (Some(7), false),
            "the words decide"
        );
        assert_eq!(complete(400, Gone, None), (None, false));
        assert_eq!(complete(500, Transient, None), (Some(7), true));
        assert_eq!(complete(500, Gone, Some(3)), (Some(3), true));
    }
}
