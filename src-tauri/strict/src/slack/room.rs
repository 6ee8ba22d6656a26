//! What is in the conversations.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
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
    /// Its text as it was sent.
    pub raw: String,
    /// Whom it calls: users, groups and everybody, as Slack reads its text.
    pub calls: Vec<String>,
    /// The thread it stands in.
    pub thread: Option<String>,
    /// Its file.
    pub file: Option<File>,
    /// The bot's reactions to it.
    pub reactions: BTreeSet<String>,
    /// How often it was updated.
    pub edits: u32,
    /// Links in it are shown without previews.
    pub no_previews: bool,
    /// The only person who sees it.
    pub only_for: Option<String>,
}

/// Names of somebody in the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// Name of the account.
    pub account: String,
    /// Full name.
    pub real_name: String,
    /// Name that they chose; empty where they chose none.
    pub display_name: String,
}

/// A conversation.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) messages: BTreeMap<String, Posted>,
    /// The same as the app was told of them.
    pub(super) told: BTreeMap<String, Value>,
    /// Messages that one person sees. They are none of the conversation, and cannot be changed.
    pub(super) ephemeral: Vec<Posted>,
    pub(super) members: BTreeSet<String>,
    pub(super) outside: bool,
    pub(super) archived: bool,
}

impl Room {
    /// The thread that a message with this `thread_ts` comes into. Where there is none, Slack shows the message in the
    /// channel: <https://github.com/slack-go/slack/issues/1571>.
    pub(super) fn thread(&self, wanted: Option<&str>) -> Option<String> {
        wanted
            .filter(|root| self.messages.contains_key(*root))
            .map(str::to_owned)
    }
}
