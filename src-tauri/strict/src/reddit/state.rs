//! The content of Reddit.

use super::app::RedditApp;
use crate::fault::Faults;
use crate::{Broken, Rule};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The reason for which nobody can comment below a post or a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// The moderators locked it.
    Locked,
    /// It is too old.
    Archived,
    /// It was deleted.
    Deleted,
    /// The bot may not write in the subreddit.
    Banned,
}

/// A comment or a private message of the bot, or to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posted {
    /// The bot wrote it.
    pub by_bot: bool,
    /// Its text.
    pub text: String,
    /// The name of the text above it; of a message that answers none, `u/` and the name of who it is for.
    pub parent: String,
    /// Number of its edits.
    pub edits: u32,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) app: RedditApp,
    /// The access tokens that are valid.
    pub(super) tokens: BTreeSet<String>,
    pub(super) given: u64,
    /// Posts, by their fullnames.
    pub(super) posts: BTreeMap<String, String>,
    /// People that exist.
    pub(super) people: BTreeSet<String>,
    pub(super) things: BTreeMap<String, Posted>,
    /// Authors of what the bot did not write.
    pub(super) authors: BTreeMap<String, String>,
    pub(super) closed: BTreeMap<String, Closed>,
    /// Items that are not read, oldest first.
    pub(super) unread: Vec<(String, Value)>,
    /// The next writes of the account that are too many, in words and seconds.
    pub(super) too_often: Option<(String, Option<f64>)>,
    /// Number of pages of the inbox that were asked for.
    pub(super) polls: u64,
    pub(super) faults: Faults,
    pub(super) broken: Broken,
    pub(super) calls: u64,
    last: u64,
}

impl State {
    pub(super) fn new(app: RedditApp) -> Self {
        Self {
            app,
            tokens: BTreeSet::new(),
            given: 0,
            posts: BTreeMap::new(),
            people: BTreeSet::new(),
            things: BTreeMap::new(),
            authors: BTreeMap::new(),
            closed: BTreeMap::new(),
            unread: Vec::new(),
            too_often: None,
            polls: 0,
            faults: Faults::default(),
            broken: Broken::default(),
            calls: 0,
            last: 0,
        }
    }

    pub(super) fn note(&mut self, rule: Rule) {
        self.broken.note(rule);
    }

    /// Keeps something new; gives its fullname.
    pub(super) fn keep(&mut self, kind: &str, posted: Posted) -> String {
        self.last += 1;
        let name = format!("{kind}_c0mm{}", self.last);
        self.things.insert(name.clone(), posted);
        name
    }

    /// The post that something stands below.
    pub(super) fn post_of<'a>(&'a self, mut name: &'a str) -> Option<&'a str> {
        while let Some(posted) = self.things.get(name) {
            name = &posted.parent;
        }
        self.posts.contains_key(name).then_some(name)
    }

    /// The reason for which nothing can stand below this: its own, or that of its post.
    pub(super) fn closed_for(&self, name: &str) -> Option<Closed> {
        let own = self.closed.get(name).copied();
        own.or_else(|| self.closed.get(self.post_of(name)?).copied())
    }
}

pub(super) fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Plain data, whole after every change: a panic elsewhere spoils nothing.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True of a fullname of one of these types: <https://www.reddit.com/dev/api#fullnames>.
pub(super) fn is_fullname(text: &str, kinds: &[&str]) -> bool {
    let Some((kind, id)) = text.split_once('_') else {
        return false;
    };
    kinds.contains(&kind)
        && !id.is_empty()
        && id.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase())
}
