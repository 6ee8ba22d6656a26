//! One HTTP request for a whole answer, within bounds.

use super::fault::SpeechError;
use foldback_wire::Secret;
use reqwest::{
    Client, RequestBuilder, Response, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use std::{error::Error as _, net::IpAddr, time::Duration};

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Most bytes of a refusal that are read, and of its words that are told.
const REFUSAL: usize = 16_000;
const WORDS: usize = 300;

/// How a service is reached.
#[derive(Debug, Clone)]
pub struct Service {
    /// The API's root, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key. Without one none is sent.
    pub api_key: Option<Secret>,
}

/// A client of one service.
pub(super) struct Caller {
    backend: &'static str,
    root: Url,
    key: Option<Secret>,
    client: Client,
}

impl Caller {
    /// A client that sends the key in this header, with what stands before it there.
    pub(super) fn new(
        backend: &'static str,
        service: Service,
        header: &'static str,
        before: &str,
    ) -> Result<Self, SpeechError> {
        let root = root(&service.base_url)?;
        let mut headers = HeaderMap::new();
        if let Some(key) = &service.api_key {
            let wrong =
                |_| SpeechError::Setting("the key has a character that HTTP does not allow".to_owned());
            let mut value = HeaderValue::from_str(&format!("{before}{}", key.expose())).map_err(wrong)?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(header), value);
        }
        // rustls wants one provider for the whole process. Whoever installed one first is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("foldback/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(CONNECT)
            // A redirect would carry the words, and where careless the key, to somewhere else.
            .redirect(reqwest::redirect::Policy::none());
        if is_loopback(&root) {
            // A proxy from the environment would only be in the way.
            builder = builder.no_proxy();
        }
        if root.scheme() == "http" {
            // Certificates are not needed, and a machine without any must still reach a local service.
            builder = builder.tls_certs_only([]);
        }
        let client = builder
            .build()
            .map_err(|error| SpeechError::Setting(format!("no HTTP client: {error}")))?;
        Ok(Self {
            backend,
            root,
            key: service.api_key,
            client,
        })
    }

    /// A request to a path below the root.
    pub(super) fn post(&self, path: &[&str]) -> RequestBuilder {
        let mut url = self.root.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            // What a setting names is one part of the path, whatever signs it has.
            segments.pop_if_empty().extend(path);
        }
        self.client.post(url)
    }

    /// Sends it and reads the answer, at most `limit` bytes of it.
    pub(super) async fn answer(
        &self,
        request: RequestBuilder,
        what: &'static str,
        limit: usize,
    ) -> Result<Vec<u8>, SpeechError> {
        let response = request.send().await.map_err(|error| self.lost(error))?;
        let status = response.status();
        if !status.is_success() {
            let body = self.read(response, REFUSAL, true, what).await.unwrap_or_default();
            return Err(SpeechError::Refused {
                backend: self.backend,
                status: status.as_u16(),
                detail: self.words(&body, status.canonical_reason()),
            });
        }
        self.read(response, limit, false, what).await
    }

    /// An answer that cannot be read as one.
    pub(super) fn wrong(&self, detail: impl Into<String>) -> SpeechError {
        SpeechError::Answer {
            backend: self.backend,
            detail: detail.into(),
        }
    }

    async fn read(
        &self,
        mut response: Response,
        limit: usize,
        beginning: bool,
        what: &'static str,
    ) -> Result<Vec<u8>, SpeechError> {
        let too_large = SpeechError::TooLarge { what, limit };
        if !beginning
            && response
                .content_length()
                .is_some_and(|length| length > limit as u64)
        {
            return Err(too_large);
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.lost(error))? {
            if body.len() + piece.len() > limit {
                if beginning {
                    break;
                }
                return Err(too_large);
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    fn lost(&self, error: reqwest::Error) -> SpeechError {
        // The address is known; it would hide the cause behind it.
        let error = error.without_url();
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        let detail = causes
            .last()
            .map_or_else(|| error.to_string(), ToString::to_string);
        SpeechError::Unreachable {
            backend: self.backend,
            detail,
        }
    }

    /// A refusal's own words without our key, on one line, shortened.
    fn words(&self, body: &[u8], reason: Option<&str>) -> String {
        let json: Option<serde_json::Value> = serde_json::from_slice(body).ok();
        // OpenAI and those like it; ElevenLabs; those that only say it.
        let said = [
            "/error/message",
            "/detail/message",
            "/error",
            "/detail",
            "/message",
        ]
        .iter()
        .find_map(|path| json.as_ref()?.pointer(path)?.as_str().map(str::to_owned))
        .unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
        let said = match &self.key {
            Some(key) => key.hide_in(&said),
            None => said,
        };
        let mut line = said.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            reason.unwrap_or("no reason given").clone_into(&mut line);
        }
        if line.len() > WORDS {
            line.truncate(line.floor_char_boundary(WORDS));
            line.push('…');
        }
        line
    }
}

fn root(base_url: &str) -> Result<Url, SpeechError> {
    let refuse = |detail: &str| SpeechError::Setting(format!("base_url cannot be used: {detail}"));
    let url = Url::parse(base_url).map_err(|error| refuse(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("it is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("credentials belong into api_key"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refuse("it has a query or a fragment"));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
