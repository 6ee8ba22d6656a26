//! The calls that an operation has made, and its end where it makes no other.

use super::{clearance::Clearance, judge::CallAttempt, queued::QueuedOperation};
use foldback_wire::{OpKind, Outcome, OutcomeCode, Timestamp};
use std::time::Duration;

/// The time for which a platform with idempotency keys certainly knows one: Discord promises "the past few minutes"
/// (<https://discord.com/developers/docs/resources/message#create-message>, `enforce_nonce`). What may have
/// arrived longer ago is not sent again.
pub(crate) const KEY_MEMORY: Duration = Duration::from_mins(2);

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
    pub(super) maybe_done_at: Option<Timestamp>,
    /// A repetition changes nothing, however long ago the first one was.
    idempotent: bool,
}

impl CallHistory {
    /// An operation that was in flight when an earlier process ended has one behind it.
    pub(super) fn of(queued: &QueuedOperation) -> Self {
        Self {
            made: u32::from(queued.entry.in_flight),
            maybe_done_at: queued.entry.in_flight.then_some(queued.entry.at),
            idempotent: queued.entry.operation.is_idempotent(),
            ..Self::default()
        }
    }

    pub(super) const fn maybe_done(&self) -> bool {
        self.maybe_done_at.is_some()
    }

    /// The end of an operation that is not to be called again, and how long its platform wants no call like it.
    pub(super) fn ended(&self, clearance: Clearance, now: Timestamp) -> Option<(Outcome, Option<Duration>)> {
        let (made, maybe_done) = (self.made, self.maybe_done());
        match clearance {
            Clearance::Free => {
                let is_forgotten = self.maybe_done_at.is_some_and(|at| now.since(at) > KEY_MEMORY);
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
