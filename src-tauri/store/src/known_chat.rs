//! The chats in which people wrote to the bot, by which an agent may name one.

use foldback_wire::{ChannelId, ChatId, ChatType, Inbound, Sender, SenderIds, Timestamp};
use serde::{Deserialize, Serialize};

/// Most chats that are known: those in which somebody wrote last. The oldest is forgotten for a new one.
pub const MOST_CHATS: usize = 5_000;

/// Most other names of a person that are kept.
const MOST_NAMES: usize = 8;

/// A chat in which a person wrote to the bot whom the bot listens to. Kept beside the journal's events, so that it stays
/// when those are deleted. Names and title are other people's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownChat {
    /// The channel.
    pub channel: ChannelId,
    /// The platform's id of the chat.
    pub chat: ChatId,
    /// Direct or group.
    pub chat_type: ChatType,
    /// The bot's account there, where the ids do not tell two accounts apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The title of a group, as the platform last told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The person who wrote last; in a direct chat the one whose chat it is.
    pub sender: Sender,
    /// Other ids and names of that person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<SenderIds>,
    /// The time at which that person wrote.
    pub used: Timestamp,
}

impl KnownChat {
    /// The chat of a person's message.
    pub fn of(message: &Inbound, now: Timestamp) -> Self {
        let context = message.context.as_deref();
        let title = context.and_then(|context| context.group.as_ref()?.name.clone());
        let other = context.and_then(|context| context.sender.clone());
        Self {
            channel: message.channel.clone(),
            chat: message.chat.clone(),
            chat_type: message.chat_type,
            account: message.account.clone(),
            title: title.filter(|_| message.chat_type == ChatType::Group),
            sender: message.sender.clone(),
            other: other.map(|mut other| {
                other.names.truncate(MOST_NAMES);
                other
            }),
            used: now,
        }
    }

    /// The chat as it is known after this message: a title stays until another one is told.
    #[must_use]
    pub fn after(self, before: Option<&Self>) -> Self {
        let title = before.and_then(|before| before.title.clone());
        Self {
            title: self.title.or(title),
            ..self
        }
    }

    /// The names by which people know it: the title of a group, the names of the person of a direct chat.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let is_direct = self.chat_type == ChatType::Direct;
        let own = [&self.sender.display_name, &self.sender.name];
        let other = self.other.iter().flat_map(|other| &other.names);
        let of_person = own.into_iter().chain(other).filter(move |_| is_direct);
        let of_group = self.title.iter().filter(move |_| !is_direct);
        let all = of_person.chain(of_group).map(String::as_str);
        all.filter(|name| !name.is_empty())
    }

    /// Calls `visit` for every text in it that people chose.
    pub fn each_text(&mut self, mut visit: impl FnMut(&mut String)) {
        let sender = &mut self.sender;
        let own = [&mut sender.name, &mut sender.display_name];
        let other = self.other.iter_mut().flat_map(|other| &mut other.names);
        own.into_iter()
            .chain(other)
            .chain(&mut self.title)
            .for_each(&mut visit);
    }
}
