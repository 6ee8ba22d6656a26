//! What the running bot is made of.

use crate::{
    aged::AgedMessages,
    context::TurnContext,
    conversations::Conversations,
    deliver::lanes::Lanes,
    pairing::Pairing,
    queue::Pending,
    stages::{activation::BotTurns, dedupe::Seen, sender_limit::SenderTimes},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the running bot is made of.
pub(crate) struct Core {
    pub(crate) context: Arc<TurnContext>,
    pub(crate) lanes: Arc<Lanes>,
    pub(crate) conversations: Conversations<Pending>,
    /// Messages that waited over a stop for too long to be answered without a person's word.
    pub(crate) aged: AgedMessages,
    pub(super) seen: Mutex<Seen>,
    pub(super) bot_turns: Mutex<BotTurns>,
    pub(super) sender_times: Mutex<SenderTimes>,
    pub(crate) pairing: Arc<Pairing>,
}

impl Core {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bot_turns(&self) -> MutexGuard<'_, BotTurns> {
        self.bot_turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn sender_times(&self) -> MutexGuard<'_, SenderTimes> {
        self.sender_times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
