//! One conversation: what was said in it, and who watches it.
//!
//! Every change goes the same way, whether the bot or the visitor makes it: it is appended to the log, made in memory, and
//! put among the recent changes, from which the streams of its pages read. So what a page is shown, what another tab of it
//! is shown and what a reload brings are the same.
//!
//! The recent changes are the only buffer, and all streams share it. A stream has a place in it and no copy. One whose page
//! reads so slowly that its place is overwritten is cut off; its page connects again, and takes up what is left or, where
//! that is not enough, begins with all that is kept.

use super::entry::{Author, Change, ChatFile, ChatMessage, Reaction, Snapshot, first_units};
use super::limits::{self, Allowance};
use super::log::{Log, remove_file};
use super::recent::Recent;
use crate::listener::connections::Peer;
use foldback_wire::{ChatId, MessageId, Timestamp};
use hyper::body::Bytes;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio::time::Instant;

#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) chat: ChatId,
    state: Mutex<ConversationState>,
    /// The number of the last change.
    head: watch::Sender<u64>,
}

#[derive(Debug)]
pub(super) struct ConversationState {
    entries: VecDeque<ChatMessage>,
    text_bytes: usize,
    recent: Recent,
    streams: Vec<Arc<StreamPosition>>,
    log: Log,
    allowance: Allowance,
    used: Timestamp,
}

/// The place of a stream among the recent changes.
#[derive(Debug)]
pub(super) struct StreamPosition {
    next: AtomicU64,
    peer: Peer,
}

/// Why a change was not made.
#[derive(Debug)]
pub(super) enum Unchanged {
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

impl Conversation {
    /// A new one, whose log lies in a folder that is not there yet.
    pub(super) fn new(chat: ChatId, folder: PathBuf, epoch: Arc<str>, now: Timestamp) -> Self {
        let state = ConversationState {
            entries: VecDeque::new(),
            text_bytes: 0,
            recent: Recent::new(epoch),
            streams: Vec::new(),
            log: Log::new(folder),
            // Of a visitor who comes back nobody knows how much was left.
            allowance: Allowance::full(u32::MAX, Instant::now()),
            used: now,
        };
        Self {
            chat,
            state: Mutex::new(state),
            head: watch::channel(0).0,
        }
    }

