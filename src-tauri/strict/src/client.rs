//! Calls of a server to the bot that it stands before: webhooks.

use reqwest::Client;

/// A client for an address on this machine.
pub(crate) fn client() -> reqwest::Result<Client> {
    // rustls wants one provider for the whole process. Whoever installed one first is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder().no_proxy().tls_certs_only([]);
    builder.redirect(reqwest::redirect::Policy::none()).build()
}
