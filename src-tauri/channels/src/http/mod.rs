//! What every adapter over HTTP has in common: the client, what becomes of a call without an answer, and the headers here;
//! what an answer means in [`service`]; and in [`websocket`] how a connection becomes one for messages.

mod service;
mod websocket;

use crate::{Refusal, limit::platform_wait};
use foldback_wire::{RefusalCode, Timestamp};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response, Url};
pub(crate) use service::{HttpAnswer, Service, of_front_end};
use std::net::IpAddr;
use std::time::Duration;
pub(crate) use websocket::{WebSocket, open_websocket};

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Connections to a platform that are kept for the next call. A channel calls one operation of a conversation at a time;
/// more at once come in bursts, which need none later.
const KEPT: usize = 4;

/// Longest answer of a platform, or event of Discord's gateway, in bytes. A hundred updates of Telegram, or a page of
/// Slack's history, are well below; files of users have their own limit and never come this way.
pub(crate) const BODY_BYTES: usize = 10 * 1000 * 1000;

/// A client for a platform's endpoint.
pub(crate) fn client(root: &str) -> Result<Client, Refusal> {
    let wrong = |why: String| Refusal::new(RefusalCode::Rejected, format!("api_root {root:?}: {why}"));
    let url = Url::parse(root).map_err(|e| wrong(e.to_string()))?;
    let local = is_local(&url);
    // rustls wants one provider for the whole process. Whoever installed one first is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("foldback/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .pool_max_idle_per_host(KEPT)
        // A websocket begins as a request of HTTP/1.1.
        .http1_only()
        // A redirect would carry the token to somewhere else.
        .redirect(reqwest::redirect::Policy::none());
    builder = match url.scheme() {
        "https" => builder,
        // Certificates are not needed there.
        "http" if local => builder.no_proxy().tls_certs_only([]),
        "http" => {
            return Err(wrong(
                "the token would travel in the open; only https does".into(),
            ));
        }
        other => return Err(wrong(format!("{other} is neither https nor http"))),
    };
    builder.build().map_err(|e| wrong(e.without_url().to_string()))
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether what is sent to `url` travels encrypted, or stays on this machine.
pub(crate) fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && is_local(url)
}

/// A call that got no answer. Of the error's address, in which some platforms want the token, only the host is told.
pub(crate) fn unanswered(error: reqwest::Error) -> Refusal {
    let place = error.url().map_or_else(
        || "the platform".to_owned(),
        |url| url.origin().ascii_serialization(),
    );
    // An address or a header that cannot be: it never leaves, however often it is tried.
    let error_is_ours = error.is_builder();
    let never_left = error.is_connect();
    let what = if never_left || error_is_ours {
        "cannot reach"
    } else if error.is_timeout() {
        "no answer in time from"
    } else {
        "the connection broke to"
    };
    let detail = format!("{what} {place}: {}", cause(&error.without_url()));
    let refusal = Refusal::new(RefusalCode::Transient, detail);
    if error_is_ours {
        refusal
    } else if never_left {
        refusal.never_sent()
    } else {
        refusal.or_done()
    }
}

/// The wait that the header `Retry-After` asks for: seconds, or a date, which counts from the answer's own.
/// <https://www.rfc-editor.org/rfc/rfc9110#field.retry-after>
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let wait = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(wait) = wait.parse() {
        return seconds(wait);
    }
    let until = http_date(wait)?;
    let said = date(headers).unwrap_or_else(|| Timestamp(jiff::Timestamp::now().as_millisecond()));
    Some(platform_wait(until.since(said)))
}

/// The time of an answer by its server's clock, in whole seconds.
/// <https://www.rfc-editor.org/rfc/rfc9110#field.date>
pub(crate) fn date(headers: &HeaderMap) -> Option<Timestamp> {
    http_date(headers.get(DATE)?.to_str().ok()?)
}

fn http_date(text: &str) -> Option<Timestamp> {
    let date = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(Timestamp(date.timestamp().as_millisecond()))
}

