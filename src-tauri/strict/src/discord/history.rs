//! What was said in a channel before: <https://discord.com/developers/docs/resources/message#get-channel-messages>.

use super::answer::{Answer, form};
use super::chat::Chat;
use super::rules::LIST;
use super::server::{DiscordServer, State};
use serde_json::{Value, json};

impl State {
    /// Messages of a channel, the newest first.
    pub(super) fn list(&mut self, channel: u64, query: &str) -> Result<Value, Answer> {
        let (before, limit) = page(query)?;
        let chat = self.chat(channel)?;
        if chat.without_history {
            return Ok(json!([]));
        }
        let messages = chat.messages.range(..before.unwrap_or(u64::MAX));
        let page = messages.rev().take(limit).filter_map(|(id, _)| object(chat, *id));
        Ok(page.collect())
    }

    /// A message of a channel.
    pub(super) fn read(&mut self, channel: u64, message: u64) -> Result<Value, Answer> {
        // Breaks no rule: who asks may not know whether it is there.
        let gone = || Answer::new(404, json!({"message": "Unknown Message", "code": 10_008}));
        object(self.chat(channel)?, message).ok_or_else(gone)
    }

    /// <https://discord.com/developers/docs/resources/user#get-current-user>
    pub(super) fn me(&self) -> Value {
        json!({"id": DiscordServer::BOT.to_string(), "username": self.gateway.name, "bot": true})
    }
}

/// A message as REST shows it: only the gateway tells of the server and of its author there.
fn object(chat: &Chat, id: u64) -> Option<Value> {
    let posted = chat.messages.get(&id)?;
    let mut message = chat.told.get(&id)?.clone();
    message["content"] = posted.text.clone().into();
    for name in ["guild_id", "member"] {
        message.as_object_mut()?.remove(name);
    }
    Some(message)
}

/// The end of a page and its length.
fn page(query: &str) -> Result<(Option<u64>, usize), Answer> {
    let (mut before, mut limit) = (None, 50);
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let wrong = || form(LIST, name, "NUMBER_TYPE_COERCE", "This is no value of it.");
        match name {
            "before" => before = Some(value.parse().map_err(|_| wrong())?),
            "limit" => {
                limit = value
                    .parse()
                    .ok()
                    .filter(|n| (1..=100).contains(n))
                    .ok_or_else(wrong)?;
            }
            // Nobody here asks for what came after a message, or around it.
            _ => return Err(form(LIST, name, "UNKNOWN_FIELD", "This field is not known.")),
        }
    }
    Ok((before, limit))
}
