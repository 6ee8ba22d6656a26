//! The client of one backend.

use super::config::{ConfigError, HttpConfig, is_loopback};
use foldback_wire::Secret;
use reqwest::{
    Client, Url,
    header::{ACCEPT, HeaderMap, HeaderName, HeaderValue},
};

/// A client that sends the protocol's headers and the configured ones with every request.
pub(crate) fn client(
    config: &HttpConfig,
    endpoint: &Url,
    own: Vec<(&'static str, String)>,
) -> Result<Client, ConfigError> {
    // rustls wants one provider for the whole process. Whoever installed one first is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("foldback/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers(own, &config.headers)?)
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

fn headers(own: Vec<(&'static str, String)>, more: &[(String, Secret)]) -> Result<HeaderMap, ConfigError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
    let more = more
        .iter()
        .map(|(name, value)| (name.clone(), value.expose().to_owned()));
    for (name, value) in own.chain(more) {
        let refuse = || ConfigError::Header { name: name.clone() };
        let mut value = HeaderValue::from_str(&value).map_err(|_| refuse())?;
        value.set_sensitive(true);
        headers.insert(name.parse::<HeaderName>().map_err(|_| refuse())?, value);
    }
    Ok(headers)
}
