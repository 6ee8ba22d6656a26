//! What was said in a thread: <https://docs.slack.dev/reference/methods/conversations.replies>.

use super::answer::{Answer, refuse};
use super::request::Arguments;
use super::room::Room;
use super::rules::REPLIES;
use super::state::State;
use serde_json::{Value, json};

/// Most messages that a call may ask for.
const MOST: usize = 999;

impl State {
    /// A page of a thread, from its beginning on. Its first message stands at the top of each.
    pub(super) fn replies(&mut self, given: &Arguments) -> Result<Value, Answer> {
        given.only(&[
            "channel",
            "ts",
            "latest",
            "oldest",
            "inclusive",
            "limit",
            "cursor",
        ])?;
        let (channel, ts) = (given.need("channel")?.to_owned(), given.need("ts")?);
        let limit = given.get("limit").map_or(Some(MOST), |limit| limit.parse().ok());
        let limit = limit.filter(|limit| (1..=MOST).contains(limit));
        let limit = limit
            .ok_or_else(|| refuse(REPLIES, "invalid_limit"))?
            .min(self.page);
        let skipped = given
            .get("cursor")
            .map_or(Some(0), |cursor| cursor.strip_prefix("next:")?.parse().ok());
        let skipped: usize = skipped.ok_or_else(|| refuse(REPLIES, "invalid_cursor"))?;
        let latest = given.get("latest").unwrap_or("9");
        let room = self.room(&channel)?;
        let Some(first) = object(room, ts) else {
            // Breaks no rule: somebody may have removed it.
            return Err(Answer::error("thread_not_found"));
        };
        // Time stamps have as many digits each, so that they are in order as texts.
        let answers = room.messages.iter().filter(|(at, said)| {
            said.thread.as_deref() == Some(ts) && at.as_str() != ts && at.as_str() < latest
        });
        let answers: Vec<_> = answers.filter_map(|(at, _)| object(room, at)).collect();
        let page = answers.iter().skip(skipped).take(limit - 1).cloned();
        let messages: Vec<_> = [first].into_iter().chain(page).collect();
        let next = skipped + messages.len() - 1;
        let has_more = next < answers.len();
        let cursor = if has_more {
            format!("next:{next}")
        } else {
            String::new()
        };
        Ok(json!({
            "messages": messages, "has_more": has_more, "response_metadata": {"next_cursor": cursor},
        }))
    }
}

/// A message as it stands now; only events name its conversation.
fn object(room: &Room, ts: &str) -> Option<Value> {
    let posted = room.messages.get(ts)?;
    let mut message = room.told.get(ts)?.clone();
    message["text"] = posted.raw.clone().into();
    for name in ["channel", "channel_type", "event_ts"] {
        message.as_object_mut()?.remove(name);
    }
    Some(message)
}
