//! The methods.

use super::SlackServer;
use super::answer::{Answer, refuse};
use super::emoji::is_emoji_name;
use super::mrkdwn;
use super::request::Arguments;
use super::room::{Posted, Room};
use super::rules::{
    ARCHIVED, CHANNEL, DELETE, EMOJI, EPHEMERAL, LENGTH, LINK, MEMBER, METHOD, REACT, SCOPE, TEXT, THREAD,
    TOKEN_KIND, UPDATE,
};
use super::state::State;
use crate::Rule;
use foldback_channels::{is_message_id, platform};
use serde_json::{Value, json};

pub(super) type Done = Result<Value, Answer>;

impl State {
    pub(super) fn call(&mut self, method: &str, as_app: bool, given: &Arguments) -> Done {
        let scope = match method {
            "auth.test" | "chat.getPermalink" => None,
            "apps.connections.open" => Some("connections:write"),
            "chat.postMessage" | "chat.postEphemeral" | "chat.update" | "chat.delete" => Some("chat:write"),
            "reactions.add" => Some("reactions:write"),
            "files.getUploadURLExternal" | "files.completeUploadExternal" => Some("files:write"),
            "files.info" => Some("files:read"),
            "conversations.replies" => Some("channels:history"),
            "users.info" => Some("users:read"),
            _ => return Err(refuse(METHOD, "unknown_method")),
        };
        if as_app != (method == "apps.connections.open") {
            return Err(refuse(TOKEN_KIND, "not_allowed_token_type"));
        }
        if let Some(scope) = scope.filter(|scope| !self.scopes.contains(scope)) {
            return Err(Answer {
                needed: Some(scope),
                ..refuse(SCOPE, "missing_scope")
            });
        }
        match method {
            "auth.test" => self.who(given),
            "apps.connections.open" => self.connect(given),
            "chat.postMessage" => self.post(given),
            "chat.postEphemeral" => self.post_ephemeral(given),
            "chat.update" => self.update(given),
            "chat.delete" => self.delete(given),
            "chat.getPermalink" => self.permalink(given),
            "reactions.add" => self.react(given),
            "files.getUploadURLExternal" => self.place_for_file(given),
            "files.completeUploadExternal" => self.complete(given),
            "users.info" => self.person(given),
            "conversations.replies" => self.replies(given),
            _ => self.file(given),
        }
    }

    fn who(&self, given: &Arguments) -> Done {
        given.only(&[])?;
        Ok(json!({
            "url": "https://foldback.slack.com/", "team": "Foldback", "team_id": "T0FOLDBACK",
            "user": self.name, "user_id": SlackServer::BOT, "bot_id": "B0FOLDBACK",
        }))
    }

    /// <https://docs.slack.dev/reference/methods/users.info>
    fn person(&self, given: &Arguments) -> Done {
        given.only(&["user", "include_locale"])?;
        let id = given.need("user")?;
        let Some(person) = self.people.get(id) else {
            // Breaks no rule: somebody of another workspace may write in a shared channel.
            return Err(Answer::error("user_not_found"));
        };
        Ok(json!({"user": {
            "id": id, "team_id": "T0FOLDBACK", "name": person.account, "deleted": false, "is_bot": false,
            "real_name": person.real_name,
            "profile": {"real_name": person.real_name, "display_name": person.display_name},
        }}))
    }

    fn connect(&mut self, given: &Arguments) -> Done {
        given.only(&[])?;
        let ticket = format!("ticket-{}", self.serial());
        let url = format!("{}/link?ticket={ticket}", self.root.replacen("http", "ws", 1));
        self.tickets.insert(ticket);
        Ok(json!({"url": url}))
    }

    fn post(&mut self, given: &Arguments) -> Done {
        given.only(&[
            "channel",
            "text",
            "thread_ts",
            "mrkdwn",
            "unfurl_links",
            "unfurl_media",
            "reply_broadcast",
        ])?;
        let channel = given.need("channel")?.to_owned();
        let thread = self.writable(&channel, given)?;
        let message = text(given.get("text").unwrap_or_default())?;
        let unwanted = |name| given.get(name) == Some("false");
        let no_previews = unwanted("unfurl_links") && unwanted("unfurl_media");
        let message = Posted {
            thread,
            no_previews,
            ..message
        };
        let (raw, thread) = (message.raw.clone(), message.thread.clone());
        let ts = self.show(&channel, message);
        let mut shown = json!({"type": "message", "user": SlackServer::BOT, "bot_id": "B0FOLDBACK", "ts": ts, "text": raw});
        if let Some(thread) = thread {
            shown["thread_ts"] = thread.into();
        }
        Ok(json!({"channel": channel, "ts": ts, "message": shown}))
    }

