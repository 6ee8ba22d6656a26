//! Carrying one operation out: attempts, pauses, and the outcome that ends it.

use super::{
    judge::{PATIENCE, Try, Verdict, judge},
    lanes::{Carried, Job, Lanes, Reopened, Way},
};
use crate::{
    crash::{self, Point},
    rules::Rule,
};
use foldback_channels::{Call, Delivered, NotDelivered};
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{
    CallFault, Fault, HoldReason, Kind, OpId, OpKind, Outcome, OutcomeCode, RefusalCode, Timestamp,
};
use std::time::Duration;
use tokio::sync::watch;

/// How long a platform with idempotency keys certainly knows one: Discord promises "the past few minutes"
/// (<https://discord.com/developers/docs/resources/message#create-message>, `enforce_nonce`). What may have
/// arrived longer ago is not sent again.
pub(crate) const KEY_MEMORY: Duration = Duration::from_mins(2);

/// How long a call keeps its conversation from making another one, in another chat: as long as a directive may
/// keep the text waiting.
pub(super) const ALONE: Duration = PATIENCE;

impl Lanes {
    /// One operation, from the outbox to its outcome. `None` when the process ends first.
    #[tracing::instrument(name = "delivery", skip_all, fields(op = %job.entry.op, turn = %job.entry.turn,
        channel = %job.entry.channel, kind = %job.entry.operation.kind()))]
    pub(super) async fn carry(
        &self,
        job: &Job,
        held: &watch::Sender<bool>,
        reopened: &Reopened,
    ) -> Result<Option<Carried>, StoreError> {
        let keyed = job.channel.capabilities().idempotency_key;
        // An operation that was in flight when an earlier process ended has one attempt behind it.
        let mut attempts = u32::from(job.entry.in_flight);
        let mut maybe_done_at = job.entry.in_flight.then_some(job.entry.at);
        let mut paused = Duration::ZERO;
        if let Some(outcome) = job.parts.as_ref().and_then(|parts| parts.held_with()) {
            return Ok(Some(self.settle(job, outcome, None).await?));
        }
        loop {
            match self.way(job, held, reopened).await? {
                Way::Free => {}
                Way::Superfluous => {
                    let outcome = superfluous(attempts, maybe_done_at.is_some());
                    return Ok(Some(self.settle(job, outcome, None).await?));
                }
                Way::Needless => {
                    let outcome = needless(attempts, maybe_done_at.is_some());
                    return Ok(Some(self.settle(job, outcome, None).await?));
                }
                Way::GivenUp { by } => {
                    let outcome = given_up(&by, attempts, maybe_done_at.is_some());
                    return Ok(Some(self.settle(job, outcome, None).await?));
                }
                Way::Stopping => return Ok(None),
            }
            if let Some(until) = job.entry.not_before.filter(|at| *at > self.clock.now()) {
                tokio::select! {
                    biased;
                    () = self.stop.cancelled() => return Ok(None),
                    () = self.clock.sleep_until(until) => {}
                }
                // Its channel may have closed meanwhile.
                continue;
            }
            if maybe_done_at.is_some_and(|at| self.clock.now().since(at) > KEY_MEMORY) {
                return Ok(Some(self.settle(job, forgotten(attempts), None).await?));
            }
            // What a crash leaves in flight is sent again under its key, or unknown: then only one may be.
            let mut alone = tokio::select! {
                biased;
                () = self.stop.cancelled() => return self.leave(job, attempts, maybe_done_at.is_some()).await,
                alone = self.calls_of(&job.entry.session).lock_owned() => Some(alone),
            };
            attempts += 1;
            let began = self.clock.now();
            let attempt = Try {
                attempts,
                live: job.live,
                keyed,
                creates: job.entry.operation.kind() == OpKind::SendText,
                maybe_done: maybe_done_at.is_some(),
                hurried: job.hurried.then_some(paused),
            };
            let armed = job.channel.status().armed && !job.entry.dry_run;
            let mut call = std::pin::pin!(self.call(job, armed, attempts));
            let answer = tokio::select! {
                biased;
                answer = &mut call => answer?,
                () = self.clock.sleep_until(began.plus(ALONE)) => {
                    drop(alone.take());
                    call.await?
                }
            };
            match judge(self.rules, &self.policy, self.rng.as_ref(), attempt, answer) {
                Verdict::Settle { outcome, retry_after } => {
                    return Ok(Some(self.settle(job, outcome, retry_after).await?));
                }
                Verdict::Hold if !self.rules.holds(Rule::DeliverOff) => {
                    let outcome = Outcome::new(OutcomeCode::Failed).because("the channel is closed");
                    return Ok(Some(self.settle(job, outcome, None).await?));
                }
                Verdict::Hold => {
                    attempts -= 1;
                    if maybe_done_at.is_none() {
                        job.recorder.journal.retry(job.entry.op, Vec::new()).await?;
                    }
                }
                Verdict::Again {
                    after,
                    certain,
                    refusal,
                } => {
                    if !certain {
                        maybe_done_at.get_or_insert(began);
                    }
                    let until = self.clock.now().plus(after);
                    let in_flight = maybe_done_at.is_some();
                    self.note_retry(job, in_flight, until, refusal.code, refusal.detail)
                        .await?;
                    drop(alone);
                    paused += after;
                    tokio::select! {
                        biased;
                        () = self.stop.cancelled() => return self.leave(job, attempts, maybe_done_at.is_some()).await,
                        () = self.clock.sleep_until(until) => {}
                    }
                }
            }
        }
    }

    /// The process ends before the next call. The operation stays in the outbox; a live frame has its end, since
    /// the whole text is there for the next start.
    async fn leave(&self, job: &Job, attempts: u32, maybe_done: bool) -> Result<Option<Carried>, StoreError> {
        if !job.live {
            return Ok(None);
        }
        let outcome = superfluous(attempts, maybe_done);
        self.settle(job, outcome, None).await.map(Some)
    }

    /// Calls the platform or, where it was not armed when it was looked at, acts as if.
    async fn call(
        &self,
        job: &Job,
        armed: bool,
        attempt: u32,
    ) -> Result<Result<Delivered, NotDelivered>, StoreError> {
        let OutboxEntry {
            op,
            target,
            operation,
            key,
            ..
        } = &job.entry;
        crash::point(Point::BeforeAttempt);
        // A dry run calls no platform: it must not say so, and a crash leaves no doubt.
        if armed {
            let attempted = job.recorder.draft(Kind::Attempted { op: *op, attempt });
            job.recorder.journal.attempt(*op, vec![attempted]).await?;
        }
        crash::point(Point::AfterAttempt);
        let call = Call {
            target: target.clone(),
            operation: operation.clone(),
            key: key.clone(),
        };
        let planned = job.channel.set_out(operation.kind());
        if let Some((number, fault)) = &planned {
            job.recorder.note(faulted(*number, *op, fault))?;
        }
        crash::point(Point::BeforeCall);
        let answer = if armed {
            job.channel.perform(call, planned.as_ref()).await
        } else {
            job.channel.rehearse(call, planned.as_ref()).await
        };
        crash::point(Point::AfterCall);
        Ok(answer)
    }

    async fn note_retry(
        &self,
        job: &Job,
        in_flight: bool,
        until: Timestamp,
        refusal: RefusalCode,
        detail: String,
    ) -> Result<(), StoreError> {
        let op = job.entry.op;
        tracing::warn!(%refusal, "refused; trying again");
        let mut kinds = vec![Kind::Refused {
            op,
            refusal,
            detail,
            retry_at: Some(until),
        }];
        if refusal == RefusalCode::RateLimited {
            kinds.push(Kind::Waiting {
                op: Some(op),
                reason: HoldReason::RateLimited,
                until: Some(until),
            });
        }
        if in_flight {
            // An attempt may have arrived: for a crash it stays in flight, under its key.
            return job.recorder.note_all(kinds);
        }
        let events = kinds.into_iter().map(|kind| job.recorder.draft(kind)).collect();
        job.recorder.journal.retry(op, events).await
    }
}

