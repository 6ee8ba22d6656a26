//! How a backend is reached over HTTP.

use super::history::HistoryLimits;
use foldback_wire::Secret;
use reqwest::Url;
use serde_json::{Map, Value};
use std::time::Duration;

/// Everything the agent needs to know; secrets are resolved already.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    /// The API's root, such as `https://api.openai.com/v1`; the protocol's path is added.
    pub base_url: String,
    /// The model's name, as the endpoint knows it; for Letta the agent's id.
    pub model: String,
    /// Sent in the protocol's own header; without one none is sent.
    pub api_key: Option<Secret>,
    /// More headers. Their values count as secret.
    pub headers: Vec<(String, Secret)>,
    /// What the model is told before everything else.
    pub system: Option<String>,
    /// Longest answer in tokens; the endpoint's default when absent.
    pub max_tokens: Option<u32>,
    /// Whether the model sees pictures.
    pub images: bool,
    /// More fields of the request, such as `temperature`; `null` takes a field of ours out, for endpoints that
    /// do not accept `stream_options`.
    pub extra: Map<String, Value>,
    /// Limits of time.
    pub timeouts: Timeouts,
    /// How often a request is tried again, as long as nothing of the answer has come.
    pub retries: u32,
    /// Longest answer in bytes, reasoning and tool arguments included. A longer one fails with `too_large`;
    /// what was said before stays said.
    pub max_bytes: usize,
    /// What is remembered of each session.
    pub history: HistoryLimits,
}

impl HttpConfig {
    /// The defaults for an endpoint: no key, two retries, 50 MB.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            headers: Vec::new(),
            system: None,
            max_tokens: None,
            images: false,
            extra: Map::new(),
            timeouts: Timeouts::default(),
            retries: 2,
            max_bytes: 50_000_000,
            history: HistoryLimits::default(),
        }
    }
}

impl HttpConfig {
    /// The longest answer in tokens, where it is configured.
    pub(crate) fn answer_tokens(&self) -> Option<u64> {
        let extra = self.extra.get("max_tokens").and_then(Value::as_u64);
        extra.or(self.max_tokens.map(u64::from))
    }
}

/// Limits of time. A local model may think for a minute before its first word; it does not fall silent for
/// two minutes in the middle of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection.
    pub connect: Duration,
    /// From the request to the first byte of the answer.
    pub first_byte: Duration,
    /// Between two reads, comments and pings included.
    pub silence: Duration,
    /// For the whole run, retries included.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_mins(2),
            silence: Duration::from_mins(2),
            total: Duration::from_mins(30),
        }
    }
}

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The root is no URL to speak HTTP to.
    #[error("base_url `{url}` cannot be used: {detail}")]
    BaseUrl {
        /// The URL.
        url: String,
        /// Why.
        detail: String,
    },
    /// The model has no name.
    #[error("model is empty")]
    Model,
    /// A header's name or value has characters that HTTP does not allow.
    #[error("header `{name}` has a character that HTTP does not allow")]
    Header {
        /// Its name.
        name: String,
    },
    /// A field that the agent itself writes.
    #[error("extra field `{name}` is written by Foldback itself")]
    Reserved {
        /// Its name.
        name: String,
    },
    /// The HTTP client could not be made, for example because no certificates are installed.
    #[error("no HTTP client: {0}")]
    Client(String),
}

/// The address of a path below a root. A version that ends the root and begins the path is written once: people
/// name roots with and without it.
pub(crate) fn endpoint(base_url: &str, path: &[&str]) -> Result<Url, ConfigError> {
    let refuse = |detail: &str| ConfigError::BaseUrl {
        url: base_url.to_owned(),
        detail: detail.to_owned(),
    };
    let mut url = Url::parse(base_url).map_err(|error| refuse(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("it is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Not quoted: it holds a password.
        return Err(ConfigError::BaseUrl {
            url: "…".to_owned(),
            detail: "credentials belong into api_key".to_owned(),
        });
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refuse("it has a query or a fragment"));
    }
    let root = url.path().trim_end_matches('/').to_owned();
    let twice = root.rsplit('/').next() == path.first().copied();
    url.set_path(&root);
    url.path_segments_mut()
        .map_err(|()| refuse("it cannot have a path"))?
        .pop_if_empty()
        .extend(&path[usize::from(twice)..]);
    Ok(url)
}

/// True where what is sent to this root leaves the machine unencrypted; false also for one that is no URL.
pub fn is_sent_openly(base_url: &str) -> bool {
    Url::parse(base_url).is_ok_and(|url| url.scheme() == "http" && !is_loopback(&url))
}

/// Whether the endpoint is on this machine, where a proxy from the environment would only be in the way.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_lies_below_the_root() {
        let at = |base: &str| endpoint(base, &["chat", "completions"]).expect(base).to_string();
        assert_eq!(
            at("http://127.0.0.1:8080/v1"),
            "http://127.0.0.1:8080/v1/chat/completions"
        );
        assert_eq!(
            at("https://example.org/v1//"),
            "https://example.org/v1/chat/completions"
        );
        assert_eq!(at("http://[::1]:1"), "http://[::1]:1/chat/completions");
    }

    #[test]
    fn a_version_is_written_once_and_an_id_stays_one_segment() {
        let at = |base: &str| {
            endpoint(base, &["v1", "agents", "a/../b c"])
                .expect(base)
                .to_string()
        };
        for base in [
            "http://localhost:8283",
            "http://localhost:8283/v1",
            "http://localhost:8283/v1/",
        ] {
            assert_eq!(at(base), "http://localhost:8283/v1/agents/a%2F..%2Fb%20c");
        }
    }

    #[test]
    fn a_root_that_cannot_be_used_is_named() {
        for (base, detail) in [
            ("v1", "relative"),
            ("ftp://example.org", "neither"),
            ("https://example.org/v1?x=1", "query"),
        ] {
            let error = endpoint(base, &["x"]).expect_err(base).to_string();
            assert!(error.contains(base) && error.contains(detail), "{error}");
        }
        let error = endpoint("https://user:hunter2@example.org", &["x"])
            .expect_err("credentials")
            .to_string();
        assert!(error.contains("api_key") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn loopback_is_known() {
        for (base, here) in [
            ("http://127.9.9.9/v1", true),
            ("http://localhost:1", true),
            ("http://[::1]:1", true),
            ("http://10.0.0.1", false),
            ("https://localhost.example.org", false),
        ] {
            assert_eq!(is_loopback(&endpoint(base, &["x"]).expect(base)), here, "{base}");
        }
    }
}
