//! The words before a comment: the post, and the comments above it up to the post, asked for with
//! <https://www.reddit.com/dev/api#GET_comments_{article}>, `comment` and `context`.
//!
//! A thread is called by the comment that asked, so that each question has its own. What the bot answered before in the
//! same discussion stands above, and is read here, too:
//!
//! ```text
//!   t3_p  "Which laptop?"            the post: the message that began the thread
//!     t1_a  alice: u/bot, which?     recent[0]
//!       t1_b  bot: the grey one      recent[1], the bot's own
//!         t1_c  alice: why?          the message that is answered, in the thread t1_c
//! ```

use super::Reddit;
use super::item::Listing;
use crate::platform::reddit::{COMMENT, POST};
use crate::{Refusal, ThreadMessage, ThreadPart, ThreadQuery, thread};
use foldback_wire::QuotedMessage;
use serde_json::Value;

/// Most comments above one that Reddit shows.
const MOST: u32 = 8;

impl Reddit {
    pub(super) async fn ancestors(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        let (chat, asked) = (query.chat.as_str(), query.before.as_str());
        let (Some(post), Some(comment)) = (chat.strip_prefix(POST), asked.strip_prefix(COMMENT)) else {
            return Ok(None);
        };
        if self.api.pause_left().is_some() {
            let part = ThreadPart {
                missing: Some("Reddit wants no calls now".into()),
                ..ThreadPart::default()
            };
            return Ok(Some(part));
        }
        let context = query.limit.min(MOST).to_string();
        let parameters = [
            ("comment", comment),
            ("context", &*context),
            ("depth", "1"),
            ("raw_json", "1"),
        ];
        let page: Vec<Listing> = self.api.get(&format!("/comments/{post}"), &parameters).await?;
        let first = |at: usize| page.get(at).and_then(|listing| listing.data.children.first());
        let mut part = ThreadPart {
            starter: first(0).and_then(|post| self.said(&post["data"])),
            ..ThreadPart::default()
        };
        let mut at = first(1);
        while let Some(told) = at {
            let data = &told["data"];
            if data["name"].as_str() == Some(asked) {
                break;
            }
            part.recent.extend(self.said(data));
            // Only the branch of the comment is shown.
            at = data["replies"]["data"]["children"].get(0);
        }
        let surplus = part.recent.len().saturating_sub(query.limit as usize);
        part.recent.drain(..surplus);
        Ok(Some(part))
    }

    /// A post or a comment, by its author and its words; `None` where it says nothing any more.
    fn said(&self, data: &Value) -> Option<ThreadMessage> {
        let text = |key: &str| data[key].as_str().unwrap_or_default();
        let words = [text("title"), text("selftext"), text("body")];
        let words: Vec<_> = words.into_iter().filter(|words| !words.is_empty()).collect();
        let author = data["author"].as_str().filter(|author| *author != "[deleted]");
        let own = author.is_some_and(|author| author.eq_ignore_ascii_case(self.api.name()));
        Some(ThreadMessage {
            sender: author.map(Into::into),
            is_bot: own || author.is_none(),
            said: QuotedMessage {
                id: data["name"].as_str().map(Into::into),
                sender: author.map(str::to_owned),
                text: thread::words(words.join("\n\n"), std::iter::empty())?,
                own,
            },
        })
    }
}
