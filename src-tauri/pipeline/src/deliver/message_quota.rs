//! The number of messages that a turn may put into its chat: its answer, what its directives send there, tool calls,
//! reasoning and questions all count. What its directives send to another chat counts there, and its reactions count for
//! themselves, up to the same number.

use foldback_wire::{ChannelId, Kind, Target};
use std::collections::HashMap;

/// The setting of the most messages.
pub(super) const MOST: &str = "output.max_messages";

/// Told of a message beside the answer that has no place in the chat.
pub(super) const LEFT_OUT: &str = "a message beside the answer is left out: its chat has as many messages of the turn as \
    output.max_messages allows";

/// Told of a reaction that is one too many. It was no message, so that its chat misses nothing of the answer.
pub(super) const TOO_MANY_REACTIONS: &str = "the turn has as many reactions as it should have messages";

/// The messages that a turn puts into its chat and into others, counted.
#[derive(Debug)]
pub(super) struct MessageQuota {
    /// `None` with that rule switched off.
    most: Option<u32>,
    pub(super) messages: u32,
    /// Those of its directives in other chats.
    elsewhere: HashMap<(ChannelId, Target), u32>,
    reactions: u32,
    /// Something else than text of the answer had no message.
    pub(super) left_out: bool,
}

impl MessageQuota {
    pub(super) fn new(most: Option<u32>) -> Self {
        Self {
            most,
            messages: 0,
            elsewhere: HashMap::new(),
            reactions: 0,
            left_out: false,
        }
    }

    /// False where the chat has as many messages of the turn as it may have.
    pub(super) fn is_left(&self) -> bool {
        self.admits(self.messages)
    }

    /// Counts one more message in another chat; false where that has as many of the turn as it may have.
    pub(super) fn claim_elsewhere(&mut self, channel: &ChannelId, target: &Target) -> bool {
        let place = (channel.clone(), target.clone());
        let sent = self.elsewhere.get(&place).copied().unwrap_or_default();
        let may = self.admits(sent);
        if may {
            self.elsewhere.insert(place, sent + 1);
        }
        may
    }

    /// Counts one more reaction; false where the turn has as many as it may have.
    pub(super) fn claim_reaction(&mut self) -> bool {
        let may = self.admits(self.reactions);
        self.reactions += u32::from(may);
        may
    }

    fn admits(&self, sent: u32) -> bool {
        self.most.is_none_or(|most| sent < most)
    }
}

/// True of the event that something else than text of the answer had no message.
pub(super) fn is_left_out(kind: &Kind) -> bool {
    match kind {
        Kind::Skipped { setting, outcome, .. } => {
            setting.as_deref() == Some(MOST) && outcome.detail.as_deref() != Some(TOO_MANY_REACTIONS)
        }
        Kind::Warned { detail } => detail == LEFT_OUT,
        _ => false,
    }
}
