//! What every adapter over HTTP has in common.

use crate::Refusal;
use foldback_wire::RefusalCode;
use reqwest::{Client, Url};
use std::net::IpAddr;
use std::time::Duration;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Connections to a platform that are kept for the next call. A channel calls one operation of a conversation at a time;
/// more at once come in bursts, which need none later.
const KEPT: usize = 4;

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
    let never_left = error.is_connect() || error.is_builder();
    let what = if never_left {
        "cannot reach"
    } else if error.is_timeout() {
        "no answer in time from"
    } else {
        "the connection broke to"
    };
    let detail = format!("{what} {place}: {}", cause(&error.without_url()));
    let refusal = Refusal::new(RefusalCode::Transient, detail);
    if never_left { refusal } else { refusal.or_done() }
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

    #[tokio::test]
    async fn who_cannot_be_reached_is_named_without_the_token() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let root = format!("http://{}", socket.local_addr().unwrap());
        drop(socket);
        let call = client(&root).unwrap().post(format!("{root}/bot123:SECRET/getMe"));
        let refusal = unanswered(call.send().await.unwrap_err());
        assert_eq!(refusal.detail, format!("cannot reach {root}: connection refused"));
        assert!(!refusal.maybe_done);
    }
}
