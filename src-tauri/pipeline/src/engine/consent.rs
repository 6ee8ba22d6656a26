//! Operations and messages that wait for a person because they are older than `outbox.max_age`.

use super::Engine;
use crate::aged::AwaitingConsent;
use foldback_wire::ChannelId;

impl Engine {
    /// The number of messages of a channel that are given to the agent only when a person lets them: they waited over a
    /// stop for longer than `outbox.max_age`.
    pub fn aged_messages(&self, channel: &ChannelId) -> usize {
        self.core.aged.of_channel(channel).len()
    }

    /// Everything on a channel that waits for a person because it is older than `outbox.max_age`.
    pub fn awaiting_consent(&self, channel: &ChannelId) -> AwaitingConsent {
        let line = self.channels().channel(channel);
        let deliveries = line.map_or_else(Vec::new, |line| self.core.delivery_queues.asking_since(&line));
        let messages = self.core.aged.of_channel(channel);
        AwaitingConsent {
            deliveries: deliveries.len(),
            messages: messages.len(),
            oldest: deliveries.into_iter().chain(messages).min(),
        }
    }
}
