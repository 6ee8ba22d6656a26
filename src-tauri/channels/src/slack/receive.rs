//! Receiving, whichever way the app is set up.

use super::event::Bot;
use super::intake::Intake;
use super::{Slack, SlackEvents};
use crate::{Connection, Refusal};
use std::convert::Infallible;

impl Slack {
    /// Receives until something goes wrong.
    pub(super) async fn receive(&self, connection: &Connection) -> Result<Infallible, Refusal> {
        let bot: Bot = self.api.call("auth.test", &[]).await?;
        // A token has one bot: what was told before is the same.
        let _ = self.own_id.set(bot.id.clone());
        let intake = Intake {
            channel: &self.channel,
            bot,
            connection,
            seen: &self.seen,
            names: &self.names,
            menu: &self.menu,
            clock: self.clock.as_ref(),
        };
        match &self.events {
            SlackEvents::SocketMode(token) => self.socket_mode(&intake, token).await,
            SlackEvents::Webhooks {
                listen,
                signing_secret,
            } => self.webhooks(&intake, *listen, signing_secret).await,
        }
    }
}
