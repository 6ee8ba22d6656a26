//! A link fetched over HTTP, from public addresses only.

use super::{LinkError, address::is_public};
use crate::page;
use reqwest::{
    Client, Response, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{ACCEPT, CONTENT_TYPE, LOCATION},
    redirect::Policy,
};
use std::{
    error::Error,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Most times that a link may lead on to another address.
const REDIRECTS: usize = 3;

/// The addresses that may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those of the public internet.
    Public,
    /// All, this machine's among them: for tests against servers on it.
    Anywhere,
}

/// Fetches links.
pub(super) struct Fetcher {
    client: Client,
    reach: Reach,
}

impl Fetcher {
    pub(super) fn new(reach: Reach) -> Result<Self, String> {
        // rustls wants one provider for the whole process. Whoever installed one first is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("foldback/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            // Each next address is judged here.
            .redirect(Policy::none())
            .no_proxy()
            .dns_resolver(Arc::new(JudgingResolver { reach }))
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { client, reach })
    }

    /// The text at an address, of at most `most` bytes.
    pub(super) async fn read(&self, link: &Url, most: usize) -> Result<String, LinkError> {
        let mut link = link.clone();
        for _ in 0..=REDIRECTS {
            let response = self.ask(&link).await?;
            let status = response.status();
            if status.is_success() {
                return text_of(response, most).await;
            }
            let next = response
                .headers()
                .get(LOCATION)
                .filter(|_| status.is_redirection());
            let next = next
                .and_then(|to| to.to_str().ok())
                .and_then(|to| link.join(to).ok());
            link = next.ok_or(LinkError::Status(status.as_u16()))?;
        }
        Err(LinkError::Redirects(REDIRECTS))
    }

    async fn ask(&self, link: &Url) -> Result<Response, LinkError> {
        // An address as such is never resolved.
        let host = link.host_str().unwrap_or_default();
        let literal = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<IpAddr>();
        if self.reach == Reach::Public
            && (!matches!(link.scheme(), "http" | "https")
                || literal.is_ok_and(|address| !is_public(address)))
        {
            return Err(LinkError::NotPublic(host.to_owned()));
        }
        let request = self
            .client
            .get(link.clone())
            .header(ACCEPT, "text/html, text/*;q=0.9, application/json;q=0.8");
        request.send().await.map_err(|error| lost(&error.without_url()))
    }
}

/// The text of an answer.
async fn text_of(mut response: Response, most: usize) -> Result<String, LinkError> {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("text/plain").to_ascii_lowercase();
    let essence = kind.split(';').next().unwrap_or_default().trim().to_owned();
    let page = page::Page::of(&essence).ok_or(LinkError::NoText(essence))?;
    let too_large = LinkError::TooLarge(most);
    if response
        .content_length()
        .is_some_and(|length| length > most as u64)
    {
        return Err(too_large);
    }
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| lost(&error.without_url()))?
    {
        if body.len() + piece.len() > most {
            return Err(too_large);
        }
        body.extend_from_slice(&piece);
    }
    // A megabyte of markup takes its time, which is not to be that of every other conversation.
    let text = tokio::task::spawn_blocking(move || page.text(&body)).await;
    text.map_err(|error| LinkError::Unreachable(error.to_string()))
}

/// The reason that lies deepest, which mostly says most.
fn lost(error: &(dyn Error + 'static)) -> LinkError {
    let mut cause = error;
    loop {
        if let Some(NotPublic(host)) = cause.downcast_ref() {
            return LinkError::NotPublic(host.clone());
        }
        match cause.source() {
            Some(next) => cause = next,
            None => return LinkError::Unreachable(cause.to_string()),
        }
    }
}

/// A name that resolves to an address that may not be reached.
#[derive(Debug, thiserror::Error)]
#[error("{0} is no address of the public internet")]
struct NotPublic(String);

/// Resolves names by the system, and answers only addresses that may be reached: the connection goes to one of them.
struct JudgingResolver {
    reach: Reach,
}

impl Resolve for JudgingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let may = |address: &SocketAddr| reach == Reach::Anywhere || is_public(address.ip());
            // One that is not public among others is a trap, or a mistake of whoever keeps the name.
            if !found.iter().all(may) {
                return Err(NotPublic(name.as_str().to_owned()).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}
