//! The clearance of an operation: its channel is open, a person agrees where it is old, its platform wants calls, and
//! somebody still needs it.

use super::{
    DeliveryQueues,
    completion::Origin,
    consent::{GiveUpOrder, NOT_YET, OperationAge, ReopenTime, reopened_at, set_reopened},
    hold::QueueHold,
    pace::Passage,
    queued::QueuedOperation,
};
use crate::{permissions::QuestionDelivery, rules::Rule};
use foldback_channels::Status;
use foldback_store::StoreError;
use foldback_wire::{ChannelId, HoldReason, Kind, SteadyTime, Timestamp};
use std::{collections::BTreeMap, pin::Pin, time::Duration};
use tokio::sync::watch;

/// The answer to an operation that wants to go.
pub(super) enum Clearance {
    Free,
    /// A live edit that nobody needs later.
    Superfluous {
        /// The time for which its platform wants no call like it, if it is that.
        retry_after: Option<Duration>,
    },
    /// Nobody needs it any more.
    Obsolete,
    /// A person gave it up.
    GivenUp {
        by: String,
    },
    /// The process is ending; the operation stays in the outbox.
    Stopping,
}

/// The limits that an operation has met so far.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct MetLimits {
    /// Its platform had it wait, for itself or together with others.
    pub(super) met: bool,
    /// The journal has it that it waits.
    pub(super) noted: bool,
}

/// Everything that decides about an operation, at a moment.
struct Circumstances {
    now: Timestamp,
    open: bool,
    /// It is to reach the platform.
    armed: bool,
    /// The time until which the platform wants no such call.
    paused: Option<Timestamp>,
    /// Before this it is not to go.
    not_before: Option<SteadyTime>,
    /// The pause is longer than anything but a held operation waits.
    is_long: bool,
    agreed: Option<Timestamp>,
    /// The person who gave up what is as old.
    given_up: Option<String>,
}

/// An operation that waits for its clearance.
struct ClearanceWait<'a> {
    queues: &'a DeliveryQueues,
    queued: &'a QueuedOperation,
    age: OperationAge,
    hold: &'a QueueHold,
    reopened: &'a ReopenTime,
    limited: &'a mut MetLimits,
    passage: Passage,
    /// Its place and rate were counted.
    passed: bool,
    /// It was held at least once.
    was_held: bool,
    status: watch::Receiver<Status>,
    released: watch::Receiver<BTreeMap<ChannelId, Timestamp>>,
    given_up: watch::Receiver<BTreeMap<ChannelId, GiveUpOrder>>,
    pauses: watch::Receiver<u64>,
}

impl DeliveryQueues {
    /// Waits until an operation may go; `maybe_done` where its platform may have carried it out.
    pub(super) async fn wait_for_clearance(
        &self,
        queued: &QueuedOperation,
        hold: &QueueHold,
        reopened: &ReopenTime,
        limited: &mut MetLimits,
        maybe_done: bool,
    ) -> Result<Clearance, StoreError> {
        let kind = queued.entry.operation.kind();
        let waiting = ClearanceWait {
            queues: self,
            queued,
            age: OperationAge::of(queued).with_maybe_done(maybe_done),
            hold,
            reopened,
            limited,
            passage: self.pace.passage(&queued.channel, &queued.entry.target, kind),
            passed: false,
            was_held: false,
            status: queued.channel.watch(),
            released: self.released.subscribe(),
            given_up: self.given_up.subscribe(),
            pauses: self.pace.pauses(),
        };
        let clearance = waiting.wait().await;
        hold.set_reason(None);
        clearance
    }
}

