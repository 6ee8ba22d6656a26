//! What is in the chats.

use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// A file that was uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// Its media type.
    pub mime: String,
    /// Its name as it was uploaded.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A message of the business, or to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posted {
    /// Whether the business sent it.
    pub by_us: bool,
    /// Its type: `text`, `image`, `audio`, `document`, `video`.
    pub kind: String,
    /// Its text or caption.
    pub text: String,
    /// The message it answers.
    pub reply_to: Option<String>,
    /// Its file.
    pub media: Option<Media>,
    /// The name under which a document is shown.
    pub filename: Option<String>,
    /// Whether it is a voice message.
    pub voice: bool,
    /// The business's reaction to it.
    pub reaction: Option<String>,
    /// Whether the business has read it.
    pub read: bool,
}

#[derive(Debug, Default)]
pub(super) struct Chat {
    pub(super) messages: BTreeMap<String, Posted>,
    /// The ids, oldest first.
    pub(super) order: Vec<String>,
    /// Not on the platform.
    pub(super) unknown: bool,
    /// The last message is older than 24 hours.
    pub(super) closed: bool,
    /// Refusals that are about the chat come later, as failed messages.
    pub(super) late: bool,
    pub(super) typing: u32,
}

impl Chat {
    pub(super) fn post(&mut self, id: &str, message: Posted) {
        self.messages.insert(id.to_owned(), message);
        self.order.push(id.to_owned());
    }
}

/// What the endpoint has not confirmed. One webhook carries several items.
#[derive(Debug)]
pub(super) struct Queue {
    items: VecDeque<Value>,
    /// Most items of one webhook.
    pub(super) batch: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            items: VecDeque::new(),
            batch: 1,
        }
    }
}

impl Queue {
    /// Adds the `value` of a change.
    pub(super) fn push(&mut self, value: Value) {
        self.items.push_back(value);
    }

    /// The changes of the next webhook.
    pub(super) fn next(&self) -> Vec<Value> {
        self.items.iter().take(self.batch).cloned().collect()
    }

    /// So many were confirmed.
    pub(super) fn confirm(&mut self, number: usize) {
        self.items.drain(..number.min(self.items.len()));
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
}
