//! Receiving, whichever way the app is set up.

use super::event::Bot;
use super::intake::Intake;
use super::{Slack, SlackEvents};
use crate::backoff::Backoff;
use crate::loopback::report;
use crate::{Refusal, SignalSink};
use foldback_wire::{ChannelState, RefusalCode};
use std::convert::Infallible;

impl Slack {
    /// Receives until a token turns out to be refused.
    pub(super) async fn receive(&self, sink: &SignalSink) -> Refusal {
        let mut backoff = Backoff::default();
        loop {
            report(sink, ChannelState::Connecting, "connecting to Slack").await;
            let Err(refusal) = self.connect(sink, &mut backoff).await;
            if refusal.code == RefusalCode::Forbidden {
                let why = format!("Slack refuses the app: {}", refusal.detail);
                report(sink, ChannelState::Down, &why).await;
                return Refusal {
                    detail: why,
                    ..refusal
                };
            }
            let state = match refusal.code {
                RefusalCode::RateLimited => ChannelState::RateLimited,
                _ => ChannelState::Down,
            };
            let wait = refusal
                .retry_after
                .unwrap_or_else(|| backoff.next(self.rng.as_ref()));
            report(sink, state, &refusal.detail).await;
            self.clock.sleep_until(self.clock.now().plus(wait)).await;
        }
    }

    /// Receives until something goes wrong.
    async fn connect(&self, sink: &SignalSink, backoff: &mut Backoff) -> Result<Infallible, Refusal> {
        let bot: Bot = self.api.call("auth.test", &[]).await?;
        // A token has one bot: what was told before is the same.
        let _ = self.own_id.set(bot.id.clone());
        let intake = Intake {
            channel: &self.channel,
            bot,
            sink,
            seen: &self.seen,
            names: &self.names,
            menu: &self.menu,
            clock: self.clock.as_ref(),
        };
        match &self.events {
            SlackEvents::SocketMode(token) => self.socket_mode(&intake, token, backoff).await,
            SlackEvents::Webhooks {
                listen,
                signing_secret,
            } => self.webhooks(&intake, *listen, signing_secret, backoff).await,
        }
    }
}
