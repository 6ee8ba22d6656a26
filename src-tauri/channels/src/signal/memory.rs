//! The latest messages. signal-cli keeps none: it cannot say what a quotation quotes, whether a message is removed
//! already, or that it hands the same one over twice.

use foldback_wire::{ChatId, MessageId};
use std::collections::VecDeque;

/// Messages that are remembered.
const MESSAGES: usize = 1_024;
/// Characters of each: what a quotation shows.
const TEXT: usize = 200;

#[derive(Debug, Default)]
pub(super) struct Memory(VecDeque<Known>);

#[derive(Debug)]
struct Known {
    chat: ChatId,
    id: MessageId,
    text: String,
    removed: bool,
}

impl Memory {
    /// Remembers a message; `false` where it is known already.
    pub(super) fn add(&mut self, chat: &ChatId, id: &MessageId, text: &str) -> bool {
        if self.find(chat, id).is_some() {
            return false;
        }
        if self.0.len() == MESSAGES {
            self.0.pop_front();
        }
        self.0.push_back(Known {
            chat: chat.clone(),
            id: id.clone(),
            text: text.chars().take(TEXT).collect(),
            removed: false,
        });
        true
    }

    /// What a message says, where it is known.
    pub(super) fn text(&self, chat: &ChatId, id: &MessageId) -> Option<&str> {
        self.find(chat, id).map(|known| known.text.as_str())
    }

    /// Whether a message was removed.
    pub(super) fn is_removed(&self, chat: &ChatId, id: &MessageId) -> bool {
        self.find(chat, id).is_some_and(|known| known.removed)
    }

    /// A message was removed.
    pub(super) fn remove(&mut self, chat: &ChatId, id: &MessageId) {
        self.add(chat, id, "");
        let known = self
            .0
            .iter_mut()
            .rfind(|known| known.id == *id && known.chat == *chat);
        if let Some(known) = known {
            known.removed = true;
        }
    }

    fn find(&self, chat: &ChatId, id: &MessageId) -> Option<&Known> {
        self.0
            .iter()
            .rfind(|known| known.id == *id && known.chat == *chat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_knows_a_message_once_and_forgets_the_oldest() {
        let mut memory = Memory::default();
        let (chat, id) = (ChatId::from("+33123456789"), |n: usize| {
            MessageId::new(n.to_string())
        });
        assert!(memory.add(&chat, &id(0), &"é".repeat(300)));
        assert!(!memory.add(&chat, &id(0), "again"));
        assert!(memory.add(&"+33987654321".into(), &id(0), "elsewhere"));
        assert_eq!(memory.text(&chat, &id(0)), Some("é".repeat(200).as_str()));
        memory.remove(&chat, &id(0));
        assert!(memory.is_removed(&chat, &id(0)));
        for n in 1..=MESSAGES {
            memory.add(&chat, &id(n), "x");
        }
        assert_eq!((memory.text(&chat, &id(0)), memory.0.len()), (None, MESSAGES));
    }
}
