//! The messages that the bot wrote itself, so that an echo of one is known, and an answer to one.

use foldback_wire::{ChannelId, ChatId, MessageId, Outcome, OutcomeCode, Target};
use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, PoisonError},
};

/// Messages remembered; the oldest go first.
const CAPACITY: usize = 5_000;

type MessagePlace = (ChannelId, ChatId, MessageId);

/// The messages that platforms acknowledged lately.
#[derive(Debug, Default)]
pub(crate) struct OwnMessages(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    known: HashSet<MessagePlace>,
    order: VecDeque<MessagePlace>,
}

impl OwnMessages {
    /// Remembers a message that a platform acknowledged.
    pub(crate) fn remember_message(&self, channel: &ChannelId, target: &Target, outcome: &Outcome) {
        let (OutcomeCode::Sent, Some(message)) = (outcome.code, &outcome.message) else {
            return;
        };
        let place = (channel.clone(), target.chat.clone(), message.clone());
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.known.insert(place.clone()) {
            memory.order.push_back(place);
            if memory.order.len() > CAPACITY
                && let Some(oldest) = memory.order.pop_front()
            {
                memory.known.remove(&oldest);
            }
        }
    }

    /// True where the bot wrote a message.
    pub(crate) fn contains(&self, channel: &ChannelId, chat: &ChatId, message: &MessageId) -> bool {
        let place = (channel.clone(), chat.clone(), message.clone());
        let memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memory.known.contains(&place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_knows_what_was_acknowledged_lately_in_its_chat() {
        let sent = OwnMessages::default();
        let target = Target {
            chat: "c1".into(),
            thread: None,
        };
        let outcome = |code, message: String| Outcome {
            message: Some(message.into()),
            ..Outcome::new(code)
        };
        let knows = |chat: &str, message: &str| sent.contains(&"slack".into(), &chat.into(), &message.into());
        sent.remember_message(
            &"slack".into(),
            &target,
            &outcome(OutcomeCode::DryRun, "x".into()),
        );
        assert!(!knows("c1", "x"));
        for n in 0..=CAPACITY {
            sent.remember_message(
                &"slack".into(),
                &target,
                &outcome(OutcomeCode::Sent, n.to_string()),
            );
        }
        assert!(!knows("c1", "0") && knows("c1", "1") && !knows("c2", "1"));
    }
}
