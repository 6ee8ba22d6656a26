//! What was held for too long goes out only when a person agrees. What its platform may have carried out is not asked
//! about: it is done again where a repetition changes nothing, and ends as `unknown` elsewhere. What is done in its place
//! is as old as it is, and asked about.

use super::{
    job::{Job, Origin},
    lanes::Lanes,
};
use crate::rules::Rule;
use foldback_channels::Channel;
use foldback_wire::{ChannelId, OpId, Timestamp};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

/// When the channel took operations again under a lane; [`NOT_YET`] while it does not. What is older was held.
pub(super) type Reopened = Arc<Mutex<Option<Timestamp>>>;

/// It has not opened again.
pub(super) const NOT_YET: Timestamp = Timestamp(i64::MAX);

/// An operation in a lane, as far as its age decides.
#[derive(Clone, Copy)]
pub(super) struct Queued {
    pub(super) op: OpId,
    /// When it was intended itself.
    pub(super) at: Timestamp,
    /// The time from which its age counts.
    age_from: Timestamp,
    resumed: bool,
    /// Its platform may have carried it out.
    pub(super) maybe_done: bool,
}

impl Queued {
    pub(super) fn of(job: &Job) -> Self {
        Self {
            op: job.entry.op,
            at: job.entry.at,
            age_from: job.entry.age_from(),
            resumed: matches!(job.origin, Origin::Resumed),
            maybe_done: job.entry.in_flight,
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
pub(super) struct GivenUp {
    pub(super) at: Timestamp,
    pub(super) by: String,
}

impl Lanes {
    /// The operations of a channel that go out only when a person agrees, as things are now.
    pub(crate) fn asking(&self, channel: &Channel) -> BTreeSet<OpId> {
        self.asking_jobs(channel).into_iter().map(|job| job.op).collect()
    }

    /// The times from which their ages count.
    pub(crate) fn asking_since(&self, channel: &Channel) -> Vec<Timestamp> {
        self.asking_jobs(channel)
            .into_iter()
            .map(|job| job.age_from)
            .collect()
    }

    fn asking_jobs(&self, channel: &Channel) -> Vec<Queued> {
        let now = self.clock.now();
        let open = channel.status().open().is_ok();
        let agreed = self.released.borrow().get(channel.id()).copied();
        let mut asking = Vec::new();
        for (_, lane) in self.lock().iter().filter(|((id, _), _)| id == channel.id()) {
            let reopened = if open { at(&lane.reopened) } else { Some(NOT_YET) };
            let jobs = lane.overtaken.values().copied();
            let jobs = jobs.chain(lane.first).chain(lane.waiting.iter().map(Queued::of));
            asking.extend(jobs.filter(|job| self.needs_consent(*job, reopened, agreed, now)));
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
        let word = GivenUp {
            at: self.clock.now(),
            by: by.to_owned(),
        };
        self.given_up.send_modify(|given_up| {
            given_up.insert(channel.clone(), word);
        });
    }

    /// Remembers of an operation that is being carried that its platform may have carried it out.
    pub(super) fn note_maybe_done(&self, job: &Job) {
        let key = (job.entry.channel.clone(), job.entry.target.clone());
        if let Some(lane) = self.lock().get_mut(&key) {
            let carried = lane.first.iter_mut().chain(lane.overtaken.values_mut());
            for queued in carried.filter(|queued| queued.op == job.entry.op) {
                queued.maybe_done = true;
            }
        }
    }

    /// True where an operation is too old to go out by itself.
    pub(super) fn is_old(&self, job: Queued, at: Timestamp) -> bool {
        !job.maybe_done && at.since(job.age_from) > self.policy.max_age.0
    }

    /// True where an operation was held too long to go out without a person's consent.
    pub(super) fn needs_consent(
        &self,
        job: Queued,
        reopened: Option<Timestamp>,
        agreed: Option<Timestamp>,
        now: Timestamp,
    ) -> bool {
        let agreed = agreed.is_some_and(|at| at >= job.age_from);
        job.was_held(reopened) && self.is_old(job, now) && !agreed && self.rules.holds(Rule::DeliverOld)
    }
}

pub(super) fn at(reopened: &Reopened) -> Option<Timestamp> {
    // A time is whole after every change, so that a panic elsewhere does not matter here.
    *reopened.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn set(reopened: &Reopened, at: Timestamp) {
    *reopened.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
}
