//! What is remembered of the chats while the process lives. Bounded; what is forgotten costs a typing indicator or a
//! clear word, never a message.

use foldback_wire::{ChatId, MessageId, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// Chats whose latest message is known.
const CHATS: usize = 2_000;
/// Messages that are a part of an operation, and those that are known not to have arrived.
const MESSAGES: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Memory {
    latest: BTreeMap<ChatId, (Timestamp, MessageId)>,
    /// What is a message of its own here and a part of something elsewhere, and what it is, in words.
    parts: VecDeque<(MessageId, String)>,
    lost: VecDeque<MessageId>,
    /// Whether a webhook was signed with our secret; `None` before the first one.
    secret_fits: Option<bool>,
}

impl Memory {
    /// A message came in. Webhooks come in any order: the latest one is the one written last.
    pub(super) fn came(&mut self, chat: &ChatId, at: Timestamp, message: &MessageId) {
        let known = self.latest.get(chat).map(|(latest, _)| *latest);
        if known.is_some_and(|latest| latest > at) {
            return;
        }
        if known.is_none() && self.latest.len() >= CHATS {
            let oldest = self.latest.iter().min_by_key(|(_, (at, _))| *at);
            if let Some(chat) = oldest.map(|(chat, _)| chat.clone()) {
                self.latest.remove(&chat);
            }
        }
        self.latest.insert(chat.clone(), (at, message.clone()));
    }

    /// The latest message of a chat.
    pub(super) fn latest(&self, chat: &ChatId) -> Option<MessageId> {
        self.latest.get(chat).map(|(_, message)| message.clone())
    }

    /// A part of something was sent as a message.
    pub(super) fn sent_part(&mut self, message: MessageId, words: String) {
        push(&mut self.parts, (message, words));
    }

    /// What a message is a part of, in words.
    pub(super) fn part(&self, message: &MessageId) -> Option<&str> {
        let found = self.parts.iter().find(|(known, _)| known == message);
        found.map(|(_, words)| words.as_str())
    }

    /// A webhook was signed with our secret, or not; gives what was known before. What fitted once stays right.
    pub(super) fn judge_secret(&mut self, fits: bool) -> Option<bool> {
        let fits = fits || self.secret_fits == Some(true);
        self.secret_fits.replace(fits)
    }

    /// Whether it is written down that a message did not arrive: the same webhook comes more than once.
    pub(super) fn is_lost(&self, message: &MessageId) -> bool {
        self.lost.contains(message)
    }

    /// It is written down that a message did not arrive.
    pub(super) fn lost(&mut self, message: &MessageId) {
        if !self.is_lost(message) {
            push(&mut self.lost, message.clone());
        }
    }
}

fn push<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() >= MESSAGES {
        queue.pop_front();
    }
    queue.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_message_is_the_one_written_last() {
        let mut memory = Memory::default();
        let chat = ChatId::new("1");
        memory.came(&chat, Timestamp(2), &"b".into());
        memory.came(&chat, Timestamp(1), &"a".into());
        assert_eq!(memory.latest(&chat), Some("b".into()));
        memory.came(&chat, Timestamp(2), &"c".into());
        assert_eq!(memory.latest(&chat), Some("c".into()));
        assert_eq!(memory.latest(&"2".into()), None);
    }

    #[test]
    fn it_is_bounded_and_forgets_the_oldest() {
        let mut memory = Memory::default();
        for n in 0..=CHATS {
            let at = Timestamp(i64::try_from(n).unwrap());
            memory.came(&n.to_string().into(), at, &"m".into());
        }
        assert_eq!((memory.latest.len(), memory.latest(&"0".into())), (CHATS, None));
        for n in 0..=MESSAGES {
            let message = n.to_string().into();
            assert!(!memory.is_lost(&message));
            memory.lost(&message);
            memory.lost(&message);
        }
        assert!(memory.is_lost(&"1".into()), "known");
        assert!(!memory.is_lost(&"0".into()), "forgotten");
        assert_eq!(memory.lost.len(), MESSAGES);
    }
}
