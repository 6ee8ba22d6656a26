//! An event posted to an address.

use crate::{call_end::CallEnd, sign};
use foldback_wire::{Clock, Secret};
use reqwest::{Client, StatusCode, header::CONTENT_TYPE, redirect::Policy};
use std::{sync::Arc, time::Duration};

/// The header that has the signature.
const SIGNATURE: &str = "X-Foldback-Signature";
/// Waits between attempts; there is one attempt more.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// Posts events to an address.
pub(crate) struct UrlCaller {
    url: String,
    secret: Option<Secret>,
    clock: Arc<dyn Clock>,
    /// The reason for which there is none, where there is none.
    client: Result<Client, String>,
}

/// How an attempt failed.
struct Attempt {
    detail: String,
    /// Whether another may do better.
    again: bool,
}

impl UrlCaller {
    pub(crate) fn new(url: String, secret: Option<Secret>, clock: Arc<dyn Clock>) -> Self {
        Self {
            client: client(&url).map_err(|error| reason(&error)),
            url,
            secret,
            clock,
        }
    }

    /// Posts a body, at most three times.
    pub(crate) async fn post(&self, body: Vec<u8>, timeout: Duration) -> CallEnd {
        let client = match &self.client {
            Ok(client) => client,
            Err(error) => return CallEnd::failed(error.clone(), 0),
        };
        let mut attempts = 1;
        loop {
            let mut request = client
                .post(&self.url)
                .header(CONTENT_TYPE, "application/json")
                .timeout(timeout)
                .body(body.clone());
            if let Some(secret) = &self.secret {
                request = request.header(SIGNATURE, sign(secret, &body));
            }
            let attempt = match attempt(request).await {
                Ok(detail) => {
                    return CallEnd {
                        done: true,
                        detail,
                        attempts,
                    };
                }
                Err(attempt) => attempt,
            };
            let pause = PAUSES.get(attempts as usize - 1).filter(|_| attempt.again);
            let Some(pause) = pause else {
                return CallEnd::failed(attempt.detail, attempts);
            };
            self.clock
                .sleep_until_steady(self.clock.steady().plus(*pause))
                .await;
            attempts += 1;
        }
    }
}

fn client(url: &str) -> reqwest::Result<Client> {
    // rustls wants one provider for the whole process. Whoever installed one first is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("foldback/", env!("CARGO_PKG_VERSION")))
        // The body would go to somebody whom nobody configured.
        .redirect(Policy::none());
    if url.starts_with("http://") {
        // Certificates are not needed, and a machine without any must still reach its own services.
        builder = builder.tls_certs_only([]);
    }
    builder.build()
}

async fn attempt(request: reqwest::RequestBuilder) -> Result<String, Attempt> {
    // The address may have a key in it, which is no business of the journal's.
    let answer = request.send().await.map_err(|error| Attempt {
        detail: reason(&error.without_url()),
        again: true,
    })?;
    let status = answer.status();
    if status.is_success() {
        return Ok(format!("answered {status}"));
    }
    let busy = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
    Err(Attempt {
        detail: format!("answered {status}"),
        again: status.is_server_error() || busy.contains(&status),
    })
}

/// An error with what caused it, which mostly says more.
fn reason(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        said = format!("{said}: {cause}");
        source = cause.source();
    }
    said
}
