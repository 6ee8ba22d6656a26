//! The clearance of an operation: its channel is open, a person agrees where it is old, its platform wants calls, and
//! somebody still needs it.

use super::{
    consent::{GivenUp, NOT_YET, Queued, Reopened, at, set},
    job::{Hold, Job, Origin},
    lanes::Lanes,
    pace::Passage,
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
    /// A live frame that nobody needs later.
    Superfluous {
        /// The time for which its platform wants no call like it, if it is that.
        retry_after: Option<Duration>,
    },
    /// Nobody needs it any more.
    Needless,
    /// A person gave it up.
    GivenUp {
        by: String,
    },
    /// The process is ending; the operation stays in the outbox.
    Stopping,
}

/// The limits that an operation has met so far.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Limited {
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
    /// Until when the platform wants no such call.
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
struct Waiting<'a> {
    lanes: &'a Lanes,
    job: &'a Job,
    queued: Queued,
    hold: &'a Hold,
    reopened: &'a Reopened,
    limited: &'a mut Limited,
    passage: Passage,
    /// Its place and rate were counted.
    passed: bool,
    /// It was held at least once.
    was_held: bool,
    status: watch::Receiver<Status>,
    released: watch::Receiver<BTreeMap<ChannelId, Timestamp>>,
    given_up: watch::Receiver<BTreeMap<ChannelId, GivenUp>>,
    pauses: watch::Receiver<u64>,
}

impl Lanes {
    /// Waits until an operation may go; `maybe_done` where its platform may have carried it out.
    pub(super) async fn clear(
        &self,
        job: &Job,
        hold: &Hold,
        reopened: &Reopened,
        limited: &mut Limited,
        maybe_done: bool,
    ) -> Result<Clearance, StoreError> {
        let kind = job.entry.operation.kind();
        let waiting = Waiting {
            lanes: self,
            job,
            queued: Queued::of(job).with_maybe_done(maybe_done),
            hold,
            reopened,
            limited,
            passage: self.pace.passage(&job.channel, &job.entry.target, kind),
            passed: false,
            was_held: false,
            status: job.channel.watch(),
            released: self.released.subscribe(),
            given_up: self.given_up.subscribe(),
            pauses: self.pace.pauses(),
        };
        let clearance = waiting.clear().await;
        hold.tell(None);
        clearance
    }
}

impl Waiting<'_> {
    async fn clear(mut self) -> Result<Clearance, StoreError> {
        let lanes = self.lanes;
        let passage = self.passage.clone();
        // Dropped, with its place in the line, wherever it is not waited for.
        let mut passing: Option<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = None;
        loop {
            let all = self.circumstances();
            if let Some(clearance) = self.decide(&all) {
                return Ok(clearance);
            }
            let over = if self.note(&all)? {
                passing = None;
                let paused = all.paused.filter(|_| all.is_long);
                paused.map(|until| lanes.clock.sleep_until(until))
            } else if let Some(until) = all.not_before {
                Some(lanes.clock.sleep_until_steady(until))
            } else {
                passing.get_or_insert_with(|| Box::pin(lanes.pace.pass(&passage)));
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
                () = lanes.stop.cancelled() => return Ok(Clearance::Stopping),
                () = passed => {
                    self.passed = true;
                    passing = None;
                }
                // No sender ends before this lane does.
                _ = self.status.changed() => {}
                _ = self.released.changed() => {}
                _ = self.given_up.changed() => {}
                _ = self.pauses.changed() => {}
                () = over => {}
                () = self.job.needless() => {}
            }
        }
    }

    fn circumstances(&mut self) -> Circumstances {
        let (lanes, entry) = (self.lanes, &self.job.entry);
        self.pauses.borrow_and_update();
        let (open, armed) = {
            let status = self.status.borrow_and_update();
            let open = status.open_for(entry.dry_run).is_ok() || !lanes.rules.holds(Rule::DeliverOff);
            (open, status.armed && !entry.dry_run)
        };
        let now = lanes.clock.now();
        let paused = lanes.pace.closed_until(&self.passage);
        let paused = paused.filter(|_| armed && !self.passed);
        let word = self.given_up.borrow_and_update().get(&entry.channel).cloned();
        Circumstances {
            now,
            open,
            armed,
            paused,
            is_long: paused.is_some_and(|until| until.since(now) > lanes.policy.backoff_max.0),
            not_before: self.job.not_before.filter(|at| *at > lanes.clock.steady()),
            agreed: self.released.borrow_and_update().get(&entry.channel).copied(),
            given_up: word
                .filter(|word| lanes.is_old(self.queued, word.at))
                .map(|word| word.by),
        }
    }

    /// The clearance, unless the operation has to wait.
    fn decide(&self, all: &Circumstances) -> Option<Clearance> {
        let job = self.job;
        // A live frame that nobody waits for was overtaken while its lane was held.
        if job.live && (!all.open || job.done.is_closed()) {
            return Some(Clearance::Superfluous { retry_after: None });
        }
        if job.question.as_ref().is_some_and(QuestionDelivery::is_decided) {
            return Some(Clearance::Needless);
        }
        if let Some(by) = &all.given_up
            && (!all.open || all.is_long || self.queued.was_held(at(self.reopened)))
        {
            return Some(Clearance::GivenUp { by: by.clone() });
        }
        if self.is_held(all) {
            set(self.reopened, NOT_YET);
        } else if at(self.reopened) == Some(NOT_YET) || self.limited.met && self.passed {
            set(self.reopened, all.now);
        }
        if self.is_held(all) || !self.has_consent(all) || all.not_before.is_some() {
            return None;
        }
        if !all.armed || self.passed {
            return Some(Clearance::Free);
        }
        job.live.then(|| match self.lanes.pace.pass_now(&self.passage) {
            Ok(()) => Clearance::Free,
            Err(until) => Clearance::Superfluous {
                retry_after: until.map(|until| until.since(all.now)),
            },
        })
    }

    const fn is_held(&self, all: &Circumstances) -> bool {
        !all.open || all.is_long && !self.job.live
    }

    fn has_consent(&self, all: &Circumstances) -> bool {
        let reopened = at(self.reopened);
        !self
            .lanes
            .needs_consent(self.queued, reopened, all.agreed, all.now)
    }

    /// Notes that the operation waits, and for what. True where it is held.
    fn note(&mut self, all: &Circumstances) -> Result<bool, StoreError> {
        let is_limited = all.open && (all.paused.is_some() || self.limited.met);
        if is_limited {
            self.limited.met = true;
            if !std::mem::replace(&mut self.limited.noted, true) {
                self.note_wait(HoldReason::RateLimited, all.paused)?;
            }
        }
        if !self.is_held(all) && self.has_consent(all) {
            self.hold.tell(None);
            return Ok(false);
        }
        self.passed = false;
        let is_first = !std::mem::replace(&mut self.was_held, true);
        if is_limited {
            self.hold.tell(Some(HoldReason::RateLimited));
        } else {
            // Whoever posts an operation notes that its channel is closed.
            if self.job.origin != Origin::Posted && is_first {
                self.note_wait(HoldReason::ChannelOff, None)?;
            }
            self.hold.tell(Some(HoldReason::ChannelOff));
        }
        Ok(true)
    }

    fn note_wait(&self, reason: HoldReason, until: Option<Timestamp>) -> Result<(), StoreError> {
        self.job.recorder.note(Kind::Waiting {
            op: Some(self.job.entry.op),
            reason,
            until,
        })
    }
}
