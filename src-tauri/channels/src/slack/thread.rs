//! What was said in a thread, asked for with
//! [conversations.replies](https://docs.slack.dev/reference/methods/conversations.replies), which wants the scope
//! `channels:history`, or that of the other kinds of conversations.
//!
//! Slack tells a thread from its beginning, page by page, and so the last messages of a long one cost a call for each page:
//!
//! ```text
//!   17:00  "Who comes?"  +  450 answers, and the message that is asked about
//!   call 1   the first message, answers 1 to 199       more
//!   call 2   answers 200 to 399                        more
//!   call 3   answers 400 to 450                        the last 20 of them are told
//! ```
//!
//! An app that is sold outside of Slack's Marketplace gets 15 messages a call and one call a minute
//! (<https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps>); any other has the calls of
//! tier 3, 50 a minute. What must hold: where the last messages were not reached, older ones are not told in their place,
//! as nobody could see that something is missing between them and the message.

use super::Slack;
use super::api::harmless;
use super::event::{Bot, sent_at};
use super::text;
use crate::{Refusal, ThreadMessage, ThreadPart, ThreadQuery, thread::words, told};
use foldback_wire::QuotedMessage;
use futures::future::join_all;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Messages that a page is asked for, as Slack advises: <https://docs.slack.dev/apis/web-api/pagination>.
const PAGE: &str = "200";
/// Most calls for one thread.
const PAGES: u32 = 5;

const METHOD: &str = "conversations.replies";

#[derive(Debug, Deserialize)]
struct Replies {
    #[serde(default)]
    messages: Vec<Value>,
    #[serde(default)]
    response_metadata: Metadata,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    next_cursor: String,
}

/// Messages of a thread, each once, by seconds and microseconds of their time stamps.
type Messages = BTreeMap<(i64, i64), Value>;

impl Slack {
    /// What was said in a thread before a message.
    pub(super) async fn thread_before(&self, query: &ThreadQuery) -> Result<ThreadPart, Refusal> {
        let own_id = self.own_id.get_or_try_init(|| self.ask_own_id()).await?;
        let (mut messages, missing) = self.read_pages(query).await?;
        let starter = place(query.thread.as_str()).and_then(|first| messages.remove(&first));
        let mut recent: Vec<_> = match missing {
            Some(_) => Vec::new(),
            None => messages
                .into_values()
                .filter_map(|said| in_thread(&said, own_id))
                .collect(),
        };
        let surplus = recent.len().saturating_sub(query.limit as usize);
        recent.drain(..surplus);
        let starter = starter.and_then(|said| in_thread(&said, own_id));
        let (starter, recent) = futures::join!(
            join_all(starter.map(|said| self.with_name(said))),
            join_all(recent.into_iter().map(|said| self.with_name(said))),
        );
        Ok(ThreadPart {
            starter: starter.into_iter().next(),
            recent,
            missing,
        })
    }

    /// The messages of a thread before one of them, and the reason for which the last ones are not among them.
    async fn read_pages(&self, query: &ThreadQuery) -> Result<(Messages, Option<String>), Refusal> {
        let mut messages = Messages::new();
        let before = place(query.before.as_str());
        let mut cursor = String::new();
        for page in 0..PAGES {
            let mut asked = vec![
                ("channel", query.chat.as_str()),
                ("ts", query.thread.as_str()),
                ("latest", query.before.as_str()),
                ("limit", PAGE),
            ];
            if page > 0 {
                asked.push(("cursor", &cursor));
            }
            let answer: Replies = match self.api.call_beside(METHOD, &asked).await {
                Ok(answer) => answer,
                Err(refusal) if page == 0 => return Err(harmless(refusal)),
                Err(refusal) => {
                    let why = format!("only the message that began it was read: {refusal}");
                    return Ok((messages, Some(why)));
                }
            };
            let told = answer.messages.into_iter().filter_map(|said| {
                let at = place(said["ts"].as_str()?)?;
                before.is_none_or(|before| at < before).then_some((at, said))
            });
            messages.extend(told);
            cursor = answer.response_metadata.next_cursor;
            if cursor.is_empty() {
                return Ok((messages, None));
            }
        }
        let why = format!(
            "only the message that began it was read: it has more than {} others",
            messages.len()
        );
        Ok((messages, Some(why)))
    }

    /// A message with the name of its author, where Slack tells that soon.
    async fn with_name(&self, mut message: ThreadMessage) -> ThreadMessage {
        if message.said.sender.is_none()
            && let Some(user) = &message.sender
        {
            let name = self.names.of(user.as_str()).await;
            let name = name.shown.or(name.account);
            message.said.sender = Some(name.unwrap_or_else(|| user.as_str().to_owned()));
        }
        message
    }

    async fn ask_own_id(&self) -> Result<String, Refusal> {
        let bot: Bot = self.api.call("auth.test", &[]).await?;
        Ok(bot.id)
    }
}

/// A message for one that comes after it; `None` for news of Slack's own, and for what says nothing. A person has no name
/// yet.
fn in_thread(said: &Value, own_id: &str) -> Option<ThreadMessage> {
    let is_written = matches!(
        said["subtype"].as_str(),
        None | Some("file_share" | "me_message" | "thread_broadcast" | "bot_message")
    );
    let text = told::text(&said["text"]).map_or_else(String::new, |text| text::plain(&text));
    let files = said["files"].as_array().into_iter().flatten();
    let text = words(text, files.filter_map(|file| file["name"].as_str())).filter(|_| is_written)?;
    let user = told::text(&said["user"]);
    let bot = told::text(&said["bot_id"]);
    let own = user.as_deref() == Some(own_id);
    // An app is called as it calls itself: its user, where it has one, is named otherwise.
    let app = told::text(&said["username"]).or_else(|| told::text(&said["bot_profile"]["name"]));
    Some(ThreadMessage {
        is_bot: bot.is_some(),
        said: QuotedMessage {
            id: told::text(&said["ts"]).map(Into::into),
            sender: app
                .filter(|_| bot.is_some())
                .or_else(|| bot.clone().filter(|_| user.is_none())),
            text,
            own,
        },
        sender: user.or(bot).map(Into::into),
    })
}

/// The place of a message in its thread; `None` where its time stamp is none.
fn place(ts: &str) -> Option<(i64, i64)> {
    sent_at(ts)?;
    let (seconds, micros) = ts.split_once('.')?;
    Some((seconds.parse().ok()?, micros.parse().ok()?))
}
