//! Meta's side of the webhooks:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview>.

use super::rules::{ANSWER, HANDSHAKE};
use super::server::Inner;
use crate::client::client;
use reqwest::{Client, Url};
use ring::hmac;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Between two attempts; Meta's grow, and end after seven days.
const PAUSE: Duration = Duration::from_millis(20);
/// What the endpoint may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The signature of a body, as the header `X-Hub-Signature-256` carries it.
pub fn sign(app_secret: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, app_secret.as_bytes());
    format!("sha256={}", crate::hex(hmac::sign(&key, body).as_ref()))
}

/// The body of a webhook with these values of changes.
pub(super) fn notification(changes: Vec<Value>) -> Value {
    let changes: Vec<_> = changes
        .into_iter()
        .map(|value| json!({"value": value, "field": "messages"}))
        .collect();
    json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": "102290129340398", "changes": changes}],
    })
}

/// Registers an endpoint as Meta does: with the word it must know, and with another one.
pub(super) async fn register(inner: &Inner, callback: &str, verify_token: &str) -> Result<(), String> {
    let client = client().map_err(|error| error.to_string())?;
    for (token, is_right) in [(verify_token, true), ("not-the-word", false)] {
        let mut address = Url::parse(callback).map_err(|e| e.to_string())?;
        address
            .query_pairs_mut()
            .append_pair("hub.mode", "subscribe")
            .append_pair("hub.challenge", "1158201444")
            .append_pair("hub.verify_token", token);
        let asked = client.get(address).timeout(PATIENCE);
        let answer = asked.send().await.map_err(|e| e.to_string())?;
        let status = answer.status();
        let said = answer.text().await.map_err(|e| e.to_string())?;
        let confirmed = status == 200 && said == "1158201444";
        if confirmed != is_right {
            inner.state().broken.note(HANDSHAKE);
            return Err(format!(
                "the endpoint answered {status} to the verify token {token}"
            ));
        }
    }
    Ok(())
}

/// Sends what there is to the endpoint, each webhook until it is confirmed.
pub(super) async fn deliver(inner: Arc<Inner>, callback: String) {
    let Ok(client) = client() else {
        return;
    };
    loop {
        let news = inner.news.notified();
        let (batch, repeats) = {
            let state = inner.state();
            (state.queue.next(), state.repeats)
        };
        if batch.is_empty() {
            news.await;
            continue;
        }
        let number = batch.len();
        let body = notification(batch).to_string();
        let mut confirmed = false;
        for _ in 0..=repeats {
            confirmed = post(&client, &inner, &callback, body.clone()).await;
        }
        if confirmed {
            inner.state().queue.confirm(number);
        } else {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn post(client: &Client, inner: &Inner, callback: &str, body: String) -> bool {
    let signature = sign(&inner.state().credentials.app_secret, body.as_bytes());
    let sent = client
        .post(callback)
        .header("content-type", "application/json")
        .header("x-hub-signature-256", signature)
        .timeout(PATIENCE)
        .body(body)
        .send();
    let status = sent.await.ok().map(|answer| answer.status().as_u16());
    let mut state = inner.state();
    state.posts += 1;
    // An endpoint that is not there breaks no rule; one that answers something else does.
    if !matches!(status, None | Some(200 | 503)) {
        state.broken.note(ANSWER);
    }
    status == Some(200)
}
