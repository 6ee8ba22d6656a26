//! Events about a message, found by what its platform calls it.

use foldback_wire::{ChannelId, ChatId, Kind, MessageId};

/// A message, as its platform names it. [`crate::Journal::mentions`] finds the events about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mention {
    /// The channel it came in on, or went out on.
    pub channel: ChannelId,
    /// The chat it came in on; `None` for a message that an operation made, whose end does not say where.
    pub chat: Option<ChatId>,
    /// Its id. Some platforms count anew in every chat.
    pub message: MessageId,
}

impl Mention {
    /// The messages that an event of this channel is about, each once: the one that came in, or what an operation made.
    pub(crate) fn all(channel: Option<&ChannelId>, kind: &Kind) -> Vec<Self> {
        let Some(channel) = channel else { return Vec::new() };
        let (chat, messages): (_, Vec<_>) = match kind {
            Kind::Received { message } => (Some(&message.chat), vec![&message.message]),
            Kind::Ended { outcome, .. } => (None, outcome.messages().collect()),
            Kind::Undelivered { message, .. } | Kind::Receipt { message, .. } => (None, vec![message]),
            _ => return Vec::new(),
        };
        let mut all: Vec<Self> = Vec::with_capacity(messages.len());
        for message in messages {
            if all.iter().all(|known| known.message != *message) {
                all.push(Self {
                    channel: channel.clone(),
                    chat: chat.cloned(),
                    message: message.clone(),
                });
            }
        }
        all
    }
}
