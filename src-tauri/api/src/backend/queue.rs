//! Everything that waits for a person's consent, over all channels.

use super::Backend;
use crate::{HeldOnChannel, failure};
use foldback_pipeline::AwaitingConsent;
use foldback_wire::{Actor, ChannelId, rpc::Failure};

impl Backend {
    /// The channels on which something waits for a person's consent.
    pub fn held(&self) -> Vec<HeldOnChannel> {
        let engine = &self.shared.engine;
        let channels = engine.channels().channels();
        let held = channels.iter().filter_map(|channel| {
            let AwaitingConsent {
                deliveries,
                messages,
                oldest,
            } = engine.awaiting_consent(channel.id());
            Some(HeldOnChannel {
                channel: channel.id().clone(),
                deliveries: deliveries as u64,
                messages: messages as u64,
                oldest: oldest?,
            })
        });
        held.collect()
    }

    /// Says in the log that something waits for a person's consent, if so. `bot` names this bot to another command, with a
    /// space before it.
    pub fn log_held(&self, bot: &str) {
        let held = self.held();
        let Some(oldest) = held.iter().map(|held| held.oldest).min() else {
            return;
        };
        let on = held.iter().map(|held| format!("{held} on {}", held.channel));
        tracing::warn!(
            "{} waited too long and go on only when a person lets them, the oldest since {oldest}: `foldback queue{bot} \
             release CHANNEL` lets them, `foldback queue{bot} drop CHANNEL` gives them up",
            on.collect::<Vec<_>>().join(", ")
        );
    }

    /// Lets what waits for consent on a channel go on, or gives it up.
    pub(super) fn settle_held(&self, channel: &ChannelId, send: bool, by: &Actor) -> Result<(), Failure> {
        self.known(channel)?;
        let engine = &self.shared.engine;
        let settled = if send {
            engine.release_held(channel, by)
        } else {
            engine.give_up_held(channel, by)
        };
        settled.map_err(failure::journal)
    }
}
