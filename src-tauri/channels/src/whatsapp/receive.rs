//! Webhooks: <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/create-webhook-endpoint>.
//! One is confirmed with 200 only once its messages, and what it says of ours, are durable here; until then Meta sends it
//! again, for seven days
//! (<https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview>).

use super::WhatsApp;
use super::notification::News;
use crate::listener::connections::Peer;
use crate::webhook::{Answer, Listener, is_signed, say};
use crate::{Arrival, Connection, Refusal, Signal, SignalSink, Unreadable};
use foldback_wire::ChannelState;
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode};
use reqwest::Url;
use ring::hmac;
use tokio::sync::oneshot;

impl WhatsApp {
    /// Answers webhooks until something goes wrong.
    pub(super) async fn receive(&self, connection: &Connection) -> Refusal {
        let opened = async {
            let listener = Listener::bind(self.number.listen).await?;
            let address = listener.address()?;
            let profile = self.api.profile().await?;
            let why = format!(
                "connected as {} {}, webhooks arrive at {address}",
                profile.display_phone_number, profile.verified_name
            );
            Ok((listener, why.replace(" ,", ",")))
        };
        match opened.await {
            Ok((listener, why)) => {
                connection.confirm();
                connection.report(ChannelState::Up, &why).await;
                listener
                    .serve(|request, peer| self.answer(request, peer, connection))
                    .await
            }
            Err(refusal) => refusal,
        }
    }

    async fn answer(&self, request: Request<Bytes>, peer: Peer, connection: &Connection) -> Answer {
        if request.method() == Method::GET {
            return self.shake_hands(request.uri().query().unwrap_or_default());
        }
        let signature = request.headers().get("x-hub-signature-256");
        let signature = signature.and_then(|value| value.to_str().ok()?.strip_prefix("sha256="));
        let body = request.body();
        let is_ours = signature.is_some_and(|signature| is_signed(&self.number.app_secret, body, signature));
        self.judge_secret(is_ours, connection).await;
        if !is_ours {
            tracing::warn!(channel = %self.channel, "a webhook with a wrong signature was refused");
            return say(StatusCode::UNAUTHORIZED, "the signature is wrong");
        }
        peer.trust();
        match News::read(body, &self.number.id, &self.channel, self.clock.now()) {
            Ok(news) => self.take(news, connection.sink()).await,
            Err(error) => {
                let unreadable = Unreadable::new("webhook", &error, body);
                unreadable.report(connection.sink()).await;
                say(StatusCode::BAD_REQUEST, "this is no notification")
            }
        }
    }

    /// Says that the secret may be wrong when nothing that came so far was signed with it. Once something was, what
    /// is signed otherwise comes from strangers, and says nothing about the channel.
    async fn judge_secret(&self, is_ours: bool, connection: &Connection) {
        let before = self.memory().judge_secret(is_ours);
        match (before, is_ours) {
            (None, false) => {
                let why = "a webhook is not signed with signing_secret: is it the secret of this app?";
                connection.report(ChannelState::Degraded, why).await;
            }
            (Some(false), true) => {
                let why = "webhooks are signed with signing_secret";
                connection.report(ChannelState::Up, why).await;
            }
            _ => {}
        }
    }

    /// Meta asks whether the address is ours when it is registered.
    fn shake_hands(&self, query: &str) -> Answer {
        let Ok(asked) = Url::parse(&format!("http://localhost/?{query}")) else {
            return say(StatusCode::BAD_REQUEST, "this is no query");
        };
        let named = |wanted: &str| asked.query_pairs().find(|(name, _)| name == wanted);
        let (mode, token) = (named("hub.mode"), named("hub.verify_token"));
        let is_ours = mode.is_some_and(|(_, mode)| mode == "subscribe")
            && token.is_some_and(|(_, token)| self.is_verify_token(&token));
        match named("hub.challenge") {
            Some((_, challenge)) if is_ours => say(StatusCode::OK, challenge.into_owned()),
            _ => {
                tracing::warn!(channel = %self.channel, "somebody asked for the webhook with another verify token");
                say(StatusCode::FORBIDDEN, "the verify token is another one")
            }
        }
    }

    /// Takes the same time wherever a wrong one differs.
    fn is_verify_token(&self, given: &str) -> bool {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.number.app_secret.expose().as_bytes());
        let ours = hmac::sign(&key, self.number.verify_token.expose().as_bytes());
        hmac::verify(&key, given.as_bytes(), ours.as_ref()).is_ok()
    }

    /// Hands news over, and waits until they are durable.
    async fn take(&self, news: News, sink: &SignalSink) -> Answer {
        let again = || say(StatusCode::SERVICE_UNAVAILABLE, "not kept, send it again");
        let mut waiting = Vec::new();
        news.unread.report(sink).await;
        for message in news.messages {
            self.memory().came(&message.chat, message.at, &message.message);
            let (arrival, kept) = Arrival::until_kept(message);
            // A closed sink ends the run.
            if sink.send(Signal::Message(Box::new(arrival))).await.is_err() {
                return again();
            }
            waiting.push(kept);
        }
        let mut losing = Vec::new();
        for (message, mut refusal) in news.lost {
            let Ok(place) = sink.reserve().await else {
                return again();
            };
            let memory = self.memory();
            if memory.is_lost(&message) {
                continue;
            }
            if let Some(part) = memory.part(&message) {
                refusal.detail = format!("{part}: {}", refusal.detail);
            }
            let (kept, told) = oneshot::channel();
            let kept = Some(kept);
            losing.push((message.clone(), told));
            place.send(Signal::Undelivered {
                message,
                refusal,
                kept,
            });
        }
        for (message, receipt, when) in news.receipts {
            let (kept, told) = oneshot::channel();
            let receipt = Signal::Receipt {
                message,
                receipt,
                when,
                kept: Some(kept),
            };
            if sink.send(receipt).await.is_err() {
                return again();
            }
            waiting.push(told);
        }
        for kept in waiting {
            if kept.await.is_err() {
                return again();
            }
        }
        for (message, kept) in losing {
            if kept.await.is_err() {
                return again();
            }
            self.memory().lost(&message);
        }
        say(StatusCode::OK, "")
    }
}
