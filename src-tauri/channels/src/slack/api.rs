//! Calls of the Web API: <https://docs.slack.dev/apis/web-api>.

use super::meaning;
use crate::download::{Hosts, download};
use crate::pauses::Pauses;
use crate::{LimitScope, Refusal, http};
use foldback_wire::{Attachment, RefusalCode, Secret};
use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION,
    UPGRADE,
};
use reqwest::{Client, Response, StatusCode, Upgraded, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// How long a call may take; sending a large file takes longer than any other.
const PATIENCE: Duration = Duration::from_secs(30);
const FILE_PATIENCE: Duration = Duration::from_mins(15);
/// Most bytes of a message of a websocket.
const MAX_FRAME: usize = 4_000_000;

/// An open websocket.
pub(super) type Link = WebSocketStream<Upgraded>;

pub(super) struct Api {
    client: Client,
    root: String,
    token: Secret,
    hosts: Hosts,
    /// Of the methods beside those that name a route, which Slack counts apart:
    /// <https://docs.slack.dev/apis/web-api/rate-limits>.
    limits: Pauses<&'static str>,
}

/// Where files are: <https://docs.slack.dev/reference/objects/file-object>.
const FILES: &[&str] = &["files.slack.com", "slack.com", "files.slack-gov.com"];

/// <https://docs.slack.dev/reference/methods/files.info>
#[derive(Debug, Deserialize)]
struct Shared {
    file: File,
}

#[derive(Debug, Deserialize)]
struct File {
    url_private: Option<String>,
    url_private_download: Option<String>,
}

/// What every call is answered with, next to its result:
/// <https://docs.slack.dev/apis/web-api/#responses>.
#[derive(Debug, Deserialize)]
struct Answer {
    ok: bool,
    #[serde(default)]
    error: String,
    needed: Option<String>,
    response_metadata: Option<Metadata>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    #[serde(default)]
    messages: Vec<String>,
}

impl Api {
    pub(super) fn new(root: &str, token: Secret) -> Result<Self, Refusal> {
        Ok(Self {
            client: http::client(root)?,
            root: root.trim_end_matches('/').to_owned(),
            token,
            hosts: Hosts::new(root, FILES),
            limits: Pauses::default(),
        })
    }

    /// Calls a method as the bot. Parameters go as a form, which every method takes.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        parameters: &[(&str, &str)],
    ) -> Result<T, Refusal> {
        self.call_as(&self.token, method, parameters).await
    }

    /// Calls a method that an operation needs beside the one of its route. Where it is limited, only what needs it waits,
    /// in its chat, and it is not called before the limit is over.
    pub(super) async fn call_beside<T: DeserializeOwned>(
        &self,
        method: &'static str,
        parameters: &[(&str, &str)],
    ) -> Result<T, Refusal> {
        let in_chat = |refusal| Refusal {
            scope: LimitScope::RouteInChat,
            ..refusal
        };
        if let Some(left) = self.limits.left(&method) {
            return Err(in_chat(rate_limited(Some(left))));
        }
        match self.call(method, parameters).await {
            Err(refusal) if refusal.code == RefusalCode::RateLimited => {
                self.limits.note(method, refusal.retry_after);
                Err(in_chat(refusal))
            }
            answer => answer,
        }
    }

    /// Calls a method with another token.
    pub(super) async fn call_as<T: DeserializeOwned>(
        &self,
        token: &Secret,
        method: &str,
        parameters: &[(&str, &str)],
    ) -> Result<T, Refusal> {
        let request = self
            .client
            .post(format!("{}/{method}", self.root))
            .bearer_auth(token.expose())
            .form(parameters)
            .timeout(PATIENCE);
        let response = request.send().await.map_err(http::unanswered)?;
        let (status, wait) = (response.status(), http::retry_after(response.headers()));
        let body = http::read_body(response).await?;
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(rate_limited(wait));
        }
        let Ok(answer) = serde_json::from_slice::<Answer>(&body) else {
            return Err(unreadable(status, wait));
        };
        if !answer.ok {
            let needed = answer.needed.as_deref();
            let mut refusal = meaning::of(&token.hide_in(&answer.error), needed);
            if refusal.code == RefusalCode::RateLimited {
                refusal.retry_after = wait;
                refusal.scope = LimitScope::Route;
            }
            for said in answer
                .response_metadata
                .into_iter()
                .flat_map(|more| more.messages)
            {
                refusal.detail = format!("{}; {}", refusal.detail, token.hide_in(&said));
            }
            if status.is_server_error() {
                // It may have failed after it did what was asked.
                refusal.maybe_done = true;
                refusal.retry_after = refusal.retry_after.or(wait);
            }
            return Err(refusal);
        }
        serde_json::from_slice(&body).map_err(|e| {
            let what = format!("Slack answered something else: {e}");
            Refusal::new(RefusalCode::Rejected, what).or_done()
        })
    }

    /// Sends a file's bytes to where Slack told to send them. The address is a credential of its own, so that no
    /// token goes there: <https://docs.slack.dev/messaging/working-with-files#uploading_files>.
    pub(super) async fn upload(&self, address: &str, file: std::fs::File, size: u64) -> Result<(), Refusal> {
        let body = reqwest::Body::from(tokio::fs::File::from_std(file));
        let request = self
            .client
            .post(private(address)?)
            .header(CONTENT_TYPE, "application/octet-stream")
            .header(CONTENT_LENGTH, size)
            .body(body)
            .timeout(FILE_PATIENCE);
        let response = request.send().await.map_err(http::unanswered)?;
        match response.status() {
            status if status.is_success() => Ok(()),
            StatusCode::PAYLOAD_TOO_LARGE => Err(Refusal::new(
                RefusalCode::TooLong,
                "the file is too large for Slack",
            )),
            StatusCode::TOO_MANY_REQUESTS => Err(rate_limited(http::retry_after(response.headers()))),
            status => Err(unreadable(status, http::retry_after(response.headers()))),
        }
    }

    /// Fetches a file that somebody shared: <https://docs.slack.dev/reference/objects/file-object>. Its address wants
    /// the bot's token, with the scope `files:read`.
    pub(super) async fn download(&self, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let id = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        let found: Shared = self.call("files.info", &[("file", id)]).await.map_err(harmless)?;
        let address = found.file.url_private_download.or(found.file.url_private);
        let url = self.hosts.allow(&address.unwrap_or_default())?;
        let request = self.client.get(url).bearer_auth(self.token.expose());
        download(request, &file.media_type, limit).await
    }

    /// Opens a websocket. Its address carries a ticket, so that no error quotes it.
    pub(super) async fn dial(&self, address: &str) -> Result<Link, Refusal> {
        let address = address.strip_prefix("ws").unwrap_or_default();
        let key = generate_key();
        let request = self
            .client
            .get(private(&format!("http{address}"))?)
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key);
        let opened = async {
            let response = request.send().await.map_err(http::unanswered)?;
            if !accepts(&response, &key) {
                return Err(unreadable(
                    response.status(),
                    http::retry_after(response.headers()),
                ));
            }
            response.upgrade().await.map_err(http::unanswered)
        };
        let late = |_| Refusal::new(RefusalCode::Transient, "Slack opens no connection");
        let upgraded = timeout(PATIENCE, opened).await.map_err(late)??;
        let limits = WebSocketConfig::default()
            .max_message_size(Some(MAX_FRAME))
            .max_frame_size(Some(MAX_FRAME));
        Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(limits)).await)
    }
}

