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

/// A call that got no answer. The error's address, in which some platforms want the token, is left out.
pub(crate) fn unanswered(error: reqwest::Error) -> Refusal {
    let never_left = error.is_connect() || error.is_builder();
    let error = error.without_url();
    let mut detail = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        detail = format!("{detail}: {inner}");
        cause = inner.source();
    }
    let refusal = Refusal::new(RefusalCode::Transient, detail);
    if never_left { refusal } else { refusal.or_done() }
}
