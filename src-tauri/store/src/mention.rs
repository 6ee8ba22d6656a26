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
    /// The message that an event of this channel is about: one that came in, or one that an operation made.
    pub(crate) fn of(channel: Option<&ChannelId>, kind: &Kind) -> Option<Self> {
        let channel = channel?.clone();
        match kind {
            Kind::Received { message } => Some(Self {
                channel,
                chat: Some(message.chat.clone()),
                message: message.message.clone(),
            }),
            Kind::Ended { outcome, .. } => Some(Self {
                channel,
                chat: None,
                message: outcome.message.clone()?,
            }),
            Kind::Undelivered { message, .. } => Some(Self {
                channel,
                chat: None,
                message: message.clone(),
            }),
            _ => None,
        }
    }
}
