//! What an action produced, what came due or what went wrong, on its way back to the agent, which words the answer.
//!
//! All of it is untrusted data: commands print what they like, posts are other people's words. Whoever takes a request in
//! masks the secrets in it first and then cuts it to its bounds ([`DeliveryRequest::masked_and_bounded`]), as half a secret
//! is not recognised any more.

mod item;
mod limits;

pub use item::ResultItem;
pub use limits::DeliveryLimits;

use crate::{
    ChannelId, ChatId, ChatType, DeliveryRequestId, Inbound, MessageId, Sender, ThreadId, TurnId,
    closed::closed_set,
};
use item::cut;
use serde::{Deserialize, Serialize};

/// Delivery turns that may follow one message of a user, one after the other.
pub const DELIVERY_DEPTH: u32 = 3;

/// Most bytes of a name, an id or a label.
const NAME_BYTES: usize = 256;
/// Most bytes of a command.
const COMMAND_BYTES: usize = 4 * 1024;
/// Most bytes of the beginning, and of the end, of an item's text.
const PART_BYTES: usize = 4 * 1024;
/// Most items. Those behind them are counted.
const ITEMS: usize = 16;
/// Most bytes of the texts of all items together; each has an equal share.
const REQUEST_BYTES: u32 = 64 * 1024;

closed_set! {
    /// The reason for which something is delivered to the agent.
    pub enum DeliveryOutcome {
        Output = "output": "An action was carried out.",
        Event = "event": "Something came due, or came in from outside.",
        Error = "error": "An action could not be read, was refused, or failed.",
    }
}

/// The place that the answer goes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReplyAddress {
    /// The channel.
    pub channel: ChannelId,
    /// The bot's account on that channel, where the ids of chat and message do not tell two accounts apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub account: Option<String>,
    /// The chat.
    pub chat: ChatId,
    /// Direct or group.
    pub chat_type: ChatType,
    /// The thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thread: Option<ThreadId>,
    /// The message that is answered; none where no message asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<MessageId>,
    /// True where nothing that comes of it may reach a platform: the message that began it was a test by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub dry_run: bool,
}

impl ReplyAddress {
    /// The place of a user's message.
    pub fn of(message: &Inbound) -> Self {
        Self {
            channel: message.channel.clone(),
            account: message.account.clone(),
            chat: message.chat.clone(),
            chat_type: message.chat_type,
            thread: message.thread.clone(),
            message: Some(message.message.clone()),
            dry_run: message.dry_run,
        }
    }
}

/// The action that was carried out, or was to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PerformedAction {
    /// Its name, at most 256 bytes.
    pub name: String,
    /// Its command, where it has one: at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub command: Option<String>,
}

/// What is delivered to the agent in a turn of its own, and where its answer goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DeliveryRequest {
    /// Its id. One id is delivered once.
    pub id: DeliveryRequestId,
    /// The place that the answer goes to.
    pub origin: ReplyAddress,
    /// The person who asked, whose limits it counts for.
    pub requester: Sender,
    /// The action.
    pub action: PerformedAction,
    /// The reason of the delivery.
    pub outcome: DeliveryOutcome,
    /// What came of the action: at most 16 items, and 64 KiB.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<ResultItem>>", optional)]
    pub items: Vec<ResultItem>,
    /// Items that there were beyond those.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(as = "Option<u32>", optional)]
    pub items_omitted: u32,
    /// Place in the chain of delivery turns that one message of a user began, from 1.
    pub depth: u32,
    /// Lower bounds than the bot's, for this delivery and for those that it leads to.
    #[serde(default, skip_serializing_if = "DeliveryLimits::is_empty")]
    #[ts(as = "Option<DeliveryLimits>", optional)]
    pub limits: DeliveryLimits,
    /// Corrections of a refused action that are still read; none where the agent is not asked for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub corrections: Option<u32>,
    /// The turn whose agent asked for the action; none where a program or a person delivered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cause: Option<TurnId>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl DeliveryRequest {
    /// Calls `visit` for every text in it that somebody may have written: the action, what came of it and the names of the
    /// requester. Addresses are none.
    pub(crate) fn each_text(&mut self, mut visit: impl FnMut(&mut String)) {
        let named = [&mut self.requester.name, &mut self.requester.display_name];
        let action = std::iter::once(&mut self.action.name).chain(&mut self.action.command);
        named.into_iter().chain(action).for_each(&mut visit);
        for item in &mut self.items {
            let texts = [&mut item.label, &mut item.text, &mut item.tail];
            texts.into_iter().chain(&mut item.note).for_each(&mut visit);
        }
    }

    /// Every text in it that the agent may repeat, none of which is carried out then.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let items = self.items.iter().flat_map(|item| {
            let texts = [&item.label, &item.text, &item.tail];
            texts.into_iter().chain(&item.note)
        });
        let names = [
            &self.requester.name,
            &self.requester.display_name,
            &self.action.name,
        ];
        let texts = names.into_iter().chain(&self.action.command).chain(items);
        texts.map(String::as_str)
    }

    /// Cuts everything to its bounds.
    pub(crate) fn bound(&mut self) {
        for name in [
            &mut self.requester.name,
            &mut self.requester.display_name,
            &mut self.action.name,
        ] {
            cut(name, NAME_BYTES);
        }
        if let Some(command) = &mut self.action.command {
            cut(command, COMMAND_BYTES);
        }
        let surplus = self.items.len().saturating_sub(ITEMS);
        self.items.truncate(ITEMS);
        let surplus = u32::try_from(surplus).unwrap_or(u32::MAX);
        self.items_omitted = self.items_omitted.saturating_add(surplus);
        let bytes = usize::try_from(self.limits.item_bytes()).unwrap_or(usize::MAX);
        let part = PART_BYTES.min(bytes / (2 * self.items.len().max(1)));
        for item in &mut self.items {
            item.bound(part);
        }
    }
}

#[cfg(test)]
mod tests;
