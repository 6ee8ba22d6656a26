//! The content of X.

use super::client::XClient;
use crate::Broken;
use crate::fault::Faults;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// The reason for which a post takes no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// It was deleted, or its author is suspended or blocks the bot.
    Gone,
    /// Its author lets only others reply.
    Restricted,
}

/// A post.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posted {
    /// The id of its author.
    pub author: u64,
    /// Its text.
    pub text: String,
    /// The post that it answers.
    pub parent: Option<u64>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) client: XClient,
    /// The refresh token that is used next, and those that were used.
    pub(super) refresh: String,
    pub(super) used: BTreeSet<String>,
    pub(super) tokens: BTreeSet<String>,
    pub(super) given: u64,
    pub(super) users: BTreeMap<u64, String>,
    pub(super) posts: BTreeMap<u64, Posted>,
    /// Posts that mention the bot, and what they are told with.
    pub(super) mentions: BTreeMap<u64, Value>,
    pub(super) closed: BTreeMap<u64, Closed>,
    /// Tokens of pages, and the number before which each goes on.
    pub(super) pages: BTreeMap<String, u64>,
    pub(super) polls: u64,
    /// Questions of which none is left, and until when. The pipeline paces the other calls.
    pub(super) used_up: BTreeMap<&'static str, Instant>,
    pub(super) faults: Faults,
    pub(super) broken: Broken,
    pub(super) calls: u64,
    last: u64,
}

/// The id of the first post: one of November 2026.
const FIRST: u64 = 1_992_000_000_000_000_000;

impl State {
    pub(super) fn new(client: XClient) -> Self {
        Self {
            refresh: client.refresh_token.clone(),
            client,
            used: BTreeSet::new(),
            tokens: BTreeSet::new(),
            used_up: BTreeMap::new(),
            given: 0,
            users: BTreeMap::new(),
            posts: BTreeMap::new(),
            mentions: BTreeMap::new(),
            closed: BTreeMap::new(),
            pages: BTreeMap::new(),
            polls: 0,
            faults: Faults::default(),
            broken: Broken::default(),
            calls: 0,
            last: FIRST,
        }
    }

    /// Keeps a new post; gives its id.
    pub(super) fn keep(&mut self, posted: Posted) -> u64 {
        self.last += 1 << 22;
        self.posts.insert(self.last, posted);
        self.last
    }

    /// The first post of a conversation.
    pub(super) fn root_of(&self, mut id: u64) -> u64 {
        while let Some(parent) = self.posts.get(&id).and_then(|posted| posted.parent) {
            id = parent;
        }
        id
    }

    /// A post as it is told.
    pub(super) fn told(&self, id: u64) -> Value {
        let Some(posted) = self.posts.get(&id) else {
            return Value::Null;
        };
        let references = posted
            .parent
            .map(|parent| json!([{"type": "replied_to", "id": parent.to_string()}]));
        let text = posted
            .text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let mut told = json!({
            "id": id.to_string(), "text": text, "author_id": posted.author.to_string(),
            "conversation_id": self.root_of(id).to_string(), "created_at": "2026-11-29T12:00:00.000Z",
        });
        if let Some(references) = references {
            told["referenced_tweets"] = references;
        }
        told
    }

    pub(super) fn user(&self, id: u64) -> Value {
        let name = self.users.get(&id).map(String::as_str).unwrap_or_default();
        json!({"id": id.to_string(), "username": name, "name": name.to_uppercase()})
    }
}
