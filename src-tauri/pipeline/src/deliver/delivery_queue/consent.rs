//! Consent: an operation that was held for too long goes out only when a person agrees. What its platform may have
//! carried out is not asked about: it is done again where a repetition changes nothing, and ends as `unknown`
//! elsewhere. What is done in its place is as old as it is, and asked about.

use super::{DeliveryQueues, completion::Origin, queued::QueuedOperation};
use crate::rules::Rule;
use foldback_channels::Channel;
use foldback_wire::{ChannelId, OpId, Timestamp};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

/// The time at which the channel took operations again under a queue; [`NOT_YET`] while it does not. What is older was
/// held.
pub(super) type ReopenTime = Arc<Mutex<Option<Timestamp>>>;

/// It has not opened again.
pub(super) const NOT_YET: Timestamp = Timestamp(i64::MAX);

/// An operation in a queue, as far as its age decides.
#[derive(Clone, Copy)]
pub(super) struct OperationAge {
    pub(super) op: OpId,
    /// The time at which it was intended itself.
    pub(super) at: Timestamp,
    /// The time from which its age counts.
    age_from: Timestamp,
    resumed: bool,
    /// Its platform may have carried it out.
    pub(super) maybe_done: bool,
}

impl OperationAge {
    pub(super) fn of(queued: &QueuedOperation) -> Self {
        Self {
            op: queued.entry.op,
            at: queued.entry.at,
            age_from: queued.entry.age_from(),
            resumed: matches!(queued.origin, Origin::Resumed),
            maybe_done: queued.entry.in_flight,
        }
    }

    /// The same, with what is known meanwhile of whether its platform may have carried it out.
    pub(super) const fn with_maybe_done(self, maybe_done: bool) -> Self {
        Self { maybe_done, ..self }
    }

    /// True where it waited for its channel, for its platform, or for a start.
    pub(super) fn was_held(self, reopened: Option<Timestamp>) -> bool {
        self.resumed || reopened.is_some_and(|at| self.age_from <= at)
    }
}

/// A person's word that what is old is not sent any more.
#[derive(Clone)]
pub(super) struct GiveUpOrder {
    pub(super) at: Timestamp,
    pub(super) by: String,
}

impl DeliveryQueues {
    /// The operations of a channel that go out only when a person agrees, as things are now.
    pub(crate) fn asking(&self, channel: &Channel) -> BTreeSet<OpId> {
        self.asking_ages(channel).into_iter().map(|age| age.op).collect()
    }

    /// The times from which their ages count.
    pub(crate) fn asking_since(&self, channel: &Channel) -> Vec<Timestamp> {
        self.asking_ages(channel)
            .into_iter()
            .map(|age| age.age_from)
            .collect()
    }

    fn asking_ages(&self, channel: &Channel) -> Vec<OperationAge> {
        let now = self.clock.now();
        let open = channel.status().open().is_ok();
        let agreed = self.released.borrow().get(channel.id()).copied();
        let mut asking = Vec::new();
        for (_, queue) in self.lock().iter().filter(|((id, _), _)| id == channel.id()) {
            let reopened = if open {
                reopened_at(&queue.reopened)
            } else {
                Some(NOT_YET)
            };
            let ages = queue.overtaken.values().copied();
            let ages = ages
                .chain(queue.first)
                .chain(queue.waiting.iter().map(OperationAge::of));
            asking.extend(ages.filter(|age| self.needs_consent(*age, reopened, agreed, now)));
        }
        asking
    }

    /// A person lets everything go that is held on a channel now, however old.
    pub(crate) fn release(&self, channel: &ChannelId) {
        let now = self.clock.now();
        self.released.send_modify(|released| {
            released.insert(channel.clone(), now);
        });
    }

    /// A person gives up what is held on a channel and too old now to go out by itself.
    pub(crate) fn give_up(&self, channel: &ChannelId, by: &str) {
        let word = GiveUpOrder {
            at: self.clock.now(),
            by: by.to_owned(),
        };
        self.given_up.send_modify(|given_up| {
            given_up.insert(channel.clone(), word);
        });
    }

    /// Remembers of an operation that is being carried that its platform may have carried it out.
    pub(super) fn note_maybe_done(&self, queued: &QueuedOperation) {
        let key = (queued.entry.channel.clone(), queued.entry.target.clone());
        if let Some(queue) = self.lock().get_mut(&key) {
            let carried = queue.first.iter_mut().chain(queue.overtaken.values_mut());
            for age in carried.filter(|age| age.op == queued.entry.op) {
                age.maybe_done = true;
            }
        }
    }

    /// True where an operation is too old to go out by itself.
    pub(super) fn is_old(&self, age: OperationAge, at: Timestamp) -> bool {
        !age.maybe_done && at.since(age.age_from) > self.policy.max_age.0
    }

    /// True where an operation was held too long to go out without a person's consent.
    pub(super) fn needs_consent(
        &self,
        age: OperationAge,
        reopened: Option<Timestamp>,
        agreed: Option<Timestamp>,
        now: Timestamp,
    ) -> bool {
        let agreed = agreed.is_some_and(|at| at >= age.age_from);
        age.was_held(reopened) && self.is_old(age, now) && !agreed && self.rules.holds(Rule::DeliverOld)
    }
}

pub(super) fn reopened_at(reopened: &ReopenTime) -> Option<Timestamp> {
    // A time is whole after every change, so that a panic elsewhere does not matter here.
    *reopened.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn set_reopened(reopened: &ReopenTime, at: Timestamp) {
    *reopened.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
}
