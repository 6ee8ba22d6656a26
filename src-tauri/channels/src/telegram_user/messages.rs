//! Messages as Telegram answers with them.

use super::link::Link;
use super::peers::Chat;
use super::refusal::CallEffect;
use crate::{Ack, Refusal};
use foldback_wire::{RefusalCode, Timestamp};
use grammers_client::tl;

/// The message that was sent: <https://core.telegram.org/api/updates#updates-sequence>.
pub(super) fn sent(updates: tl::enums::Updates, random_id: i64) -> Result<Ack, Refusal> {
    let (id, date) = match updates {
        tl::enums::Updates::UpdateShortSentMessage(sent) => (Some(sent.id), sent.date),
        tl::enums::Updates::Updates(all) => (own_id(&all.updates, random_id), all.date),
        tl::enums::Updates::Combined(all) => (own_id(&all.updates, random_id), all.date),
        _ => (None, 0),
    };
    let Some(id) = id else {
        let why = "Telegram answered without the id of the message";
        return Err(Refusal::new(RefusalCode::Transient, why).or_done());
    };
    Ok(Ack {
        message: Some(id.to_string().into()),
        sent_at: Some(Timestamp(i64::from(date).saturating_mul(1_000))),
        ..Ack::default()
    })
}

/// <https://core.telegram.org/constructor/updateMessageID>
fn own_id(updates: &[tl::enums::Update], random_id: i64) -> Option<i32> {
    updates.iter().find_map(|update| match update {
        tl::enums::Update::MessageId(named) if named.random_id == random_id => Some(named.id),
        _ => None,
    })
}

/// Messages as they are listed, with who is in them.
#[derive(Default)]
pub(super) struct MessageList {
    pub(super) messages: Vec<tl::enums::Message>,
    pub(super) users: Vec<tl::enums::User>,
    pub(super) chats: Vec<tl::enums::Chat>,
}

pub(super) fn listed(answer: tl::enums::messages::Messages) -> MessageList {
    use tl::enums::messages::Messages;
    let (messages, users, chats) = match answer {
        Messages::Messages(all) => (all.messages, all.users, all.chats),
        Messages::Slice(some) => (some.messages, some.users, some.chats),
        Messages::ChannelMessages(all) => (all.messages, all.users, all.chats),
        Messages::NotModified(_) => return MessageList::default(),
    };
    MessageList {
        messages,
        users,
        chats,
    }
}

impl Link {
    /// A message by its id.
    pub(super) async fn messages(&self, chat: Chat, id: i32) -> Result<MessageList, Refusal> {
        let id = vec![tl::types::InputMessageId { id }.into()];
        let answer = if let Some(channel) = chat.supergroup(&self.session) {
            let request = tl::functions::channels::GetMessages { channel, id };
            self.call(&request, CallEffect::Nothing).await?
        } else {
            let request = tl::functions::messages::GetMessages { id };
            self.call(&request, CallEffect::Nothing).await?
        };
        Ok(listed(answer))
    }
}
