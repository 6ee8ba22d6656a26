//! What was said in a thread, asked for with
//! [Get Channel Messages](https://discord.com/developers/docs/resources/message#get-channel-messages): at most 100
//! messages a call, the newest first. Where the bot may not read a channel's history, it is given none.
//!
//! A thread has the id of the message that it was made from, which stands in the parent channel; a post of a forum begins
//! with a message of that id in the thread itself (<https://discord.com/developers/docs/topics/threads>):
//!
//! ```text
//!   made from a message   parent  … 500 "Lunch?"            thread 500  501 (type 21, refers to 500), 502, 503, …
//!   a post of a forum     forum   (no messages)             thread 500  500 "Lunch?", 501, 502, …
//!   made without one      parent  …                         thread 500  501, 502, …
//! ```
//!
//! So the page that ends before a message often has the first one, too. Only where it does not reach back that far, the
//! parent channel and then the thread are asked for it.

use super::Discord;
use super::message::Message;
use crate::{Refusal, ThreadMessage, ThreadPart, ThreadQuery, unread::Reader};
use serde::Deserialize;
use serde_json::Value;
use serenity::model::id::{MessageId, UserId};

/// Names of the routes, for their limits.
const PAGE: &str = "GET messages";
const ONE: &str = "GET message";

/// <https://discord.com/developers/docs/resources/user#get-current-user>
#[derive(Debug, Deserialize)]
struct Me {
    id: UserId,
}

/// What a page tells of the message that began its thread.
enum Starter {
    Known(Option<ThreadMessage>),
    /// It is to be asked for.
    Elsewhere,
}

impl Discord {
    /// What was said in a thread before a message.
    pub(super) async fn thread_before(&self, query: &ThreadQuery) -> Result<ThreadPart, Refusal> {
        let own_id = *self.own_id.get_or_try_init(|| self.ask_own_id()).await?;
        let thread = query.thread.as_str();
        // One more, as the first message of the thread may be among them.
        let asked = query.limit.saturating_add(1).min(100);
        let limit = asked.to_string();
        let query_parts = [("before", query.before.as_str()), ("limit", limit.as_str())];
        let page: Vec<Value> = self.api.ask((PAGE, thread), &["messages"], &query_parts).await?;
        let is_whole = page.len() < asked as usize;
        let (starter, mut recent) = read_page(&page, thread, is_whole, own_id);
        let surplus = recent.len().saturating_sub(query.limit as usize);
        recent.drain(..surplus);
        let mut part = ThreadPart {
            recent,
            ..ThreadPart::default()
        };
        match starter {
            Starter::Known(starter) => part.starter = starter,
            Starter::Elsewhere => match self.look_for_starter(query, own_id).await {
                Ok(starter) => part.starter = starter,
                Err(refusal) => {
                    part.missing = Some(format!("the message that began it was not read: {refusal}"));
                }
            },
        }
        Ok(part)
    }

    /// The message that a thread was made from, else the first one of a forum's post; `None` where there is neither any
    /// more.
    async fn look_for_starter(
        &self,
        query: &ThreadQuery,
        own_id: UserId,
    ) -> Result<Option<ThreadMessage>, Refusal> {
        let id = query.thread.as_str();
        for channel in [query.chat.as_str(), id] {
            let found = self
                .api
                .ask::<Value>((ONE, channel), &["messages", id], &[])
                .await;
            match found {
                Ok(message) => return Ok(read_message(&message).and_then(|found| found.in_thread(own_id))),
                Err(refusal) if refusal.code.is_gone() => {}
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(None)
    }

    async fn ask_own_id(&self) -> Result<UserId, Refusal> {
        let me: Me = self.api.get(&["users", "@me"]).await?;
        Ok(me.id)
    }
}

/// The messages of a page, oldest first, and the one that began the thread, which is none of them.
fn read_page(page: &[Value], thread: &str, is_whole: bool, own_id: UserId) -> (Starter, Vec<ThreadMessage>) {
    let first_id = thread.parse().map(MessageId::new).ok();
    let mut starter = if is_whole {
        Starter::Known(None)
    } else {
        Starter::Elsewhere
    };
    let mut recent = Vec::new();
    for told in page.iter().rev() {
        let Some(message) = read_message(told) else {
            continue;
        };
        if Some(message.id()) == first_id {
            starter = Starter::Known(message.in_thread(own_id));
        } else if message.begins_thread() {
            starter = match told.get("referenced_message") {
                // Discord did not look.
                None => Starter::Elsewhere,
                Some(begins) => {
                    Starter::Known(read_message(begins).and_then(|begins| begins.in_thread(own_id)))
                }
            };
        } else {
            recent.extend(message.in_thread(own_id));
        }
    }
    (starter, recent)
}

/// A message; `None` where it cannot be read, which loses no other.
fn read_message(told: &Value) -> Option<Message> {
    Message::read(told, &mut Reader::default())
}
