//! Dry run: everything but the platform call.

use crate::{Ack, Call};
use foldback_wire::{Clock, MessageId, Operation};
use std::sync::atomic::{AtomicU64, Ordering};

/// Begins the id of a message that was never sent. No platform has ids that begin so.
const PREFIX: &str = "dry-";

/// Gives out ids for messages that are not sent, so that edits and replies to them still work.
#[derive(Debug, Default)]
pub(super) struct DryRun {
    sent: AtomicU64,
}

impl DryRun {
    /// What an operation would have been acknowledged with.
    pub(super) fn answer(&self, clock: &dyn Clock, operation: &Operation) -> Ack {
        let message = match operation {
            Operation::SendText { .. } | Operation::SendFile { .. } | Operation::SendVoice { .. } => {
                // The time keeps ids of different days apart; they live on in sessions.
                let n = self.sent.fetch_add(1, Ordering::Relaxed);
                Some(MessageId::new(format!("{PREFIX}{}-{n}", clock.now().0)))
            }
            Operation::EditText { .. }
            | Operation::Delete { .. }
            | Operation::React { .. }
            | Operation::Typing => None,
        };
        Ack {
            message,
            ..Ack::default()
        }
    }
}

/// Whether a message was made by a dry run, and is thus on no platform.
pub fn is_dry(message: &MessageId) -> bool {
    message.as_str().starts_with(PREFIX)
}

/// Whether the operation is about a message that is on no platform: it stays a dry run, even when the
/// channel was armed meanwhile.
pub(super) fn about_dry_message(operation: &Operation) -> bool {
    match operation {
        Operation::EditText { message, .. }
        | Operation::Delete { message }
        | Operation::React { message, .. } => is_dry(message),
        Operation::SendText { .. }
        | Operation::SendFile { .. }
        | Operation::SendVoice { .. }
        | Operation::Typing => false,
    }
}

/// Takes out a reply to a message that is on no platform, and gives its id.
pub(super) fn take_dry_reply(call: &mut Call) -> Option<MessageId> {
    match &mut call.operation {
        Operation::SendText { reply_to, .. } | Operation::SendFile { reply_to, .. } => {
            reply_to.take_if(|to| is_dry(to))
        }
        _ => None,
    }
}
