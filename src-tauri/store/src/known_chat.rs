//! The chats in which people wrote to the bot, by which an agent may name one.

use foldback_wire::{ChannelId, ChatId, ChatType, Inbound, Sender, SenderIds, Timestamp};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Most chats that are known: those in which somebody wrote last. The oldest is forgotten for a new one.
pub const MOST_CHATS: usize = 5_000;

/// Most other names of a person that are kept.
const MOST_NAMES: usize = 8;

/// Time for which a chat of which nothing changed is not written again.
const UNWRITTEN: Duration = Duration::from_hours(1);

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
    /// The person whose chat it is; in a group the one who had written when this was kept.
    pub sender: Sender,
    /// Other ids and names of that person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<SenderIds>,
    /// The time at which that person wrote: others may have since, for an hour at most.
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

    /// True where there is something to write: a name or an id changed, or the chat was last written an hour ago or earlier.
    /// Messages come far more often than names change, and `used` serves only to forget the oldest.
    pub fn is_news_after(&self, before: &Self) -> bool {
        let told = Self {
            used: before.used,
            ..self.clone()
        };
        let told = match self.chat_type {
            // Each of a group's people would be news after another one, and nobody looks a group up by them.
            ChatType::Group => Self {
                sender: before.sender.clone(),
                other: before.other.clone(),
                ..told
            },
            ChatType::Direct => told,
        };
        told != *before || self.used.since(before.used) >= UNWRITTEN
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

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(chat_type: ChatType, name: &str, title: Option<&str>, minute: i64) -> KnownChat {
        KnownChat {
            channel: "telegram".into(),
            chat: "7".into(),
            chat_type,
            account: None,
            title: title.map(str::to_owned),
            sender: Sender {
                id: name.into(),
                name: name.to_owned(),
                display_name: name.to_owned(),
                is_bot: false,
            },
            other: None,
            used: Timestamp(minute * 60_000),
        }
    }

    #[test]
    fn a_chat_is_news_when_a_name_changed_or_an_hour_went_by() {
        let direct = |name: &str, minute| chat(ChatType::Direct, name, None, minute);
        let known = direct("ada", 0);
        assert!(!direct("ada", 59).is_news_after(&known));
        assert!(direct("ada", 60).is_news_after(&known));
        assert!(direct("ada l.", 1).is_news_after(&known));
        let group = |name: &str, title, minute| chat(ChatType::Group, name, Some(title), minute);
        let known = group("ada", "Family", 0);
        assert!(
            !group("olga", "Family", 59).is_news_after(&known),
            "another person of the group"
        );
        assert!(group("olga", "Families", 1).is_news_after(&known));
        assert!(group("ada", "Family", 60).is_news_after(&known));
    }
}
