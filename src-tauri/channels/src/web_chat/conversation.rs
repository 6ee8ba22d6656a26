//! One conversation: what was said in it, and who watches it.
//!
//! Every change goes the same way, whether the bot or the visitor makes it: it is appended to the log, made in memory, and
//! put among the recent changes, from which the streams of its pages read. So what a page is shown, what another tab of it
//! is shown and what a reload brings are the same.
//!
//! The recent changes are the only buffer, and all streams share it. A stream has a place in it and no copy. One whose page
//! reads so slowly that its place is overwritten is cut off; its page connects again, and takes up what is left or, where
//! that is not enough, begins with all that is kept.

mod state;

pub(super) use state::{ConversationState, StreamPosition, Unchanged};

use super::entry::{Author, Change, ChatMessage};
use super::limits;
use crate::listener::connections::Peer;
use foldback_wire::{ChatId, MessageId, Timestamp};
use hyper::body::Bytes;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) chat: ChatId,
    /// The address that began it; none where an earlier process did, or this machine.
    pub(super) begun_by: Option<IpAddr>,
    state: Mutex<ConversationState>,
    /// The number of the last change.
    head: watch::Sender<u64>,
}

impl Conversation {
    /// A new one, whose log lies in a folder that is not there yet.
    pub(super) fn new(
        chat: ChatId,
        begun_by: Option<IpAddr>,
        folder: PathBuf,
        epoch: Arc<str>,
        now: Timestamp,
    ) -> Self {
        Self {
            chat,
            begun_by,
            state: Mutex::new(ConversationState::new(folder, epoch, now)),
            head: watch::channel(0).0,
        }
    }

    /// Reads one that an earlier process kept.
    pub(super) fn load(chat: ChatId, folder: PathBuf, epoch: Arc<str>, now: Timestamp) -> io::Result<Self> {
        let conversation = Self::new(chat, None, folder, epoch, now);
        {
            let mut state = conversation.state();
            for change in state.log_mut().read()? {
                state.apply(change);
            }
            let age = state.log().written().and_then(|written| written.elapsed().ok());
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
