//! The state of a conversation, and the one way in which it changes.

use super::super::entry::{Author, Change, ChatFile, ChatMessage, Reaction, Snapshot, first_units};
use super::super::limits::{self, Allowance};
use super::super::log::{Log, remove_file};
use super::super::recent::Recent;
use crate::listener::connections::Peer;
use foldback_wire::{MessageId, Timestamp};
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

#[derive(Debug)]
pub(in super::super) struct ConversationState {
    entries: VecDeque<ChatMessage>,
    text_bytes: usize,
    pub(super) recent: Recent,
    pub(super) streams: Vec<Arc<StreamPosition>>,
    log: Log,
    allowance: Allowance,
    pub(super) used: Timestamp,
}

/// The place of a stream among the recent changes.
#[derive(Debug)]
pub(in super::super) struct StreamPosition {
    pub(super) next: AtomicU64,
    pub(super) peer: Peer,
}

/// The reason for which a change was not made.
#[derive(Debug)]
pub(in super::super) enum Unchanged {
    /// There is no such message.
    NoMessage,
    /// Somebody else wrote it.
    NotOurs,
    /// It has no text that could be edited.
    NoText,
    /// It is so already.
    Already,
    /// It cannot be written down.
    Unwritten(io::Error),
}

impl From<io::Error> for Unchanged {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error)
    }
}

impl ConversationState {
    /// One without messages, whose log lies in a folder that is not there yet.
    pub(super) fn new(folder: PathBuf, epoch: Arc<str>, now: Timestamp) -> Self {
        Self {
            entries: VecDeque::new(),
            text_bytes: 0,
            recent: Recent::new(epoch),
            streams: Vec::new(),
            log: Log::new(folder),
            // Of a visitor who comes back nobody knows how much was left.
            allowance: Allowance::full(u32::MAX, Instant::now()),
            used: now,
        }
    }

    pub(in super::super) const fn log(&self) -> &Log {
        &self.log
    }

    pub(in super::super) fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    pub(in super::super) const fn allowance_mut(&mut self) -> &mut Allowance {
        &mut self.allowance
    }

    pub(in super::super) const fn used(&self) -> Timestamp {
        self.used
    }

    pub(in super::super) const fn is_watched(&self) -> bool {
        !self.streams.is_empty()
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(in super::super) fn find(&self, id: &MessageId) -> Option<&ChatMessage> {
        // What is asked for is nearly always among the last.
        self.entries.iter().rev().find(|entry| entry.id == *id)
    }

    pub(super) fn own(&self, id: &MessageId) -> Result<&ChatMessage, Unchanged> {
        let entry = self.find(id).ok_or(Unchanged::NoMessage)?;
        match entry.from {
            Author::Bot => Ok(entry),
            Author::Visitor => Err(Unchanged::NotOurs),
        }
    }

    fn find_mut(&mut self, id: &MessageId) -> Option<&mut ChatMessage> {
        self.entries.iter_mut().rev().find(|entry| entry.id == *id)
    }

    /// A file of the conversation that is still there.
    pub(in super::super) fn file(&self, id: &str) -> Option<&ChatFile> {
        self.files().find(|file| file.id == id && !file.gone)
    }

    fn files(&self) -> impl Iterator<Item = &ChatFile> {
        self.entries.iter().flat_map(|entry| &entry.files)
    }

    pub(in super::super) fn file_bytes(&self) -> u64 {
        let kept = self.files().filter(|file| !file.gone);
        kept.map(|file| file.size).sum()
    }

    pub(super) fn oldest_file(&self) -> Option<(MessageId, String)> {
        let mut kept = self.entries.iter().filter_map(|entry| {
            let file = entry.files.iter().find(|file| !file.gone)?;
            Some((entry.id.clone(), file.id.clone()))
        });
        kept.next()
    }

    /// Removes the files that no message names: those of a message that a kill kept out of the log.
    pub(in super::super) fn remove_unnamed(&self) {
        let kept = self.files().filter(|file| !file.gone);
        self.log
            .remove_others(&kept.map(|file| file.id.as_str()).collect());
    }

    pub(super) fn snapshot(&self) -> String {
        let messages = self.entries.iter().collect();
        // Strings and numbers can always be written.
        serde_json::to_string(&Snapshot { messages }).unwrap_or_default()
    }

    /// Makes a change that lasts.
    pub(super) fn make(&mut self, change: Change) -> io::Result<()> {
        let json = serde_json::to_string(&change)?;
        self.log.append(json.as_bytes())?;
        self.push(&json);
        self.apply(change);
        if self.log.is_long()
            && let Err(error) = self.log.rewrite(self.entries.iter())
        {
            // It grows on.
            tracing::warn!(%error, "the log of a conversation cannot be written anew");
        }
        Ok(())
    }

    pub(super) fn publish(&mut self, change: &Change) {
        if let Ok(json) = serde_json::to_string(change) {
            self.push(&json);
        }
    }

    fn push(&mut self, json: &str) {
        self.recent.push(json);
        let first = self.recent.first();
        for place in &self.streams {
            if place.next.load(Ordering::Relaxed) < first {
                place.peer.cut();
            }
        }
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Message { message } => {
                self.text_bytes += message.text.len();
                self.entries.push_back(message);
            }
            Change::Text { id, keep, text } => {
                let Some(entry) = self.find_mut(&id) else {
                    return;
                };
                let before = entry.text.len();
                entry.text.truncate(first_units(&entry.text, keep).len());
                entry.text.push_str(&text);
                let now = entry.text.len();
                self.text_bytes = self.text_bytes - before + now;
            }
            Change::Reaction { id, emoji, from, on } => {
                let Some(entry) = self.find_mut(&id) else {
                    return;
                };
                entry.reactions.retain(|r| !(r.from == from && r.emoji == emoji));
                if on {
                    entry.reactions.push(Reaction { emoji, from });
                }
            }
            Change::Removed { id } => {
                if let Some(at) = self.entries.iter().position(|entry| entry.id == id) {
                    self.drop_entry(at);
                }
            }
            Change::FileGone { id, file } => {
                let path = self.log.file(&file);
                let files = self.find_mut(&id).map(|entry| entry.files.iter_mut());
                if let Some(gone) = files.into_iter().flatten().find(|known| known.id == file) {
                    gone.gone = true;
                    remove_file(&path);
                }
            }
            Change::Typing => {}
        }
        while self.entries.len() > limits::MESSAGES
            || (self.text_bytes > limits::TEXT && self.entries.len() > 1)
        {
            self.drop_entry(0);
        }
    }

    /// Forgets a message, with its files.
    fn drop_entry(&mut self, at: usize) {
        let Some(entry) = self.entries.remove(at) else {
            return;
        };
        self.text_bytes -= entry.text.len();
        for file in &entry.files {
            remove_file(&self.log.file(&file.id));
        }
    }
}
