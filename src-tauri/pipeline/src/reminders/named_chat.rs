//! The chat that the payload of `event` names, found among those in which people wrote to the bot.
//!
//! An example: Olga, who owns the bot, says "remind the family on Friday". Two groups are called "Family".
//!
//! ```text
//!   turn 7   `event` with "chat": "family". Refused: two chats are called that. The candidates go to the agent as data
//!   turn 8   the correction: "chat": "-1002". Set, to be told in that group
//! ```
//!
//! What must hold:
//! - An id counts before names. A name counts whole, without regard to case; what several have is never guessed.
//! - Only an owner of the bot names another chat, on a channel of which they are an owner: in the turn of their own message,
//!   or in a correction of it. What came of an action, and what an interface took in, names none.
//! - Whoever may name none is told of none, and a group is told of none: the candidates are for a direct chat.

use super::{
    Reminders,
    asker::ReminderAsker,
    chat_choice::{choose, finding, quoted},
};
use crate::{
    id::sender_ids,
    turn_chain::{ChainRoot, TurnChain},
};
use foldback_actions::event::{EVENT, EventPayload};
use foldback_store::StoreError;
use foldback_wire::{
    ActionRefusalCode, ChannelId, DeliveryRequest, Inbound, PayloadFinding, ReplyAddress, TurnId,
};

/// The setting that names the owners.
const OWNERS: &str = "commands.owner_allow_from";

/// The chat that a payload names.
pub(super) struct NamedChat {
    pub(super) place: ReplyAddress,
    pub(super) name: String,
}

/// The reason for which a payload names no chat.
#[derive(Debug)]
pub(super) enum NamedChatFault {
    /// It can be mended at this place.
    Unfit(PayloadFinding),
    /// It may not be named at this word or in this turn.
    NotPermitted(ActionRefusalCode, String, Option<&'static str>),
    /// The journal cannot be read.
    Store(StoreError),
}

impl From<StoreError> for NamedChatFault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl NamedChatFault {
    /// The reason in words.
    pub(super) fn into_words(self) -> String {
        match self {
            Self::Unfit(finding) => format!("{}; {}", finding.problem, finding.change),
            Self::NotPermitted(_, why, _) => why,
            Self::Store(error) => format!("the journal cannot be read: {error}"),
        }
    }
}

impl Reminders {
    /// The chat that a payload names; none where it names the one in which it is asked for, or no chat at all.
    pub(super) async fn named_chat(
        &self,
        payload: &EventPayload,
        asker: &ReminderAsker,
        turn: TurnId,
    ) -> Result<Option<NamedChat>, NamedChatFault> {
        let channel = payload.channel.as_deref().map(str::trim);
        let Some(named) = payload.chat.as_deref().map(str::trim) else {
            return match channel {
                None => Ok(None),
                Some(_) => Err(unfit(
                    "/channel",
                    "a channel is named without a chat".to_owned(),
                    "name the chat, too, or leave the channel out for this chat".to_owned(),
                )),
            };
        };
        let here = &asker.origin;
        let is_here = |id: &ChannelId| channel.is_none_or(|channel| channel == id.as_str());
        if named == here.chat.as_str() && is_here(&here.channel) {
            return Ok(None);
        }
        let Some(message) = self.asking_message(turn).await? else {
            let why = "another chat is named only in the turn of an owner's own message, before the result of another \
                       action, or in a correction of it: the owner has to ask for it in a message";
            let code = ActionRefusalCode::TurnNotPermitted;
            return Err(NamedChatFault::NotPermitted(code, why.to_owned(), None));
        };
        if !self.owns(&message, &message.channel) {
            return Err(not_an_owner());
        }
        let mut known = self.recorder.journal.chats().await?;
        known.retain(|chat| self.owns(&message, &chat.channel));
        if let Some(channel) = channel {
            let channels = self.bot.channels.keys();
            let own: Vec<_> = channels.filter(|id| self.owns(&message, id)).collect();
            if !own.iter().any(|id| id.as_str() == channel) {
                let own: Vec<_> = own.iter().map(|id| id.as_str()).collect();
                return Err(unfit(
                    "/channel",
                    format!("this person owns the bot on no channel {}", quoted(channel)),
                    format!("name one of these channels, or none: {}", own.join(", ")),
                ));
            }
            known.retain(|chat| chat.channel.as_str() == channel);
        }
        let chat = choose(named, &known, here.chat_type).map_err(NamedChatFault::Unfit)?;
        if chat.channel == here.channel && chat.chat == here.chat {
            return Ok(None);
        }
        Ok(Some(NamedChat {
            place: ReplyAddress {
                channel: chat.channel.clone(),
                account: chat.account.clone(),
                chat: chat.chat.clone(),
                chat_type: chat.chat_type,
                thread: None,
                message: None,
                dry_run: here.dry_run,
            },
            name: chat.names().next().unwrap_or_default().to_owned(),
        }))
    }

    /// The message of the person who asks in a turn, where it began the turn, or one whose answer the turn corrects. None where
    /// anything else did, the agent was given what came of another action, or others wrote into its run: that may be what the
    /// agent obeys.
    async fn asking_message(&self, turn: TurnId) -> Result<Option<Inbound>, StoreError> {
        let chain = TurnChain::to(turn, &self.recorder).await?;
        let others = chain.joined(&self.recorder).await?;
        let ChainRoot::Message(message) = chain.root else {
            return Ok(None);
        };
        let corrects_only = chain.turns.iter().all(|turn| {
            let is_correction = |delivery: &DeliveryRequest| delivery.corrections.is_some();
            turn.delivery.as_deref().is_none_or(is_correction) && turn.ended.iter().all(|name| name == EVENT)
        });
        let is_own =
            |other: &Inbound| other.sender.id == message.sender.id && other.channel == message.channel;
        Ok((corrects_only && others.iter().all(is_own)).then_some(*message))
    }

    /// True where the sender of a message owns the bot on a channel of the configuration.
    pub(crate) fn owns(&self, message: &Inbound, channel: &ChannelId) -> bool {
        let platform = |id: &ChannelId| self.bot.channels.get(id).and_then(|own| own.platform(id));
        let (Some(here), Some(there)) = (platform(&message.channel), platform(channel)) else {
            return false;
        };
        let commands = &self.bot.commands;
        let mut ids = sender_ids(message);
        if message.channel == *channel {
            return ids.any(|id| commands.owner_entry(channel, there, id).is_some());
        }
        ids.any(|id| commands.owns_other_channel(id, here, (channel, there)))
    }
}

/// The refusal of whoever is no owner, which tells of no chat.
pub(super) fn not_an_owner() -> NamedChatFault {
    let why =
        "only owners of the bot may have a reminder told in another chat; leave the chat out for this one";
    NamedChatFault::NotPermitted(ActionRefusalCode::NotPermitted, why.to_owned(), Some(OWNERS))
}

fn unfit(at: &str, problem: String, change: String) -> NamedChatFault {
    NamedChatFault::Unfit(finding(at, problem, change))
}
