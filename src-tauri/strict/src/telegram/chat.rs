//! What is in the chats.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// As what: `document`, `photo`, `voice` or `audio`.
    pub field: String,
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A message of the bot, or to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posted {
    /// Whether the bot sent it.
    pub by_bot: bool,
    /// Its text or caption, without markup.
    pub text: String,
    /// The same with markup.
    pub raw: String,
    /// The message it answers.
    pub reply_to: Option<i64>,
    /// The topic it stands in.
    pub thread: Option<i64>,
    /// Its file.
    pub file: Option<File>,
    /// The bot's reaction to it.
    pub reaction: Option<String>,
    /// How often it was edited.
    pub edits: u32,
    /// It arrived without a sound.
    pub silent: bool,
    /// Links in it are shown without previews.
    pub no_previews: bool,
}

#[derive(Debug, Default)]
pub(super) struct Chat {
    pub(super) messages: BTreeMap<i64, Posted>,
    pub(super) topics: BTreeSet<i64>,
    pub(super) blocked: bool,
    pub(super) no_voice: bool,
    /// The supergroup that it is now.
    pub(super) became: Option<i64>,
    pub(super) actions: u32,
    last: i64,
}

impl Chat {
    pub(super) fn post(&mut self, message: Posted) -> i64 {
        self.last += 1;
        self.messages.insert(self.last, message);
        self.last
    }
}

/// Updates that wait for the bot.
#[derive(Debug, Default)]
pub(super) struct Queue {
    updates: VecDeque<Value>,
    last: i64,
}

impl Queue {
    pub(super) fn push(&mut self, message: &Value) {
        self.last += 1;
        self.updates
            .push_back(json!({"update_id": self.last, "message": message}));
    }

    /// Confirms everything before `offset`, and gives what there is from it on.
    pub(super) fn from(&mut self, offset: i64, limit: usize) -> Vec<Value> {
        self.updates
            .retain(|update| update["update_id"].as_i64().is_some_and(|id| id >= offset));
        self.updates.iter().take(limit).cloned().collect()
    }

    /// How many are not confirmed.
    pub(super) fn len(&self) -> usize {
        self.updates.len()
    }
}
