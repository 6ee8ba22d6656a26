//! What a platform tells beside a message: other people's words, and the facts around it. All of it is untrusted data,
//! and none of it is read for directives, commands or stop words.

use crate::{ChatId, MessageId, Timestamp, UserId};
use serde::{Deserialize, Serialize};

/// Most bytes of a name, an id or an address.
const NAME_BYTES: usize = 256;
/// Most bytes of a quote or of the message that began a thread.
const QUOTE_BYTES: usize = 4 * 1024;
/// Most messages of a thread that are kept: the last ones.
const RECENT_MESSAGES: usize = 20;
/// Most bytes of these messages together.
const RECENT_BYTES: usize = 16 * 1024;
/// Most members of a group, and most other ids or names of a sender.
const LISTED: usize = 50;

/// A message of another person that came with one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct QuotedMessage {
    /// The platform's id of it, where told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<MessageId>,
    /// Its author as the platform names them, where told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sender: Option<String>,
    /// Its text, or the part of it that is quoted.
    #[serde(default)]
    pub text: String,
    /// True where the bot itself wrote it, as far as that is told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub own: bool,
}

impl QuotedMessage {
    /// Bytes of its words.
    fn bytes(&self) -> usize {
        self.text.len() + self.sender.as_ref().map_or(0, String::len)
    }

    /// True where it tells neither a message nor words.
    fn is_empty(&self) -> bool {
        self.id.is_none() && self.text.is_empty()
    }

    /// Calls `visit` for every text in it, with the bytes it may have.
    pub(crate) fn each_text(&mut self, visit: &mut impl FnMut(&mut String, usize)) {
        if let Some(sender) = &mut self.sender {
            visit(sender, NAME_BYTES);
        }
        visit(&mut self.text, QUOTE_BYTES);
    }
}

/// The messages that stand before one in its thread. They come with it, or are asked for before the agent runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ThreadContext {
    /// The message that began the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub starter: Option<QuotedMessage>,
    /// The last messages, oldest first: at most 20, and 16 KiB.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<QuotedMessage>>", optional)]
    pub recent: Vec<QuotedMessage>,
}

impl ThreadContext {
    /// The thread, cut to its bounds; `None` where nothing is told.
    pub fn bounded(self) -> Option<Self> {
        let context = InboundContext {
            thread: Some(self),
            ..InboundContext::default()
        };
        context.bounded()?.thread
    }

    /// Calls `visit` for every text in somebody's words, with the bytes it may have.
    pub(crate) fn each_text(&mut self, visit: &mut impl FnMut(&mut String, usize)) {
        for message in self.starter.iter_mut().chain(&mut self.recent) {
            message.each_text(visit);
        }
    }

    /// The names and words in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let messages = self.starter.iter().chain(&self.recent);
        messages
            .flat_map(|message| message.sender.iter().chain([&message.text]))
            .map(String::as_str)
    }

    /// True where the bot itself wrote some of it.
    pub fn has_own(&self) -> bool {
        self.starter.iter().chain(&self.recent).any(|message| message.own)
    }
}

/// What was read of a thread for a message that stands in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ReadThread {
    /// What was said in it before the message by the bot, and by people who may write to it there.
    pub thread: ThreadContext,
    /// Messages that were left out, as their authors may not.
    #[serde(default)]
    pub left_out: u32,
}

/// A place that was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Location {
    /// Degrees, north positive, as the platform writes them.
    pub latitude: String,
    /// Degrees, east positive, as the platform writes them.
    pub longitude: String,
    /// Its name, where told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub name: Option<String>,
    /// Its address, where told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub address: Option<String>,
}

impl Location {
    /// The place for people to read.
    pub fn words(&self) -> String {
        let at = format!("{}, {}", self.latitude, self.longitude);
        let words: Vec<_> = [self.name.as_deref(), self.address.as_deref(), Some(&at)]
            .into_iter()
            .flatten()
            .filter(|word| !word.is_empty())
            .collect();
        format!("Location: {}", words.join(", "))
    }
}

/// The group that a message was written in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct GroupInfo {
    /// Its id, where it is not that of the chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<ChatId>,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub name: Option<String>,
    /// The names of its members, where the platform tells them with the message: at most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub members: Vec<String>,
}

/// What is known of a sender beside the first id and the two names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SenderIds {
    /// Other ids of the account that the platform itself gives: never a name, which people choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<UserId>>", optional)]
    pub ids: Vec<UserId>,
    /// Telephone number, `+` and digits, where the platform tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub phone: Option<String>,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub names: Vec<String>,
}

/// A message of a group that was not for the bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct GroupMessage {
    /// The platform's id of it.
    pub id: MessageId,
    /// Its author, by the name they give themselves.
    pub sender: String,
    /// The time at which the platform says it was sent.
    pub at: Timestamp,
    /// Its text, at most 4 KiB.
    pub text: String,
}

