//! The place that an answer goes to. What is written at one place is never answered at another.

use foldback_wire::{ChannelId, ChatId, Inbound, ThreadId};

/// Channel, account, chat and thread of a message, and whether its answer only looks as if it were sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Route {
    channel: ChannelId,
    account: Option<String>,
    chat: ChatId,
    thread: Option<ThreadId>,
    dry_run: bool,
}

impl Route {
    pub(crate) fn of(message: &Inbound) -> Self {
        Self {
            channel: message.channel.clone(),
            account: message.account.clone(),
            chat: message.chat.clone(),
            thread: message.thread.clone(),
            dry_run: message.dry_run,
        }
    }
}
