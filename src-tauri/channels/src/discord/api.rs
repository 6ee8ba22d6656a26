//! Calls of the REST interface: <https://discord.com/developers/docs/reference#http-api>.

use super::refusal::{RouteLimit, SERVICE, refusal};
use crate::download::{Hosts, download};
use crate::pauses::Pauses;
use crate::{LimitScope, Refusal, http};
use foldback_wire::{Attachment, RefusalCode, Secret};
use reqwest::header::{AUTHORIZATION, USER_AGENT};
use reqwest::multipart::Form;
use reqwest::{Client, Method, RequestBuilder, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// How long a call may take; sending a large file takes longer than any other.
const PATIENCE: Duration = Duration::from_secs(30);
const FILE_PATIENCE: Duration = Duration::from_mins(5);

/// How a bot introduces itself; others are turned away at the door.
/// <https://discord.com/developers/docs/reference#user-agent>
const AGENT: &str = concat!("DiscordBot (foldback, ", env!("CARGO_PKG_VERSION"), ")");

pub(super) struct Api {
    client: Client,
    root: Url,
    token: Secret,
    hosts: Hosts,
    /// Of calls that only ask, which the pipeline does not pace.
    pauses: Pauses<Asked>,
}

/// Calls that a limit counts together: those of a route and the channel that it names, and all of the bot.
/// <https://discord.com/developers/docs/topics/rate-limits>
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Asked {
    All,
    /// The route, and its channel.
    Of(&'static str, String),
}

/// Where files are: <https://discord.com/developers/docs/reference#image-formatting>.
const FILES: &[&str] = &["cdn.discordapp.com", "media.discordapp.net", "discord.com"];

impl Api {
    pub(super) fn new(root: &str, token: Secret) -> Result<Self, Refusal> {
        let (client, hosts) = (http::client(root)?, Hosts::new(root, FILES));
        let root =
            Url::parse(root).map_err(|e| Refusal::new(RefusalCode::Rejected, format!("api_root: {e}")))?;
        Ok(Self {
            client,
            root,
            token,
            hosts,
            pauses: Pauses::default(),
        })
    }

    /// Where the interface is.
    pub(super) const fn root(&self) -> &Url {
        &self.root
    }

    /// The credential, for the gateway.
    pub(super) const fn token(&self) -> &Secret {
        &self.token
    }

    /// Asks for something.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &[&str]) -> Result<T, Refusal> {
        SERVICE.read(&self.answer(self.request(Method::GET, path)).await?.0)
    }

    /// Asks for what a turn can do without: `route` of `channel`, at this path below it. It is not called while a limit of
    /// that, or of all calls, lasts. It changes nothing, so that no refusal leaves a doubt.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        (route, channel): (&'static str, &str),
        below: &[&str],
        query: &[(&str, &str)],
    ) -> Result<T, Refusal> {
        let asked = Asked::Of(route, channel.to_owned());
        let left = self.pauses.left(&Asked::All).max(self.pauses.left(&asked));
        if let Some(left) = left {
            return Err(Refusal {
                retry_after: Some(left),
                ..Refusal::new(RefusalCode::RateLimited, format!("a limit of {route} lasts"))
            });
        }
        let path = [&["channels", channel], below].concat();
        let answer = self.answer(self.request_with(Method::GET, &path, query)).await;
        match &answer {
            Ok((_, limit)) => self.pauses.note(asked, limit.pause.map(|pause| pause.after)),
            Err(refusal) if refusal.code == RefusalCode::RateLimited => {
                self.pauses.note(asked, refusal.retry_after);
            }
            Err(_) => {}
        }
        let read = answer.and_then(|(body, _)| SERVICE.read(&body));
        read.map_err(|refusal| Refusal {
            maybe_done: false,
            by_front_end: false,
            ..refusal
        })
    }

    /// Makes something.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &[&str],
        body: &(impl Serialize + Sync),
    ) -> Result<(T, RouteLimit), Refusal> {
        let (body, limit) = self.answer(self.request(Method::POST, path).json(body)).await?;
        Ok((SERVICE.read(&body)?, limit))
    }

    /// Makes something that comes with a file.
    pub(super) async fn upload<T: DeserializeOwned>(
        &self,
        path: &[&str],
        form: Form,
    ) -> Result<(T, RouteLimit), Refusal> {
        let request = self.request(Method::POST, path).multipart(form);
        let (body, limit) = self.answer(request.timeout(FILE_PATIENCE)).await?;
        Ok((SERVICE.read(&body)?, limit))
    }

    /// Changes something.
    pub(super) async fn patch(
        &self,
        path: &[&str],
        body: &(impl Serialize + Sync),
    ) -> Result<RouteLimit, Refusal> {
        let (_, limit) = self.answer(self.request(Method::PATCH, path).json(body)).await?;
        Ok(limit)
    }

    /// Does something with these words, whose answer says nothing.
    pub(super) async fn tell(
        &self,
        method: Method,
        path: &[&str],
        body: &(impl Serialize + Sync),
    ) -> Result<(), Refusal> {
        self.answer(self.request(method, path).json(body)).await.map(drop)
    }

    /// Does what needs no words.
    pub(super) async fn just(&self, method: Method, path: &[&str]) -> Result<RouteLimit, Refusal> {
        // An empty body, so that its length is told: some proxies insist.
        let (_, limit) = self.answer(self.request(method, path).body("")).await?;
        Ok(limit)
    }

    /// Fetches a file that somebody sent. Its address is signed and good for about a day, and wants no token:
    /// <https://discord.com/developers/docs/reference#signed-attachment-cdn-urls>.
    pub(super) async fn download(&self, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let address = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        let url = self.hosts.allow(address)?;
        let request = self.client.get(url).header(USER_AGENT, AGENT);
        download(request, &file.media_type, limit).await
    }

    /// A call of the version that is spoken here; each part of the path is escaped.
    fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        self.request_with(method, path, &[])
    }

    /// The same with a query, whose values are escaped, too.
    fn request_with(&self, method: Method, path: &[&str], query: &[(&str, &str)]) -> RequestBuilder {
        let mut url = self.root.clone();
        // An address with a host, as this is one, has a path.
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().extend(["api", "v10"]).extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.client
            .request(method, url)
            .timeout(PATIENCE)
            .header(USER_AGENT, AGENT)
            .header(AUTHORIZATION, format!("Bot {}", self.token.expose()))
    }

    /// The body of an answer, and its words about limits.
    async fn answer(&self, request: RequestBuilder) -> Result<(Vec<u8>, RouteLimit), Refusal> {
        let answer = SERVICE.send(request).await?;
        if answer.status.is_success() {
            return Ok((answer.body, RouteLimit::of(&answer.headers)));
        }
        let refusal = refusal(&answer);
        if refusal.code == RefusalCode::RateLimited && refusal.scope == LimitScope::Channel {
            self.pauses.note(Asked::All, refusal.retry_after);
        }
        let detail = self.token.hide_in(&refusal.detail);
        Err(Refusal { detail, ..refusal })
    }
}
