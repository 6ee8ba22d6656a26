//! What a platform tells beside a message: other people's words and the facts around it. All of it is untrusted data.

use crate::{MessageId, UserId};
use serde::{Deserialize, Serialize};

/// The bytes that a name, an id or an address may have.
const NAME_BYTES: usize = 256;
/// The bytes that a quote or the starter of a thread may have.
const QUOTE_BYTES: usize = 4 * 1024;
/// The number of messages before this one in its thread that are kept: the last ones.
const RECENT_MESSAGES: usize = 20;
/// The bytes that these messages may have together.
const RECENT_BYTES: usize = 16 * 1024;
/// The number of other ids of a sender, and of names of members, that are kept.
const LISTED: usize = 50;

/// A message of somebody that came with another one.
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
    /// Its text, or the part of it that was quoted.
    #[serde(default)]
    pub text: String,
}

/// What was said in the thread before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ThreadContext {
    /// The message that began the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub starter: Option<QuotedMessage>,
    /// The messages before this one, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<QuotedMessage>>", optional)]
    pub recent: Vec<QuotedMessage>,
}

/// A place that was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Location {
    /// Millionths of a degree, north positive.
    pub latitude_e6: i32,
    /// Millionths of a degree, east positive.
    pub longitude_e6: i32,
    /// What the sender or the platform calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub name: Option<String>,
    /// Its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub address: Option<String>,
}

/// The group that a message was written in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct GroupInfo {
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub name: Option<String>,
    /// The names of its members, where the platform tells them with the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub members: Vec<String>,
}

/// What came with a message beside its own text. Never read for directives, commands or stop words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct InboundContext {
    /// The message that it answers, or the part of that which it quotes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub quote: Option<QuotedMessage>,
    /// What was said in its thread before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thread_context: Option<ThreadContext>,
    /// The author of what was passed on, as the platform names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub forwarded_from: Option<String>,
    /// The place that was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub location: Option<Location>,
    /// The group it was written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub group: Option<GroupInfo>,
}

/// The ids of a sender beside the first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SenderIds {
    /// Telephone number, `+` and digits, where the platform tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub phone: Option<String>,
    /// Other ids of the same account that the platform itself gives out: never a name that people choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<UserId>>", optional)]
    pub other_ids: Vec<UserId>,
}

impl InboundContext {
    /// Calls `visit` for every text in somebody's words, with the bytes it may have.
    pub fn each_text(&mut self, mut visit: impl FnMut(&mut String, usize)) {
        let mut quoted = |message: &mut QuotedMessage| {
            if let Some(sender) = &mut message.sender {
                visit(sender, NAME_BYTES);
            }
            visit(&mut message.text, QUOTE_BYTES);
        };
        if let Some(quote) = &mut self.quote {
            quoted(quote);
        }
        if let Some(thread) = &mut self.thread_context {
            thread.starter.iter_mut().for_each(&mut quoted);
            thread.recent.iter_mut().for_each(&mut quoted);
        }
        let place = self
            .location
            .iter_mut()
            .flat_map(|place| [&mut place.name, &mut place.address]);
        let group = self.group.iter_mut();
        let group = group.flat_map(|group| group.name.iter_mut().chain(&mut group.members));
        for name in self.forwarded_from.iter_mut().chain(place.flatten()).chain(group) {
            visit(name, NAME_BYTES);
        }
    }

    /// Cuts everything to its bounds: names, quotes, and of lists the number, of the thread the newest messages.
    pub fn bound(&mut self) {
        if let Some(thread) = &mut self.thread_context {
            let surplus = thread.recent.len().saturating_sub(RECENT_MESSAGES);
            thread.recent.drain(..surplus);
        }
        if let Some(group) = &mut self.group {
            group.members.truncate(LISTED);
        }
        self.each_text(cut);
        if let Some(thread) = &mut self.thread_context {
            let mut room = RECENT_BYTES;
            let fits = thread.recent.iter().rev().take_while(|message| {
                let size = message.text.len() + message.sender.as_ref().map_or(0, String::len);
                let left = room.checked_sub(size);
                room = left.unwrap_or(0);
                left.is_some()
            });
            let surplus = thread.recent.len() - fits.count();
            thread.recent.drain(..surplus);
        }
    }
}

/// Cuts a text to at most `bytes`, between characters.
fn cut(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        let end = (0..=bytes).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_quotes_and_the_thread_are_cut_to_their_bounds_and_the_newest_stay() {
        let said = |number: usize| QuotedMessage {
            id: Some(number.to_string().into()),
            sender: Some("ä".repeat(200)),
            text: "x".repeat(1000),
        };
        let mut context = InboundContext {
            quote: Some(QuotedMessage {
                text: "€".repeat(2000),
                ..QuotedMessage::default()
            }),
            thread_context: Some(ThreadContext {
                starter: Some(said(0)),
                recent: (1..=30).map(said).collect(),
            }),
            forwarded_from: Some("n".repeat(300)),
            ..InboundContext::default()
        };
        context.bound();
        assert_eq!(context.quote.unwrap().text, "€".repeat(QUOTE_BYTES / 3));
        assert_eq!(context.forwarded_from.unwrap().len(), NAME_BYTES);
        let thread = context.thread_context.unwrap();
        assert_eq!(thread.starter.unwrap().text.len(), 1000);
        // A message is 1,000 bytes of text and 256 of a name: thirteen fit into 16 KiB.
        let ids: Vec<_> = thread
            .recent
            .iter()
            .filter_map(|message| message.id.clone())
            .collect();
        assert_eq!(
            ids,
            (18..=30)
                .map(|id| id.to_string().into())
                .collect::<Vec<MessageId>>()
        );
    }
}
