//! The Events API: <https://docs.slack.dev/apis/events-api/using-http-request-urls>.

use super::Slack;
use super::intake::{Intake, due};
use crate::listener::connections::Peer;
use crate::webhook::{Answer, Listener, is_signed, say};
use crate::{Refusal, Unreadable};
use foldback_wire::{ChannelState, Secret};
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper::{HeaderMap, Method, Request, StatusCode};
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;
use std::convert::Infallible;
use std::net::SocketAddr;

/// How old a request may be, in seconds; an older one could be somebody's who listened in, sent once more.
/// <https://docs.slack.dev/authentication/verifying-requests-from-slack>
const WINDOW: u64 = 300;

#[derive(Debug, Deserialize)]
struct Delivery {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    challenge: String,
    #[serde(default)]
    event: Value,
}

/// True for a slash command, which comes as a form.
fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"))
}

/// The fields of a form.
fn fields(body: &[u8]) -> Value {
    // The rules of a query are those of a form.
    let address = format!("http://form/?{}", String::from_utf8_lossy(body));
    let pairs = Url::parse(&address).map(|form| {
        let pairs = form.query_pairs();
        pairs
            .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
            .collect()
    });
    Value::Object(pairs.unwrap_or_default())
}

impl Slack {
    /// Receives until the port is lost.
    pub(super) async fn webhooks(
        &self,
        intake: &Intake<'_>,
        listen: SocketAddr,
        secret: &Secret,
    ) -> Result<Infallible, Refusal> {
        let listener = Listener::bind(listen).await?;
        let address = listener.address()?;
        intake.connection.confirm();
        let (bot, workspace) = (&intake.bot.name, &intake.bot.workspace);
        let why = format!("connected as @{bot} in {workspace}; events arrive at {address}");
        intake.connection.report(ChannelState::Up, &why).await;
        Err(listener
            .serve(|request, peer| self.delivered(request, peer, intake, secret))
            .await)
    }

    async fn delivered(
        &self,
        request: Request<Bytes>,
        peer: Peer,
        intake: &Intake<'_>,
        secret: &Secret,
    ) -> Answer {
        if request.method() == Method::GET {
            return say(StatusCode::OK, "Slack's events arrive here.");
        }
        if let Err(why) = self.verify(request.headers(), request.body(), secret) {
            tracing::warn!(channel = %self.channel, "a request was refused: {why}");
            return say(StatusCode::UNAUTHORIZED, why);
        }
        peer.trust();
        let form = is_form(request.headers()).then(|| fields(request.body()));
        if let Some(form) = form.filter(|form| form["command"].is_string()) {
            let due = due();
            let kept = match intake.command(&form).await {
                Some(message) => intake.keep(message, due).await,
                None => true,
            };
            return if kept {
                say(StatusCode::OK, "")
            } else {
                // Slack tells whoever used it that it failed.
                say(StatusCode::SERVICE_UNAVAILABLE, "not stored in time")
            };
        }
        let delivery: Delivery = match serde_json::from_slice(request.body()) {
            Ok(delivery) => delivery,
            Err(error) => {
                let unreadable = Unreadable::new("request", &error, request.body());
                unreadable.report(intake.connection.sink()).await;
                return say(StatusCode::BAD_REQUEST, "the body is no event");
            }
        };
        if delivery.kind == "url_verification" {
            return say(StatusCode::OK, delivery.challenge);
        }
        if delivery.kind == "app_rate_limited" {
            // <https://docs.slack.dev/apis/events-api#rate-limiting>
            tracing::warn!(channel = %self.channel, "Slack withholds events: there are more than 30,000 in an hour");
        }
        let due = due();
        let message = match delivery.kind.as_str() {
            "event_callback" => intake.message(&delivery.event).await,
            _ => None,
        };
        let kept = match message {
            Some(message) => intake.keep(message, due).await,
            None => true,
        };
        if kept {
            say(StatusCode::OK, "")
        } else {
            // Slack sends it again.
            say(StatusCode::SERVICE_UNAVAILABLE, "not stored in time")
        }
    }

    /// <https://docs.slack.dev/authentication/verifying-requests-from-slack>
    fn verify(&self, headers: &HeaderMap, body: &[u8], secret: &Secret) -> Result<(), &'static str> {
        let header = |name: &str| headers.get(name)?.to_str().ok();
        let (Some(stamp), Some(signature)) =
            (header("x-slack-request-timestamp"), header("x-slack-signature"))
        else {
            return Err("it is not signed");
        };
        let sent: i64 = stamp.parse().map_err(|_| "its time stamp is none")?;
        if sent.abs_diff(self.clock.now().0.div_euclid(1_000)) > WINDOW {
            return Err("it is older than five minutes, or this machine's clock is wrong");
        }
        let signed = [b"v0:", stamp.as_bytes(), b":", body].concat();
        let signature = signature.strip_prefix("v0=").unwrap_or_default();
        if is_signed(secret, &signed, signature) {
            Ok(())
        } else {
            Err("its signature is wrong; should it be Slack's, correct signing_secret")
        }
    }
}
