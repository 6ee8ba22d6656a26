//! The state of deliveries while the bot runs.

use crate::delivery_budget::DeliveryBudget;
use foldback_wire::{ChannelId, ChatId, DeliveryRefusal, Timestamp};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The time within which one refusal of a kind is told for a chat: a script that goes on and on fills no journal.
const TOLD_FOR: Duration = Duration::from_hours(1);

/// Most kinds of refusals that are remembered.
const MOST_TOLD: usize = 1_000;

/// The state of deliveries while the bot runs.
#[derive(Default)]
pub(super) struct DeliveriesState {
    /// Held while a request is taken in: two of one id never both find that they are the first.
    pub(super) accepting: tokio::sync::Mutex<()>,
    budget: Mutex<DeliveryBudget>,
    /// The times at which refusals were told.
    told: Mutex<BTreeMap<(ChannelId, ChatId, DeliveryRefusal), Timestamp>>,
}

impl DeliveriesState {
    /// The budgets.
    pub(super) fn budget(&self) -> MutexGuard<'_, DeliveryBudget> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True for a refusal that is to be told: the first of its kind for its chat within an hour.
    pub(super) fn is_news(
        &self,
        channel: &ChannelId,
        chat: &ChatId,
        reason: DeliveryRefusal,
        now: Timestamp,
    ) -> bool {
        let since = now.minus(TOLD_FOR);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|_, at| *at > since);
        let key = (channel.clone(), chat.clone(), reason);
        if told.contains_key(&key) || told.len() >= MOST_TOLD {
            return false;
        }
        told.insert(key, now);
        true
    }
}