impl ClearanceWait<'_> {
    async fn wait(mut self) -> Result<Clearance, StoreError> {
        let queues = self.queues;
        let passage = self.passage.clone();
        // Dropped, with its place in the line, wherever it is not waited for.
        let mut passing: Option<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = None;
        loop {
            let all = self.circumstances();
            if let Some(clearance) = self.decide_clearance(&all) {
                return Ok(clearance);
            }
            let over = if self.note_hold(&all)? {
                passing = None;
                let paused = all.paused.filter(|_| all.is_long);
                paused.map(|until| queues.clock.sleep_until(until))
            } else if let Some(until) = all.not_before {
                Some(queues.clock.sleep_until_steady(until))
            } else {
                passing.get_or_insert_with(|| Box::pin(queues.pace.wait_to_pass(&passage)));
                None
            };
            let passed = async {
                match &mut passing {
                    Some(passing) => passing.await,
                    None => std::future::pending().await,
                }
            };
            let over = async {
                match over {
                    Some(over) => over.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = queues.stop.cancelled() => return Ok(Clearance::Stopping),
                () = passed => {
                    self.passed = true;
                    passing = None;
                }
                // No sender ends before this queue does.
                _ = self.status.changed() => {}
                _ = self.released.changed() => {}
                _ = self.given_up.changed() => {}
                _ = self.pauses.changed() => {}
                () = over => {}
                () = self.queued.no_longer_needed() => {}
            }
        }
    }

    fn circumstances(&mut self) -> Circumstances {
        let (queues, entry) = (self.queues, &self.queued.entry);
        self.pauses.borrow_and_update();
        let (open, armed) = {
            let status = self.status.borrow_and_update();
            let open = status.open_for(entry.dry_run).is_ok() || !queues.rules.holds(Rule::DeliverOff);
            (open, status.armed && !entry.dry_run)
        };
        let now = queues.clock.now();
        let paused = queues.pace.closed_until(&self.passage);
        let paused = paused.filter(|_| armed && !self.passed);
        let word = self.given_up.borrow_and_update().get(&entry.channel).cloned();
        Circumstances {
            now,
            open,
            armed,
            paused,
            is_long: paused.is_some_and(|until| until.since(now) > queues.policy.backoff_max.0),
            not_before: self.queued.not_before.filter(|at| *at > queues.clock.steady()),
            agreed: self.released.borrow_and_update().get(&entry.channel).copied(),
            given_up: word
                .filter(|word| queues.is_old(self.age, word.at))
                .map(|word| word.by),
        }
    }

    /// The clearance, unless the operation has to wait.
    fn decide_clearance(&self, all: &Circumstances) -> Option<Clearance> {
        let queued = self.queued;
        // A live edit that nobody waits for was overtaken while its queue was held.
        if queued.live && (!all.open || !queued.is_awaited()) {
            return Some(Clearance::Superfluous { retry_after: None });
        }
        if queued.question.as_ref().is_some_and(QuestionDelivery::is_decided) {
            return Some(Clearance::Obsolete);
        }
        if let Some(by) = &all.given_up
            && (!all.open || all.is_long || self.age.was_held(reopened_at(self.reopened)))
        {
            return Some(Clearance::GivenUp { by: by.clone() });
        }
        if self.is_held(all) {
            set_reopened(self.reopened, NOT_YET);
        } else if reopened_at(self.reopened) == Some(NOT_YET) || self.limited.met && self.passed {
            set_reopened(self.reopened, all.now);
        }
        if self.is_held(all) || !self.has_consent(all) || all.not_before.is_some() {
            return None;
        }
        if !all.armed || self.passed {
            return Some(Clearance::Free);
        }
        queued
            .live
            .then(|| match self.queues.pace.pass_now(&self.passage) {
                Ok(()) => Clearance::Free,
                Err(until) => Clearance::Superfluous {
                    retry_after: until.map(|until| until.since(all.now)),
                },
            })
    }

    const fn is_held(&self, all: &Circumstances) -> bool {
        !all.open || all.is_long && !self.queued.live
    }

    fn has_consent(&self, all: &Circumstances) -> bool {
        let reopened = reopened_at(self.reopened);
        !self.queues.needs_consent(self.age, reopened, all.agreed, all.now)
    }

    /// Notes that the operation waits, and for what. True where it is held.
    fn note_hold(&mut self, all: &Circumstances) -> Result<bool, StoreError> {
        let is_limited = all.open && (all.paused.is_some() || self.limited.met);
        if is_limited {
            self.limited.met = true;
            if !std::mem::replace(&mut self.limited.noted, true) {
                self.note_wait(HoldReason::RateLimited, all.paused)?;
            }
        }
        if !self.is_held(all) && self.has_consent(all) {
            self.hold.set_reason(None);
            return Ok(false);
        }
        self.passed = false;
        let is_first = !std::mem::replace(&mut self.was_held, true);
        if is_limited {
            self.hold.set_reason(Some(HoldReason::RateLimited));
        } else {
            // The sender of an operation notes that its channel is closed.
            if self.queued.origin != Origin::Wanted && is_first {
                self.note_wait(HoldReason::ChannelOff, None)?;
            }
            self.hold.set_reason(Some(HoldReason::ChannelOff));
        }
        Ok(true)
    }

    fn note_wait(&self, reason: HoldReason, until: Option<Timestamp>) -> Result<(), StoreError> {
        self.queued.recorder.note(Kind::Waiting {
            op: Some(self.queued.entry.op),
            reason,
            until,
        })
    }
}
