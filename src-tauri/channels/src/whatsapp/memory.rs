//! What is remembered of the chats while the process lives. Bounded; what is forgotten costs a typing indicator or a
//! clear word, never a message.

use foldback_wire::{ChatId, MessageId, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// Chats whose latest message is known.
const CHATS: usize = 2_000;
/// Reactions, and messages that are known not to have arrived.
const MESSAGES: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Memory {
    latest: BTreeMap<ChatId, (Timestamp, MessageId)>,
    /// A reaction is a message of its own, of which nobody but the platform knows: its id, and what it was put on.
    reactions: VecDeque<(MessageId, MessageId)>,
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

    /// A reaction was put on a message.
    pub(super) fn reacted(&mut self, reaction: MessageId, on: MessageId) {
        push(&mut self.reactions, (reaction, on));
    }

    /// What a reaction was put on.
    pub(super) fn reaction_on(&self, reaction: &MessageId) -> Option<&MessageId> {
        let found = self.reactions.iter().find(|(known, _)| known == reaction);
        found.map(|(_, on)| on)
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