/// A wait in seconds that a platform wrote; none that is no time.
pub(crate) fn seconds(wait: f64) -> Option<Duration> {
    let asked = Duration::try_from_secs_f64(wait).ok()?;
    Some(platform_wait(asked))
}

/// The body of an answer, read up to a bound whatever length it claims: a platform, or what stands in its place, must not
/// fill the memory. A longer one is no answer; the call may have been carried out.
pub(crate) async fn read_body(mut response: Response) -> Result<Vec<u8>, Refusal> {
    let place = response.url().origin().ascii_serialization();
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(unanswered)? {
        if body.len() + bytes.len() > BODY_BYTES {
            let detail = format!("the answer of {place} is longer than {BODY_BYTES} bytes");
            return Err(Refusal::new(RefusalCode::Transient, detail).or_done());
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

/// What is at the bottom of an error, without the layers that passed it on and without the system's number for it.
fn cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut at = error;
    while let Some(inner) = at.source() {
        at = inner;
    }
    let text = at.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that answers with a body without an end, and how many bytes of it were taken in the end.
    async fn endless() -> (String, tokio::task::JoinHandle<usize>) {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let taken = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 1024];
            assert!(stream.read(&mut head).await.unwrap() > 0);
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            let piece = vec![b'x'; 100_000];
            let mut taken = 0;
            while stream.write_all(&piece).await.is_ok() {
                taken += piece.len();
            }
            taken
        });
        (root, taken)
    }

    #[tokio::test]
    async fn an_answer_without_end_is_given_up_at_ten_megabytes() {
        let (root, taken) = endless().await;
        let response = client(&root).unwrap().get(&root).send().await.unwrap();
        let refusal = read_body(response).await.unwrap_err();
        assert_eq!(
            refusal.detail,
            format!("the answer of {root} is longer than 10000000 bytes")
        );
        assert!(refusal.maybe_done);
        // The connection ends with it: the server cannot go on writing. How much it wrote ahead is the system's business.
        assert!(taken.await.unwrap() > BODY_BYTES);
    }

    #[tokio::test]
    async fn who_cannot_be_reached_is_named_without_the_token() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let root = format!("http://{}", socket.local_addr().unwrap());
        drop(socket);
        let call = client(&root).unwrap().post(format!("{root}/bot123:SECRET/getMe"));
        let refusal = unanswered(call.send().await.unwrap_err());
        assert_eq!(refusal.detail, format!("cannot reach {root}: connection refused"));
        assert!(!refusal.maybe_done && refusal.unsent);
    }

    #[tokio::test]
    async fn a_name_that_nobody_knows_never_left_the_machine() {
        let root = "https://nobody.invalid";
        let refusal = unanswered(client(root).unwrap().get(root).send().await.unwrap_err());
        assert!(refusal.unsent && !refusal.maybe_done, "{refusal:?}");
    }

    #[test]
    fn a_wait_is_told_in_seconds_or_by_a_date() {
        let wait = |after: &str, date: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, after.parse().unwrap());
            headers.extend(date.map(|date| (DATE, date.parse().unwrap())));
            retry_after(&headers)
        };
        let noon = Some("Mon, 23 Nov 2026 12:00:00 GMT");
        for (after, date, expected) in [
            ("7", None, Some(7_000)),
            (" 0.25 ", None, Some(250)),
            ("Mon, 23 Nov 2026 12:00:09 GMT", noon, Some(9_000)),
            ("Mon, 23 Nov 2026 11:00:00 GMT", noon, Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", None, Some(0)),
            ("1e19", noon, Some(2_592_000_000)),
            ("Tue, 23 Nov 2066 12:00:09 GMT", noon, Some(2_592_000_000)),
            ("soon", noon, None),
            ("-1", noon, None),
            ("inf", noon, None),
            ("NaN", noon, None),
        ] {
            assert_eq!(wait(after, date), expected.map(Duration::from_millis), "{after}");
        }
    }
}