/// The mark of a planned fault that hits a call.
pub(super) fn faulted(number: u64, op: OpId, fault: &CallFault) -> Kind {
    Kind::Faulted {
        number,
        op: Some(op),
        fault: Fault::Call(fault.clone()),
    }
}

/// The end of a live frame that cannot go out now.
fn superfluous(attempts: u32, maybe_done: bool) -> Outcome {
    let outcome = if maybe_done {
        Outcome::new(OutcomeCode::Unknown).because("it may have arrived; later text replaces it")
    } else {
        Outcome::new(OutcomeCode::Cancelled).because("later text replaces it")
    };
    Outcome { attempts, ..outcome }
}

/// The end of a question that was decided before it went out.
fn needless(attempts: u32, maybe_done: bool) -> Outcome {
    let outcome = if maybe_done {
        Outcome::new(OutcomeCode::Unknown).because("it may have arrived; it is decided meanwhile")
    } else {
        Outcome::new(OutcomeCode::Cancelled).because("it was decided before it went out")
    };
    Outcome { attempts, ..outcome }
}

/// The end of an operation that a person gave up.
fn given_up(by: &str, attempts: u32, maybe_done: bool) -> Outcome {
    let outcome = if maybe_done {
        Outcome::new(OutcomeCode::Unknown).because(format!("it may have arrived before {by} gave it up"))
    } else {
        Outcome::new(OutcomeCode::Cancelled).because(format!("held too long, and {by} gave it up"))
    };
    Outcome { attempts, ..outcome }
}

/// The end of an operation that may have arrived so long ago that its key is no protection any more.
fn forgotten(attempts: u32) -> Outcome {
    let why = "it may have arrived, and the platform may have forgotten its key";
    Outcome {
        attempts,
        ..Outcome::new(OutcomeCode::Unknown).because(why)
    }
}