/// A refusal of a call that only asks, and so changes nothing.
pub(super) fn harmless(refusal: Refusal) -> Refusal {
    Refusal {
        maybe_done: false,
        by_front_end: false,
        ..refusal
    }
}

/// An address that Slack gave, where something secret may be sent.
fn private(address: &str) -> Result<Url, Refusal> {
    let url = Url::parse(address).ok().filter(http::is_private);
    url.ok_or_else(|| {
        Refusal::new(
            RefusalCode::Rejected,
            "Slack named an address without encryption; nothing is sent there",
        )
    })
}

fn accepts(response: &Response, key: &str) -> bool {
    let accept = response.headers().get(SEC_WEBSOCKET_ACCEPT);
    response.status() == StatusCode::SWITCHING_PROTOCOLS
        && accept.is_some_and(|accept| accept.as_bytes() == derive_accept_key(key.as_bytes()).as_bytes())
}

/// Calls are counted by method and workspace: <https://docs.slack.dev/apis/web-api/rate-limits>.
fn rate_limited(wait: Option<Duration>) -> Refusal {
    Refusal {
        retry_after: wait,
        scope: LimitScope::Route,
        ..meaning::of("ratelimited", None)
    }
}

fn unreadable(status: StatusCode, wait: Option<Duration>) -> Refusal {
    let what = format!("Slack answered {status} without a word");
    let refusal = Refusal::new(RefusalCode::Transient, what);
    if status.is_client_error() {
        refusal
    } else {
        http::wordless(refusal, status, wait)
    }
}