impl GroupMessage {
    /// The message, cut to its bounds.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        cut(&mut self.sender, NAME_BYTES);
        cut(&mut self.text, QUOTE_BYTES);
        self
    }
}

/// What came with a message beside its own text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct InboundContext {
    /// The message that it answers, or the part of it that is quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub quote: Option<QuotedMessage>,
    /// The messages before it in its thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thread: Option<ThreadContext>,
    /// The author of what is passed on, as the platform names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub forwarded_from: Option<String>,
    /// The place that was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub location: Option<Location>,
    /// The group that it was written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub group: Option<GroupInfo>,
    /// Other ids and names of its sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sender: Option<SenderIds>,
}

impl InboundContext {
    /// Cuts everything to its bounds; `None` where nothing is told. Whoever makes one calls it.
    pub fn bounded(mut self) -> Option<Box<Self>> {
        self.each_text(cut);
        self.bound_lists();
        self.forget_empty_parts();
        (self != Self::default()).then(|| Box::new(self))
    }

    /// Calls `visit` for every text in somebody's words, with the bytes it may have. Ids of messages, groups and accounts,
    /// which the platform gives, are none.
    pub(crate) fn each_text(&mut self, mut visit: impl FnMut(&mut String, usize)) {
        if let Some(quote) = &mut self.quote {
            quote.each_text(&mut visit);
        }
        if let Some(thread) = &mut self.thread {
            thread.each_text(&mut visit);
        }
        if let Some(from) = &mut self.forwarded_from {
            visit(from, NAME_BYTES);
        }
        if let Some(place) = &mut self.location {
            let named = place.name.iter_mut().chain(&mut place.address);
            for text in [&mut place.latitude, &mut place.longitude]
                .into_iter()
                .chain(named)
            {
                visit(text, NAME_BYTES);
            }
        }
        if let Some(group) = &mut self.group {
            for text in group.name.iter_mut().chain(&mut group.members) {
                visit(text, NAME_BYTES);
            }
        }
        if let Some(sender) = &mut self.sender {
            for name in &mut sender.names {
                visit(name, NAME_BYTES);
            }
        }
    }

    /// Other people's words, which an agent may repeat: quote, thread and names.
    pub fn quoted_texts(&self) -> impl Iterator<Item = &str> {
        let quote = self.quote.iter();
        let quote = quote.flat_map(|message| message.sender.iter().chain([&message.text]));
        let thread = self.thread.iter().flat_map(ThreadContext::texts);
        let place = self.location.iter();
        let place = place.flat_map(|place| place.name.iter().chain(&place.address));
        let group = self.group.iter();
        let group = group.flat_map(|group| group.name.iter().chain(&group.members));
        let names = self.sender.iter().flat_map(|sender| &sender.names);
        quote
            .chain(&self.forwarded_from)
            .chain(place)
            .chain(group)
            .chain(names)
            .map(String::as_str)
            .chain(thread)
    }

    fn bound_lists(&mut self) {
        let is_id = |id: &str| id.len() <= NAME_BYTES;
        if let Some(thread) = &mut self.thread {
            keep_newest(&mut thread.recent);
        }
        if let Some(group) = &mut self.group {
            group.members.truncate(LISTED);
            group.id.take_if(|id| !is_id(id.as_str()));
        }
        if let Some(sender) = &mut self.sender {
            // An id that is cut is another one.
            sender.ids.retain(|id| is_id(id.as_str()));
            sender.ids.truncate(LISTED);
            sender.names.truncate(LISTED);
            sender.phone.take_if(|phone| !is_id(phone));
        }
    }

    fn forget_empty_parts(&mut self) {
        self.quote.take_if(|quote| quote.is_empty());
        if let Some(thread) = &mut self.thread {
            thread.starter.take_if(|starter| starter.is_empty());
        }
        self.thread.take_if(|thread| *thread == ThreadContext::default());
        self.forwarded_from.take_if(|from| from.is_empty());
        if let Some(group) = &mut self.group {
            group.name.take_if(|name| name.is_empty());
        }
        self.group.take_if(|group| *group == GroupInfo::default());
        self.sender.take_if(|sender| *sender == SenderIds::default());
    }
}

/// Keeps the newest messages of a list whose oldest stands first: at most 20, and 16 KiB.
fn keep_newest(messages: &mut Vec<QuotedMessage>) {
    let mut room = RECENT_BYTES;
    let fits = messages.iter().rev().take(RECENT_MESSAGES).take_while(|message| {
        let left = room.checked_sub(message.bytes());
        room = left.unwrap_or(0);
        left.is_some()
    });
    let surplus = messages.len() - fits.count();
    messages.drain(..surplus);
}

/// Cuts a text to at most so many bytes, between characters.
fn cut(text: &mut String, bytes: usize) {
    text.truncate(text.floor_char_boundary(bytes));
}

#[cfg(test)]
mod tests;
