//! Calls of the Web API: <https://docs.slack.dev/apis/web-api>.

use super::meaning;
use crate::download::{Hosts, download};
use crate::http::{self, Service, WebSocket};
use crate::pauses::Pauses;
use crate::{LimitScope, Refusal};
use foldback_wire::{Attachment, RefusalCode, Secret};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE};
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::timeout;

/// How long a call may take; sending a large file takes longer than any other.
const PATIENCE: Duration = Duration::from_secs(30);
const FILE_PATIENCE: Duration = Duration::from_mins(15);
/// Most bytes of a message of a websocket.
const MAX_FRAME: usize = 4_000_000;

/// Calls are counted by method and workspace: <https://docs.slack.dev/apis/web-api/rate-limits>.
const SERVICE: Service = Service {
    name: "Slack",
    front_limit: LimitScope::Route,
    limit_header: |_| None,
};

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
struct Said {
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
        let answer = SERVICE.send(request).await?;
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            return Err(rate_limited(http::retry_after(&answer.headers)));
        }
        let Ok(said) = serde_json::from_slice::<Said>(&answer.body) else {
            return Err(SERVICE.wordless(answer.status, &answer.headers));
        };
        if said.ok {
            return SERVICE.read(&answer.body);
        }
        let mut refusal = meaning::of(&token.hide_in(&said.error), said.needed.as_deref());
        if refusal.code == RefusalCode::RateLimited {
            refusal.scope = LimitScope::Route;
        }
        let more = said.response_metadata.into_iter();
        for said in more.flat_map(|more| more.messages) {
            refusal.detail = format!("{}; {}", refusal.detail, token.hide_in(&said));
        }
        Err(SERVICE.complete(refusal, answer.status, &answer.headers))
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
            StatusCode::TOO_MANY_REQUESTS => Err(rate_limited(http::retry_after(response.headers()))),
            status => Err(SERVICE.wordless(status, response.headers())),
        }
    }

    /// Fetches a file that somebody shared: <https://docs.slack.dev/reference/objects/file-object>. Its address wants
    /// the bot's token, with the scope `files:read`.
    pub(super) async fn download(&self, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let id = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        let found: Shared = self
            .call("files.info", &[("file", id)])
            .await
            .map_err(Refusal::harmless)?;
        let address = found.file.url_private_download.or(found.file.url_private);
        let url = self.hosts.allow(&address.unwrap_or_default())?;
        let request = self.client.get(url).bearer_auth(self.token.expose());
        download(request, &file.media_type, limit).await
    }

    /// Opens a websocket. Its address carries a ticket, so that no error quotes it.
    pub(super) async fn dial(&self, address: &str) -> Result<WebSocket, Refusal> {
        let address = address.strip_prefix("ws").unwrap_or_default();
        let request = self.client.get(private(&format!("http{address}"))?);
        let opened = timeout(PATIENCE, http::open_websocket(request, MAX_FRAME)).await;
        let late = |_| Refusal::new(RefusalCode::Transient, "Slack opens no connection");
        let refused = |response: Response| SERVICE.wordless(response.status(), response.headers());
        opened.map_err(late)??.map_err(refused)
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

/// What Slack says with the status 429, whatever the body is.
fn rate_limited(wait: Option<Duration>) -> Refusal {
    Refusal {
        retry_after: wait,
        scope: LimitScope::Route,
        ..meaning::of("ratelimited", None)
    }
}
