//! What a simulated platform remembers of a conversation.

use crate::ThreadMessage;
use foldback_wire::{FileKind, MessageFlags, MessageId, QuotedMessage, Sender, ThreadId, Timestamp, UserId};
use std::collections::{HashMap, VecDeque};

/// Messages a chat keeps; older ones are gone, as the platform of a bot that runs for months must be bounded.
const KEPT: usize = 10_000;

/// Who wrote a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    /// The bot.
    Bot,
    /// Somebody else.
    User(UserId),
}

/// What a message shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A file.
    File {
        /// Its path.
        path: String,
        /// How it is shown.
        kind: FileKind,
        /// Text beside it.
        caption: Option<String>,
    },
    /// A voice note.
    Voice {
        /// Path of the speech.
        path: String,
        /// What is said.
        text: String,
    },
}

/// A text that an edit replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The text before.
    pub text: String,
    /// When it was replaced.
    pub at: Timestamp,
}

/// A message on the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its id, in the platform's form.
    pub id: MessageId,
    /// Who wrote it.
    pub author: Author,
    /// How the platform names them; `None` for the bot.
    pub sender: Option<Sender>,
    /// In which thread.
    pub thread: Option<ThreadId>,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// The flags that it was sent with.
    pub flags: MessageFlags,
    /// What it shows now.
    pub content: Content,
    /// What it showed before, oldest first.
    pub history: Vec<Replaced>,
    /// The bot's reactions, in the form the platform was given.
    pub reactions: Vec<String>,
    /// When it was sent.
    pub at: Timestamp,
    /// When it was removed.
    pub deleted: Option<Timestamp>,
}

impl Message {
    /// The message for one that comes after it in its thread; `None` for one that was removed, or that one person sees.
    pub(super) fn in_thread(&self) -> Option<ThreadMessage> {
        if self.deleted.is_some() || self.flags.only_for.is_some() {
            return None;
        }
        let text = match &self.content {
            Content::Text(text) | Content::Voice { text, .. } => text.clone(),
            Content::File { path, caption, .. } => caption.clone().unwrap_or_else(|| format!("[{path}]")),
        };
        let sender = self.sender.as_ref();
        Some(ThreadMessage {
            sender: sender.map(|sender| sender.id.clone()),
            is_bot: sender.is_none_or(|sender| sender.is_bot),
            said: QuotedMessage {
                id: Some(self.id.clone()),
                sender: sender.map(|sender| sender.readable_name().to_owned()),
                text,
                own: self.author == Author::Bot,
            },
        })
    }
}

/// A conversation.
#[derive(Debug, Clone, Default)]
pub struct Chat {
    messages: VecDeque<Message>,
    /// Where each message stands, counted from the first one ever.
    places: HashMap<MessageId, usize>,
    forgotten: usize,
    /// Since when the bot is shown as typing; a message of the bot ends it.
    pub typing: Option<Timestamp>,
}

impl Chat {
    /// Every message that is remembered, removed ones included, in order.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &Message> {
        self.messages.iter()
    }

    /// The message of this id, unless it was removed.
    pub fn message(&self, id: &MessageId) -> Option<&Message> {
        let place = self.places.get(id)? - self.forgotten;
        self.messages.get(place).filter(|m| m.deleted.is_none())
    }

    pub(super) fn message_mut(&mut self, id: &MessageId) -> Option<&mut Message> {
        let place = self.places.get(id)? - self.forgotten;
        self.messages.get_mut(place).filter(|m| m.deleted.is_none())
    }

    pub(super) fn knows(&self, id: &MessageId) -> bool {
        self.places.contains_key(id)
    }

    pub(super) fn push(&mut self, message: Message) {
        if self.messages.len() == KEPT
            && let Some(oldest) = self.messages.pop_front()
        {
            self.places.remove(&oldest.id);
            self.forgotten += 1;
        }
        self.places
            .insert(message.id.clone(), self.forgotten + self.messages.len());
        self.messages.push_back(message);
    }
}
