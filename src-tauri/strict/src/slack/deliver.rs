//! Slack's side of the Events API: <https://docs.slack.dev/apis/events-api/using-http-request-urls>.

use super::SlackServer;
use ring::hmac;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long Slack waits for an answer: <https://docs.slack.dev/apis/events-api#responding>.
const PATIENCE: Duration = Duration::from_secs(3);

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// The status it was answered with; 0 where no answer came in time.
    pub status: u16,
    /// The words of the answer.
    pub said: String,
}

/// An event as JSON; a command as a form.
fn body_of(event: &Value) -> String {
    let fields = event.as_object().filter(|event| event.contains_key("command"));
    let Some(fields) = fields else {
        return event.to_string();
    };
    let pairs = fields
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_str()?)));
    let form = reqwest::Url::parse_with_params("http://form/", pairs);
    form.ok()
        .and_then(|form| form.query().map(str::to_owned))
        .unwrap_or_default()
}

impl SlackServer {
    /// Sends everything that is not confirmed, each once, in the order it happened; what was sent before is marked as
    /// a repetition.
    pub async fn deliver(&self, to: SocketAddr, secret: &str) -> Vec<Delivered> {
        let mut answers = Vec::new();
        for (at, attempts, event) in self.unconfirmed_events() {
            let answer = self.post(to, secret, &body_of(&event), attempts).await;
            self.note_delivery(at, (200..300).contains(&answer.status));
            answers.push(answer);
        }
        answers
    }

    /// Sends one body, signed; `attempts` is how often it was sent before.
    pub async fn post(&self, to: SocketAddr, secret: &str, body: &str, attempts: u32) -> Delivered {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let kind = if body.starts_with('{') {
            "application/json"
        } else {
            "application/x-www-form-urlencoded"
        };
        let stamp = now.as_secs().to_string();
        let mut request = self
            .sender
            .post(format!("http://{to}/slack/events"))
            .timeout(PATIENCE)
            .header("content-type", kind)
            .header("x-slack-signature", signature(secret, &stamp, body))
            .header("x-slack-request-timestamp", stamp)
            .body(body.to_owned());
        if attempts > 0 {
            request = request
                .header("x-slack-retry-num", attempts)
                .header("x-slack-retry-reason", "http_timeout");
        }
        match request.send().await {
            Err(_) => Delivered {
                status: 0,
                said: String::new(),
            },
            Ok(answer) => Delivered {
                status: answer.status().as_u16(),
                said: answer.text().await.unwrap_or_default(),
            },
        }
    }

    /// Asks whether the app is there, as Slack does when its address is set. The rule is broken unless it answers as
    /// it should.
    pub async fn challenge(&self, to: SocketAddr, secret: &str) -> Delivered {
        let body = r#"{"token":"x","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}"#;
        let answer = self.post(to, secret, body, 0).await;
        let sent: Value = serde_json::from_str(body).unwrap_or_default();
        self.check_challenge(sent["challenge"].as_str() == Some(&answer.said) && answer.status == 200);
        answer
    }
}

/// The signature of a request, version 0:
/// <https://docs.slack.dev/authentication/verifying-requests-from-slack>.
pub fn signature(secret: &str, stamp: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("v0:{stamp}:{body}").as_bytes());
    format!("v0={}", crate::hex(tag.as_ref()))
}