    /// Reads one that an earlier process kept.
    pub(super) fn load(chat: ChatId, folder: PathBuf, epoch: Arc<str>, now: Timestamp) -> io::Result<Self> {
        let conversation = Self::new(chat, folder, epoch, now);
        {
            let mut state = conversation.state();
            for change in state.log.read()? {
                state.apply(change);
            }
            let age = state.log.written().and_then(|written| written.elapsed().ok());
            state.used = now.minus(age.unwrap_or_default());
        }
        Ok(conversation)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, ConversationState> {
        // Every change leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message; false where one of this id is there.
    pub(super) fn add(&self, message: ChatMessage, now: Timestamp) -> io::Result<bool> {
        let mut state = self.state();
        if state.find(&message.id).is_some() {
            return Ok(false);
        }
        state.used = now;
        state.make(Change::Message { message })?;
        self.tell(&state);
        Ok(true)
    }

    /// Replaces the text of a message of the bot.
    pub(super) fn edit(&self, id: &MessageId, text: &str, now: Timestamp) -> Result<(), Unchanged> {
        self.change(now, |state| {
            let entry = state.own(id)?;
            if !entry.files.is_empty() {
                return Err(Unchanged::NoText);
            }
            if entry.text == text {
                return Err(Unchanged::Already);
            }
            Ok(Change::of_text(id, &entry.text, text))
        })
    }

    /// Removes a message of an author.
    pub(super) fn remove(&self, id: &MessageId, author: Author, now: Timestamp) -> Result<(), Unchanged> {
        self.change(now, |state| {
            let entry = state.find(id).ok_or(Unchanged::NoMessage)?;
            if entry.from != author {
                return Err(Unchanged::NotOurs);
            }
            Ok(Change::Removed { id: id.clone() })
        })
    }

    /// Adds a reaction to a message, or takes it away.
    pub(super) fn react(
        &self,
        id: &MessageId,
        emoji: &str,
        from: Author,
        on: bool,
        now: Timestamp,
    ) -> Result<(), Unchanged> {
        self.change(now, |state| {
            let entry = state.find(id).ok_or(Unchanged::NoMessage)?;
            let has = entry.reactions.iter().any(|r| r.from == from && r.emoji == emoji);
            if has == on {
                return Err(Unchanged::Already);
            }
            Ok(Change::Reaction {
                id: id.clone(),
                emoji: emoji.to_owned(),
                from,
                on,
            })
        })
    }

    /// Shows that the bot writes. Who is not there does not miss it.
    pub(super) fn show_typing(&self) {
        let mut state = self.state();
        state.publish(&Change::Typing);
        self.tell(&state);
    }

    /// Lets go of the oldest files until no more than `most` bytes of them are left.
    pub(super) fn free_files(&self, most: u64) {
        let mut state = self.state();
        while state.file_bytes() > most {
            let Some((id, file)) = state.oldest_file() else {
                break;
            };
            if let Err(error) = state.make(Change::FileGone { id, file }) {
                tracing::warn!(%error, chat = %self.chat, "a file of a conversation cannot be given up");
                break;
            }
        }
        self.tell(&state);
    }

    fn change(
        &self,
        now: Timestamp,
        plan: impl FnOnce(&ConversationState) -> Result<Change, Unchanged>,
    ) -> Result<(), Unchanged> {
        let mut state = self.state();
        let change = plan(&state)?;
        state.used = now;
        state.make(change)?;
        self.tell(&state);
        Ok(())
    }

    /// Wakes the streams.
    fn tell(&self, state: &ConversationState) {
        self.head.send_replace(state.recent.next() - 1);
    }

    /// Opens a stream, after the event of this id where what follows it is here: its place, what it begins with, and when
    /// there is more. `None` where there are as many as there may be.
    pub(super) fn watch(
        &self,
        last: Option<&str>,
        peer: Peer,
        now: Timestamp,
    ) -> Option<(Arc<StreamPosition>, Bytes, watch::Receiver<u64>)> {
        let mut state = self.state();
        if state.streams.len() >= limits::TABS {
            return None;
        }
        state.used = now;
        let next = state.recent.next();
        let begin = match last.and_then(|id| state.recent.after(id)) {
            // A comment says that it is connected.
            Some(after) => state.recent.from(after).unwrap_or_else(|| ":\n\n".into()),
            None => state.recent.frame(next - 1, &state.snapshot()),
        };
        let place = Arc::new(StreamPosition {
            next: AtomicU64::new(next),
            peer,
        });
        state.streams.push(Arc::clone(&place));
        Some((place, begin, self.head.subscribe()))
    }

    /// What a stream was not given yet; `None` where there is nothing.
    pub(super) fn more(&self, place: &StreamPosition) -> Option<Bytes> {
        let state = self.state();
        let frames = state.recent.from(place.next.load(Ordering::Relaxed))?;
        place.next.store(state.recent.next(), Ordering::Relaxed);
        Some(frames)
    }

    /// Ends a stream.
    pub(super) fn leave(&self, place: &Arc<StreamPosition>, now: Timestamp) {
        let mut state = self.state();
        state.streams.retain(|open| !Arc::ptr_eq(open, place));
        state.used = now;
    }
}

impl ConversationState {
    pub(super) const fn log(&self) -> &Log {
        &self.log
    }

    pub(super) fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    pub(super) const fn allowance_mut(&mut self) -> &mut Allowance {
        &mut self.allowance
    }

    pub(super) const fn used(&self) -> Timestamp {
        self.used
    }

    pub(super) const fn is_watched(&self) -> bool {
        !self.streams.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn find(&self, id: &MessageId) -> Option<&ChatMessage> {
        // What is asked for is nearly always among the last.
        self.entries.iter().rev().find(|entry| entry.id == *id)
    }

    fn own(&self, id: &MessageId) -> Result<&ChatMessage, Unchanged> {
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
    pub(super) fn file(&self, id: &str) -> Option<&ChatFile> {
        self.files().find(|file| file.id == id && !file.gone)
    }

    fn files(&self) -> impl Iterator<Item = &ChatFile> {
        self.entries.iter().flat_map(|entry| &entry.files)
    }

    pub(super) fn file_bytes(&self) -> u64 {
        let kept = self.files().filter(|file| !file.gone);
        kept.map(|file| file.size).sum()
    }

    fn oldest_file(&self) -> Option<(MessageId, String)> {
        let mut kept = self.entries.iter().filter_map(|entry| {
            let file = entry.files.iter().find(|file| !file.gone)?;
            Some((entry.id.clone(), file.id.clone()))
        });
        kept.next()
    }

    fn snapshot(&self) -> String {
        let messages = self.entries.iter().collect();
        // Strings and numbers can always be written.
        serde_json::to_string(&Snapshot { messages }).unwrap_or_default()
    }

    /// Makes a change that lasts.
    fn make(&mut self, change: Change) -> io::Result<()> {
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

    fn publish(&mut self, change: &Change) {
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

    fn apply(&mut self, change: Change) {
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
