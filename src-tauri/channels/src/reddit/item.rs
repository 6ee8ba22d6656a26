//! Items of the inbox: comments that answer or mention the bot, and private messages.
//! <https://github.com/reddit-archive/reddit/wiki/JSON>

use crate::platform::reddit::{COMMENT, DIRECT, MESSAGE, POST, is_name, is_post};
use crate::unread::Reader;
use foldback_wire::{ChannelId, ChatId, ChatType, GroupInfo, Inbound, InboundContext, Sender, Timestamp};
use serde::Deserialize;
use serde_json::Value;

/// A page of a list: <https://www.reddit.com/dev/api#listings>.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Listing {
    #[serde(default)]
    pub(super) data: Children,
}

/// The items of a page.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Children {
    /// Each with its kind and its data.
    #[serde(default)]
    pub(super) children: Vec<Value>,
}

/// An item that came in.
#[derive(Debug)]
pub(super) struct InboxItem {
    /// Its fullname.
    pub(super) name: String,
    pub(super) what: Meaning,
}

/// The meaning of an item.
#[derive(Debug)]
pub(super) enum Meaning {
    /// Somebody writes to the bot.
    Message(Box<Inbound>),
    /// Reddit or the moderators of a subreddit write, whom nobody can answer there: who, and about what.
    Notice(String, String),
    /// The bot's own, or what cannot be read.
    Nothing,
}

#[derive(Debug, Deserialize)]
struct Told {
    /// Absent where the author is deleted, or where moderators write as such.
    author: Option<String>,
    #[serde(default)]
    body: String,
    /// In seconds.
    created_utc: f64,
    /// `/r/SUBREDDIT/comments/POST/TITLE/COMMENT/?context=3`.
    #[serde(default, deserialize_with = "crate::told::lenient")]
    context: Option<String>,
    /// Of a comment, what it answers.
    #[serde(default, deserialize_with = "crate::told::lenient")]
    parent_id: Option<String>,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    subject: Option<String>,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    subreddit: Option<String>,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    link_title: Option<String>,
}

impl InboxItem {
    /// Reads an item. One without a name cannot be marked read, and is none.
    pub(super) fn read(told: &Value, channel: &ChannelId, own: &str, reader: &mut Reader) -> Option<Self> {
        let data = &told["data"];
        let name = data["name"].as_str().unwrap_or_default().to_owned();
        if !crate::platform::reddit::is_message(&name) {
            reader.fail("inbox item", &"it has no fullname", told);
            return None;
        }
        let what = match reader.read::<Told>("inbox item", data) {
            Some(told) => told.meaning(&name, channel, own),
            None => Meaning::Nothing,
        };
        Some(Self { name, what })
    }
}

impl Told {
    fn meaning(self, name: &str, channel: &ChannelId, own: &str) -> Meaning {
        let about = self.subject.as_deref().unwrap_or_default();
        let author = match self.author.as_deref() {
            Some(author) if author.eq_ignore_ascii_case(own) => return Meaning::Nothing,
            Some(author) if is_name(author) && author != "reddit" => author,
            told => {
                let moderators = self.subreddit.as_deref().map(|name| format!("r/{name}"));
                let who = told.map(str::to_owned).or(moderators);
                return Meaning::Notice(
                    who.unwrap_or_else(|| "a deleted account".into()),
                    about.to_owned(),
                );
            }
        };
        let (chat, chat_type, group) = if name.starts_with(MESSAGE) {
            (format!("{DIRECT}{author}"), ChatType::Direct, None)
        } else {
            let Some(post) = self.context.as_deref().and_then(post_in) else {
                return Meaning::Nothing;
            };
            (post, ChatType::Group, self.group())
        };
        let is_comment = name.starts_with(COMMENT);
        Meaning::Message(Box::new(Inbound {
            channel: channel.clone(),
            account: Some(own.to_owned()),
            chat: ChatId::new(chat),
            chat_type,
            thread: is_comment.then(|| name.into()),
            message: name.into(),
            reply_to: self.parent_id.filter(|_| is_comment).map(Into::into),
            sender: Sender {
                id: author.into(),
                name: author.to_owned(),
                display_name: author.to_owned(),
                // Reddit tells of nobody whether it is a bot; this one it runs itself.
                is_bot: author == "AutoModerator",
            },
            text: self.body,
            // It would not be in the inbox otherwise.
            mentioned: true,
            forwarded: false,
            files: Vec::new(),
            at: timestamp(self.created_utc),
            at_by_device: false,
            dry_run: false,
            omitted: None,
            context: InboundContext {
                group,
                ..InboundContext::default()
            }
            .bounded(),
        }))
    }

    /// The post, by its title and its subreddit.
    fn group(&self) -> Option<GroupInfo> {
        let title = self.link_title.as_deref().filter(|title| !title.is_empty())?;
        let subreddit = self.subreddit.as_deref().unwrap_or_default();
        Some(GroupInfo {
            name: Some(format!("{title} (r/{subreddit})")),
            ..GroupInfo::default()
        })
    }
}

/// The post in the address of a comment.
fn post_in(context: &str) -> Option<String> {
    let (_, rest) = context.split_once("/comments/")?;
    let id = rest.split('/').next()?;
    Some(format!("{POST}{id}")).filter(|post| is_post(post))
}

/// Seconds with a fraction, which is always zero.
pub(super) fn timestamp(seconds: f64) -> Timestamp {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number without a meaning becomes the nearest time"
    )]
    Timestamp((seconds * 1_000.0) as i64)
}
