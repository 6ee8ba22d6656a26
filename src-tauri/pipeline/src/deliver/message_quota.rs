//! The number of messages that a turn may put into its chat: its answer, what its directives send there, tool calls,
//! reasoning and questions all count.

use foldback_wire::Kind;

/// The setting of the most messages.
pub(super) const MOST: &str = "output.max_messages";

/// Told of a message beside the answer that has no place in the chat.
pub(super) const LEFT_OUT: &str = "a message beside the answer is left out: its chat has as many messages of the turn as \
    output.max_messages allows";

/// The messages that a turn puts into its chat, counted.
#[derive(Debug)]
pub(super) struct MessageQuota {
    /// `None` with that rule switched off.
    most: Option<u32>,
    pub(super) messages: u32,
    /// Something else than text of the answer had no message.
    pub(super) left_out: bool,
}

impl MessageQuota {
    pub(super) const fn new(most: Option<u32>) -> Self {
        Self {
            most,
            messages: 0,
            left_out: false,
        }
    }

    /// False where the chat has as many messages of the turn as it may have.
    pub(super) fn is_left(&self) -> bool {
        self.most.is_none_or(|most| self.messages < most)
    }
}

/// True of the event that something else than text of the answer had no message.
pub(super) fn is_left_out(kind: &Kind) -> bool {
    match kind {
        Kind::Skipped { setting, .. } => setting.as_deref() == Some(MOST),
        Kind::Warned { detail } => detail == LEFT_OUT,
        _ => false,
    }
}