    /// Shows a text to one member of the conversation, who is named by `user`.
    fn post_ephemeral(&mut self, given: &Arguments) -> Done {
        given.only(&["channel", "user", "text", "thread_ts"])?;
        let channel = given.need("channel")?.to_owned();
        let user = given.need("user")?.to_owned();
        let thread = self.writable(&channel, given)?;
        let message = text(given.get("text").unwrap_or_default())?;
        let stamp = self.stamp();
        let room = self.room(&channel)?;
        if !room.members.contains(&user) {
            return Err(refuse(EPHEMERAL, "user_not_in_channel"));
        }
        room.ephemeral.push(Posted {
            thread,
            only_for: Some(user),
            ..message
        });
        Ok(json!({"message_ts": stamp}))
    }

    /// Whether the bot may write there, and into which thread.
    pub(super) fn writable(&mut self, channel: &str, given: &Arguments) -> Result<Option<String>, Answer> {
        let wanted = given.get("thread_ts");
        let room = self.room(channel)?;
        if room.outside {
            return Err(refuse(MEMBER, "not_in_channel"));
        }
        if room.archived {
            return Err(refuse(ARCHIVED, "is_archived"));
        }
        let is_reply = |root: &str| {
            room.messages
                .get(root)
                .is_some_and(|message| message.thread.is_some())
        };
        if wanted.is_some_and(|root| !is_message_id(platform::SLACK, &root.into()) || is_reply(root)) {
            return Err(refuse(THREAD, "invalid_thread_ts"));
        }
        Ok(room.thread(wanted))
    }

    fn update(&mut self, given: &Arguments) -> Done {
        given.only(&["channel", "ts", "text"])?;
        let (channel, ts) = (given.need("channel")?, given.need("ts")?);
        let new = text(given.get("text").unwrap_or_default())?;
        let message = self.message(channel, ts, UPDATE)?;
        if !message.by_bot {
            return Err(refuse(UPDATE, "cant_update_message"));
        }
        if message.raw != new.raw {
            (message.raw, message.calls) = (new.raw, new.calls);
            message.edits += 1;
        }
        Ok(json!({"channel": channel, "ts": ts, "text": message.raw}))
    }

    fn delete(&mut self, given: &Arguments) -> Done {
        given.only(&["channel", "ts"])?;
        let (channel, ts) = (given.need("channel")?, given.need("ts")?);
        if !self.message(channel, ts, DELETE)?.by_bot {
            return Err(refuse(DELETE, "cant_delete_message"));
        }
        self.room(channel)?.messages.remove(ts);
        Ok(json!({"channel": channel, "ts": ts}))
    }

    fn permalink(&mut self, given: &Arguments) -> Done {
        given.only(&["channel", "message_ts"])?;
        let (channel, ts) = (given.need("channel")?, given.need("message_ts")?);
        let message = self.message(channel, ts, LINK)?;
        let mut link = format!(
            "https://foldback.slack.com/archives/{channel}/p{}",
            ts.replace('.', "")
        );
        if let Some(thread) = &message.thread {
            link = format!("{link}?thread_ts={thread}&cid={channel}");
        }
        Ok(json!({"channel": channel, "permalink": link}))
    }

    fn react(&mut self, given: &Arguments) -> Done {
        given.only(&["channel", "timestamp", "name"])?;
        let (channel, ts, name) = (
            given.need("channel")?,
            given.need("timestamp")?,
            given.need("name")?,
        );
        if !is_emoji_name(name) && !self.own_emoji.contains(name) {
            return Err(refuse(EMOJI, "invalid_name"));
        }
        if !is_message_id(platform::SLACK, &ts.into()) {
            return Err(refuse(REACT, "bad_timestamp"));
        }
        if self
            .message(channel, ts, REACT)?
            .reactions
            .insert(name.to_owned())
        {
            return Ok(json!({}));
        }
        // Breaks no rule: it is how Slack says that there is nothing to do.
        Err(Answer::error("already_reacted"))
    }

    /// The conversation of this id.
    pub(super) fn room(&mut self, channel: &str) -> Result<&mut Room, Answer> {
        self.rooms
            .get_mut(channel)
            .ok_or_else(|| refuse(CHANNEL, "channel_not_found"))
    }

    fn message(&mut self, channel: &str, ts: &str, rule: Rule) -> Result<&mut Posted, Answer> {
        let found = self.room(channel)?.messages.get_mut(ts);
        found.ok_or_else(|| refuse(rule, "message_not_found"))
    }
}

/// A message of the bot with this text.
fn text(raw: &str) -> Result<Posted, Answer> {
    if raw.trim().is_empty() {
        return Err(refuse(TEXT, "no_text"));
    }
    written(raw)
}

/// The same, though it may be empty.
pub(super) fn written(raw: &str) -> Result<Posted, Answer> {
    if raw.chars().count() > 4_000 {
        return Err(refuse(LENGTH, "msg_too_long"));
    }
    Ok(Posted {
        by_bot: true,
        raw: raw.to_owned(),
        calls: mrkdwn::calls(raw).map_err(|rule| refuse(rule, "invalid_arguments"))?,
        ..Posted::default()
    })
}
