//! Questions over HTTP.

use super::check::Answer;
use reqwest::{
    Client, Method, Url,
    header::{CONTENT_TYPE, HeaderMap},
    redirect::Policy,
};
use serde_json::Value;
use std::{
    net::IpAddr,
    sync::{Arc, OnceLock},
};

/// Bytes that are read of an answer; a longer one is cut there.
const ANSWER_BYTES: usize = 1 << 20;

/// Clients for this machine and for others. They are made with the first question: that reads certificates.
#[derive(Clone, Default)]
pub(super) struct Http(Arc<Clients>);

#[derive(Default)]
struct Clients {
    here: OnceLock<Result<Client, String>>,
    elsewhere: OnceLock<Result<Client, String>>,
}

/// A server's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// Its beginning, at most a megabyte.
    pub(super) body: String,
}

/// A question that has no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoReply {
    /// Nobody answers at the address, or the answer breaks off, for this reason.
    Unreachable(String),
    /// It was not sent, because of what is found here.
    NotSent(Answer),
}

/// The finding about an address. One about something else that was to be asked there has words of its own.
impl From<NoReply> for Answer {
    fn from(none: NoReply) -> Self {
        match none {
            NoReply::Unreachable(why) => Self::wrong(
                format!("cannot be reached: {why}"),
                "start the server, or mend the address",
            ),
            NoReply::NotSent(answer) => answer,
        }
    }
}

impl Reply {
    /// True where the server refuses the key, or wants one: Google says so with 400 and in words.
    pub(super) fn refuses_key(&self) -> bool {
        matches!(self.status, 401 | 403) || self.status == 400 && foldback_agents::names_bad_key(&self.body)
    }

    /// The body as JSON; `None` where it is none.
    pub(super) fn json(&self) -> Option<Value> {
        serde_json::from_str(&self.body).ok()
    }
}

impl Http {
    /// Asks with GET and reads the answer.
    pub(super) async fn get(&self, url: &str, headers: &[(&str, &str)]) -> Result<Reply, NoReply> {
        self.ask(Method::GET, url, headers, None).await
    }

    /// Sends an empty object with POST and reads the answer. For calls that change nothing.
    pub(super) async fn post_nothing(&self, url: &str, headers: &[(&str, &str)]) -> Result<Reply, NoReply> {
        let body = ("application/json", "{}".to_owned());
        self.ask(Method::POST, url, headers, Some(body)).await
    }

    /// Sends a form with POST and reads the answer. For calls that change nothing.
    pub(super) async fn post_form(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        form: &[(&str, &str)],
    ) -> Result<Reply, NoReply> {
        let coded = Url::parse_with_params("http://localhost/", form).ok();
        let coded = coded
            .and_then(|url| url.query().map(str::to_owned))
            .unwrap_or_default();
        let body = ("application/x-www-form-urlencoded", coded);
        self.ask(Method::POST, url, headers, Some(body)).await
    }

    /// Redirects are not followed: they would carry the key elsewhere.
    async fn ask(
        &self,
        method: Method,
        url: &str,
        headers: &[(&str, &str)],
        body: Option<(&'static str, String)>,
    ) -> Result<Reply, NoReply> {
        let at = Url::parse(url)
            .ok()
            .filter(|at| matches!(at.scheme(), "http" | "https"))
            .ok_or_else(|| {
                let found = format!("{url} is no http or https address");
                NoReply::NotSent(Answer::wrong(found, "mend the address"))
            })?;
        let client = self.client(is_here(&at)).map_err(|error| {
            let found = format!("no HTTP client: {error}");
            NoReply::NotSent(Answer::unasked(found, "install the certificates"))
        })?;
        let headers = header_map(headers).map_err(|name| {
            let found = format!("the value of the header {name} has a character that HTTP does not allow");
            NoReply::NotSent(Answer::wrong(
                found,
                "look for a line break or a space in the secret",
            ))
        })?;
        let request = client.request(method, at).headers(headers);
        let request = match body {
            Some((kind, body)) => request.header(CONTENT_TYPE, kind).body(body),
            None => request,
        };
        let unreachable = |error: reqwest::Error| NoReply::Unreachable(causes(&error.without_url()));
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await.map_err(unreachable)? {
            body.extend_from_slice(&bytes);
            if body.len() >= ANSWER_BYTES {
                body.truncate(ANSWER_BYTES);
                break;
            }
        }
        Ok(Reply {
            status,
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    fn client(&self, here: bool) -> Result<Client, String> {
        let made = if here { &self.0.here } else { &self.0.elsewhere };
        made.get_or_init(|| {
            // rustls wants one provider for the whole process. Whoever installed one first is fine.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let builder = Client::builder()
                .user_agent(concat!("foldback/", env!("CARGO_PKG_VERSION")))
                .redirect(Policy::none());
            // A proxy is only in the way of this machine.
            let builder = if here { builder.no_proxy() } else { builder };
            builder.build().map_err(|error| error.to_string())
        })
        .clone()
    }
}

/// An error with its causes: the first says only that the request failed.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

fn header_map(headers: &[(&str, &str)]) -> Result<HeaderMap, String> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let parsed = name
            .parse::<reqwest::header::HeaderName>()
            .ok()
            .zip(value.parse().ok());
        let (key, value) = parsed.ok_or_else(|| (*name).to_owned())?;
        map.insert(key, value);
    }
    Ok(map)
}

/// An address that a secret can be sent to: encrypted, or on this machine.
pub(super) fn is_private(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.scheme() == "https" || is_here(&url))
}

fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
