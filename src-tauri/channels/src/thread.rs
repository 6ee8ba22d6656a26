//! What was said in a thread before a message of it, as a platform tells it when it is asked.

use foldback_wire::{ChatId, MessageId, QuotedMessage, ThreadId, UserId};
use serde::{Deserialize, Serialize};

/// The part of a thread that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadQuery {
    /// The chat that the thread belongs to.
    pub chat: ChatId,
    /// The thread.
    pub thread: ThreadId,
    /// The message before which it is read.
    pub before: MessageId,
    /// Most messages beside the one that began the thread: the last ones.
    pub limit: u32,
}

/// A message of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadMessage {
    /// The account of its author, where told.
    pub sender: Option<UserId>,
    /// True where that is a bot, or the platform does not tell a person.
    pub is_bot: bool,
    /// Its author, by name, and its words.
    pub said: QuotedMessage,
}

/// A part of a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadPart {
    /// The message that began the thread, where there is one.
    pub starter: Option<ThreadMessage>,
    /// The last messages before the one that was asked about, oldest first, without the first of the thread.
    pub recent: Vec<ThreadMessage>,
    /// The reason for which some of it was not read, in words.
    pub missing: Option<String>,
}

/// The words of a message; of one that says nothing, the names of its files. `None` where it has neither.
pub(crate) fn words<'a>(text: String, files: impl Iterator<Item = &'a str>) -> Option<String> {
    if !text.trim().is_empty() {
        return Some(text);
    }
    let files: Vec<_> = files.collect();
    (!files.is_empty()).then(|| format!("[{}]", files.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_message_without_words_is_called_by_its_files() {
        let said = |text: &str, files: &[&str]| words(text.to_owned(), files.iter().copied());
        assert_eq!(said("hi", &["a.png"]).as_deref(), Some("hi"));
        assert_eq!(said(" ", &["a.png", "b.txt"]).as_deref(), Some("[a.png, b.txt]"));
        assert_eq!(said("", &[]), None);
    }
}
