//! The agent: its client, its memory, and the trait.

use super::{
    config::{ConfigError, OpenAiConfig, endpoint, is_loopback},
    request,
    turn::Turn,
};
use crate::{
    Agent, StepSink, TurnRequest,
    emitter::Emitter,
    history::{Exchange, History},
};
use async_trait::async_trait;
use foldback_wire::{Clock, Rng, SessionId};
use reqwest::{
    Client, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Longest explanation of a failure, in bytes.
const DETAIL_BYTES: usize = 500;

/// Asks an OpenAI-compatible chat-completions endpoint and streams its answer.
///
/// It remembers each session's conversation itself, because such an endpoint does not.
pub struct OpenAiAgent {
    pub(crate) config: OpenAiConfig,
    pub(crate) endpoint: Url,
    pub(crate) client: Client,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) rng: Arc<dyn Rng>,
    history: Mutex<History>,
}

impl OpenAiAgent {
    /// Prepares the client; nothing is sent before the first turn.
    pub fn new(config: OpenAiConfig, clock: Arc<dyn Clock>, rng: Arc<dyn Rng>) -> Result<Self, ConfigError> {
        if config.model.trim().is_empty() {
            return Err(ConfigError::Model);
        }
        request::check_extra(&config.extra)?;
        let endpoint = endpoint(&config.base_url)?;
        Ok(Self {
            client: client(&config, &endpoint)?,
            endpoint,
            history: Mutex::new(History::new(config.history)),
            config,
            clock,
            rng,
        })
    }

    /// A backend's words without our secrets, on one line, shortened.
    pub(crate) fn without_secrets(&self, words: &str) -> String {
        let headers = self.config.headers.iter().map(|(_, value)| value);
        let secrets = self.config.api_key.iter().chain(headers);
        let words = secrets.fold(words.to_owned(), |words, secret| secret.hide_in(&words));
        let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.len() > DETAIL_BYTES {
            line.truncate(line.floor_char_boundary(DETAIL_BYTES));
            line.push('…');
        }
        line
    }

    fn history(&self) -> MutexGuard<'_, History> {
        // Plain data, whole after every change: a panic elsewhere spoils nothing.
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn client(config: &OpenAiConfig, endpoint: &Url) -> Result<Client, ConfigError> {
    // rustls wants one provider for the whole process. Whoever installed one first is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("foldback/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers(config)?)
        .connect_timeout(config.timeouts.connect)
        // A redirect would carry the prompt, and where careless the key, to somewhere else.
        .redirect(reqwest::redirect::Policy::none());
    if is_loopback(endpoint) {
        builder = builder.no_proxy();
    }
    if endpoint.scheme() == "http" {
        // Certificates are not needed, and a machine without any must still reach a local model.
        builder = builder.tls_certs_only([]);
    }
    builder
        .build()
        .map_err(|error| ConfigError::Client(error.to_string()))
}

fn headers(config: &OpenAiConfig) -> Result<HeaderMap, ConfigError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let mut insert = |name: &str, value: &str| {
        let refuse = || ConfigError::Header {
            name: name.to_owned(),
        };
        let mut value = HeaderValue::from_str(value).map_err(|_| refuse())?;
        value.set_sensitive(true);
        headers.insert(name.parse::<HeaderName>().map_err(|_| refuse())?, value);
        Ok(())
    };
    if let Some(key) = &config.api_key {
        insert(AUTHORIZATION.as_str(), &format!("Bearer {}", key.expose()))?;
    }
    for (name, value) in &config.headers {
        insert(name, value.expose())?;
    }
    Ok(headers)
}

#[async_trait]
impl Agent for OpenAiAgent {
    #[expect(clippy::unnecessary_literal_bound, reason = "the trait's signature")]
    fn backend(&self) -> &str {
        "openai"
    }

    fn model(&self) -> Option<&str> {
        Some(&self.config.model)
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let TurnRequest {
            run, session, prompt, ..
        } = request;
        let body = request::body(&self.config, &self.history().of(&session), &prompt);
        let out = Emitter::new(run, sink, cancel);
        let mut turn = Turn::new(self, &out);
        let ended = turn.run(&body).await;
        let reply = turn.into_reply();
        // A turn without a word leaves no trace: asked again, it is asked the same.
        if !reply.is_empty() {
            self.history().remember(&session, Exchange { prompt, reply });
        }
        out.conclude(ended).await;
    }

    fn forget(&self, session: &SessionId) {
        self.history().forget(session);
    }
}
