//! The calls that an operation has made, and its end where it makes no other.

use super::{clearance::Clearance, judge::CallAttempt, queued::QueuedOperation};
use foldback_wire::{Clock, OpKind, Outcome, OutcomeCode, SteadyTime, Timestamp};
use std::time::Duration;

/// The time for which a platform with idempotency keys certainly knows one: Discord promises "the past few minutes"
/// (<https://discord.com/developers/docs/resources/message#create-message>, `enforce_nonce`). What may have
/// arrived longer ago is not sent again.
pub(crate) const KEY_MEMORY: Duration = Duration::from_mins(2);

/// The time at which a call began. The time that passes counts no suspend, during which the platform forgets, and the
/// time of day may be set back: the longer of the two is how long ago it was.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallTime {
    at: Timestamp,
    steady: SteadyTime,
}

impl CallTime {
    pub(super) fn now(clock: &dyn Clock) -> Self {
        Self {
            at: clock.now(),
            steady: clock.steady(),
        }
    }

    /// The time of a call of an earlier process, by the journal.
    fn past(at: Timestamp, clock: &dyn Clock) -> Self {
        Self {
            at,
            steady: clock.steady_of(at),
        }
    }

    fn elapsed(self, clock: &dyn Clock) -> Duration {
        let now = Self::now(clock);
        now.at.since(self.at).max(now.steady.since(self.steady))
    }
}

/// The calls that an operation has made so far.
#[derive(Debug, Default)]
pub(super) struct CallHistory {
    /// All of them.
    pub(super) made: u32,
    /// Those that were no attempts: the platform wanted to wait, or they never left this machine.
    pub(super) passed_over: u32,
    /// The last ones in a row that never left this machine.
    pub(super) unsent: u32,
    /// The time at which the first one began that may have done it.
    maybe_done_at: Option<CallTime>,
    /// A repetition changes nothing, however long ago the first one was.
    idempotent: bool,
}

impl CallHistory {
    /// An operation that was in flight when an earlier process ended has one behind it.
    pub(super) fn of(queued: &QueuedOperation, clock: &dyn Clock) -> Self {
        let entry = &queued.entry;
        Self {
            made: u32::from(entry.in_flight),
            maybe_done_at: entry.in_flight.then(|| CallTime::past(entry.at, clock)),
            idempotent: entry.operation.is_idempotent(),
            ..Self::default()
        }
    }

    pub(super) const fn maybe_done(&self) -> bool {
        self.maybe_done_at.is_some()
    }

    /// Notes a call that may have done it.
    pub(super) fn note_maybe_done(&mut self, began: CallTime) {
        self.maybe_done_at.get_or_insert(began);
    }

    /// The end of an operation that is not to be called again, and how long its platform wants no call like it.
    pub(super) fn ended(
        &self,
        clearance: Clearance,
        clock: &dyn Clock,
    ) -> Option<(Outcome, Option<Duration>)> {
        let (made, maybe_done) = (self.made, self.maybe_done());
        match clearance {
            Clearance::Free => {
                let is_forgotten = self
                    .maybe_done_at
                    .is_some_and(|began| began.elapsed(clock) > KEY_MEMORY);
                (is_forgotten && !self.idempotent).then(|| (forgotten(made), None))
            }
            Clearance::Superfluous { retry_after } => Some((superfluous(made, maybe_done), retry_after)),
            Clearance::Obsolete => Some((obsolete(made, maybe_done), None)),
            Clearance::GivenUp { by } => Some((given_up(&by, made), None)),
            Clearance::Stopping => None,
        }
    }

    pub(super) fn attempt(&self, queued: &QueuedOperation) -> CallAttempt {
        CallAttempt {
            calls: self.made,
            attempts: self.made - self.passed_over,
            live: queued.live,
            repeatable: self.idempotent || queued.channel.capabilities().idempotency_key,
            creates: queued.entry.operation.kind() == OpKind::SendText,
            maybe_done: self.maybe_done(),
            no_attempt: None,
        }
    }
}

/// The end of a live edit that cannot go out now.
pub(super) fn superfluous(attempts: u32, maybe_done: bool) -> Outcome {
    let outcome = if maybe_done {
        Outcome::new(OutcomeCode::Unknown).because("it may have arrived; later text replaces it")
    } else {
        Outcome::new(OutcomeCode::Cancelled).because("later text replaces it")
    };
    Outcome { attempts, ..outcome }
}

/// The end of a question that was decided before it went out.
fn obsolete(attempts: u32, maybe_done: bool) -> Outcome {
    let outcome = if maybe_done {
        Outcome::new(OutcomeCode::Unknown).because("it may have arrived; it is decided meanwhile")
    } else {
        Outcome::new(OutcomeCode::Cancelled).because("it was decided before it went out")
    };
    Outcome { attempts, ..outcome }
}

/// The end of an operation that a person gave up: its platform did not carry it out.
fn given_up(by: &str, attempts: u32) -> Outcome {
    Outcome {
        attempts,
        ..Outcome::new(OutcomeCode::Cancelled).because(format!("held too long, and {by} gave it up"))
    }
}

/// The end of an operation that may have arrived so long ago that its key is no protection any more.
fn forgotten(attempts: u32) -> Outcome {
    let why = "it may have arrived, and the platform may have forgotten its key";
    Outcome {
        attempts,
        ..Outcome::new(OutcomeCode::Unknown).because(why)
    }
}
