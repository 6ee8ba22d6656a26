//! Posts as messages: <https://docs.x.com/x-api/fundamentals/data-dictionary>.

use crate::platform::x::{is_id, time_of};
use foldback_wire::{ChannelId, ChatType, Inbound, InboundContext, QuotedMessage, Sender, Timestamp};
use serde::Deserialize;
use serde_json::Value;

/// An account.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct User {
    pub(super) id: String,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    pub(super) username: String,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    name: String,
}

/// A post, of which all but the first two are told beside.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Post {
    pub(super) id: String,
    #[serde(default)]
    text: String,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    author_id: String,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    conversation_id: Option<String>,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    created_at: Option<String>,
    /// The whole text of a long post.
    #[serde(default, deserialize_with = "crate::told::lenient")]
    note_tweet: Value,
    #[serde(default, deserialize_with = "crate::told::lenient")]
    referenced_tweets: Vec<Reference>,
}

#[derive(Debug, Clone, Deserialize)]
struct Reference {
    #[serde(rename = "type")]
    kind: String,
    id: String,
}

/// The accounts and the answered posts that are told beside posts.
#[derive(Debug, Default)]
pub(super) struct ToldBeside {
    pub(super) users: Vec<User>,
    pub(super) posts: Vec<Post>,
}

impl Post {
    /// The number of a post; `None` where it has none.
    pub(super) fn number(&self) -> Option<u64> {
        self.id.parse().ok().filter(|_| is_id(&self.id))
    }

    /// The message; `None` for what the bot itself wrote and for what is only passed on.
    pub(super) fn inbound(&self, channel: &ChannelId, own: &User, beside: &ToldBeside) -> Option<Inbound> {
        let passed_on = self.referenced("retweeted").is_some();
        if passed_on || self.author_id == own.id || !is_id(&self.author_id) || !is_id(&self.id) {
            return None;
        }
        let user = beside.user(&self.author_id);
        let answered = self.referenced("replied_to");
        // It is absent now and then (<https://tangled.org/cameron.stream/void/commit/0bc43304d0f67a42f136e3ff88752e6dd784fa46>).
        let conversation = self.conversation_id.as_deref().filter(|id| is_id(id));
        let conversation = conversation.or(answered).unwrap_or(&self.id);
        let told_at = self.created_at.as_deref().and_then(Timestamp::parse);
        let name = user.map_or(&*self.author_id, |user| &user.username);
        Some(Inbound {
            channel: channel.clone(),
            account: Some(own.id.clone()),
            chat: conversation.into(),
            chat_type: ChatType::Group,
            thread: Some(self.id.as_str().into()),
            message: self.id.as_str().into(),
            reply_to: answered.map(Into::into),
            sender: Sender {
                id: self.author_id.as_str().into(),
                name: name.to_owned(),
                display_name: user.map(|user| user.name.clone()).unwrap_or_default(),
                // X tells of nobody whether it is a bot.
                is_bot: false,
            },
            text: self.words(),
            // It would not be among the mentions otherwise.
            mentioned: true,
            forwarded: false,
            files: Vec::new(),
            at: told_at
                .or_else(|| time_of(&self.id).map(Timestamp))
                .unwrap_or(Timestamp(0)),
            at_by_device: false,
            dry_run: false,
            omitted: None,
            context: InboundContext {
                quote: answered.map(|id| beside.quote(id, own)),
                ..InboundContext::default()
            }
            .bounded(),
        })
    }

    fn referenced(&self, kind: &str) -> Option<&str> {
        let found = self
            .referenced_tweets
            .iter()
            .find(|reference| reference.kind == kind)?;
        Some(found.id.as_str()).filter(|id| is_id(id))
    }

    /// Its text as it was written: X sends `&`, `<` and `>` as entities.
    fn words(&self) -> String {
        let long = self.note_tweet["text"].as_str();
        let text = long.unwrap_or(&self.text);
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
    }
}

impl ToldBeside {
    fn user(&self, id: &str) -> Option<&User> {
        self.users.iter().find(|user| user.id == id)
    }

    /// The post that is answered, as far as it is told.
    fn quote(&self, id: &str, own: &User) -> QuotedMessage {
        let post = self.posts.iter().find(|post| post.id == id);
        let author = post.and_then(|post| self.user(&post.author_id));
        QuotedMessage {
            id: Some(id.into()),
            sender: author.map(|user| user.username.clone()),
            text: post.map(Post::words).unwrap_or_default(),
            own: post.is_some_and(|post| post.author_id == own.id),
        }
    }
}
