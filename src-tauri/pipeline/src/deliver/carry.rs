//! Carrying one operation out: attempts, pauses, and the outcome that ends it.

use super::{
    backoff::backoff,
    clearance::{Clearance, Limited},
    consent::{Reopened, set},
    job::{Carried, Hold, Job},
    judge::{Try, Verdict, judge},
    lanes::{Lanes, PATIENCE},
    operation::faulted,
};
use crate::{
    crash::{self, Point},
    rules::Rule,
};
use foldback_channels::{Call, Delivered, NotDelivered, Refusal};
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{HoldReason, Kind, OpKind, Outcome, OutcomeCode, RefusalCode, Timestamp};
use std::{sync::Arc, time::Duration};
use tokio::sync::OwnedMutexGuard;

/// How long a platform with idempotency keys certainly knows one: Discord promises "the past few minutes"
/// (<https://discord.com/developers/docs/resources/message#create-message>, `enforce_nonce`). What may have
/// arrived longer ago is not sent again.
pub(crate) const KEY_MEMORY: Duration = Duration::from_mins(2);

/// How long a call keeps its conversation from making another one, in another chat: as long as a directive may
/// keep the text waiting.
pub(super) const ALONE: Duration = PATIENCE;

/// The calls that an operation has made so far.
#[derive(Debug, Default)]
struct Calls {
    /// All of them.
    made: u32,
    /// Those that were no attempts: the platform wanted to wait, or they never left this machine.
    passed_over: u32,
    /// The last ones in a row that never left this machine.
    unsent: u32,
    /// When the first one began that may have done it.
    maybe_done_at: Option<Timestamp>,
    /// A repetition changes nothing, however long ago the first one was.
    idempotent: bool,
}

impl Calls {
    /// An operation that was in flight when an earlier process ended has one behind it.
    fn of(job: &Job) -> Self {
        Self {
            made: u32::from(job.entry.in_flight),
            maybe_done_at: job.entry.in_flight.then_some(job.entry.at),
            idempotent: job.entry.operation.is_idempotent(),
            ..Self::default()
        }
    }

    const fn maybe_done(&self) -> bool {
        self.maybe_done_at.is_some()
    }

    /// The end of an operation that is not to be called again, and how long its platform wants no call like it.
    fn ended(&self, clearance: Clearance, now: Timestamp) -> Option<(Outcome, Option<Duration>)> {
        let (made, maybe_done) = (self.made, self.maybe_done());
        match clearance {
            Clearance::Free => {
                let is_forgotten = self.maybe_done_at.is_some_and(|at| now.since(at) > KEY_MEMORY);
                (is_forgotten && !self.idempotent).then(|| (forgotten(made), None))
            }
            Clearance::Superfluous { retry_after } => Some((superfluous(made, maybe_done), retry_after)),
            Clearance::Needless => Some((needless(made, maybe_done), None)),
            Clearance::GivenUp { by } => Some((given_up(&by, made), None)),
            Clearance::Stopping => None,
        }
    }

    fn attempt(&self, job: &Job) -> Try {
        Try {
            calls: self.made,
            attempts: self.made - self.passed_over,
            live: job.live,
            repeatable: self.idempotent || job.channel.capabilities().idempotency_key,
            creates: job.entry.operation.kind() == OpKind::SendText,
            maybe_done: self.maybe_done(),
            no_attempt: None,
        }
    }
}

/// A call that was answered.
struct Called {
    answer: Result<Delivered, NotDelivered>,
    /// The time for which calls like it pause now, where it was refused for that.
    pause: Option<Duration>,
    /// Its conversation makes no other call yet.
    alone: Option<OwnedMutexGuard<()>>,
}

impl Lanes {
    /// One operation, from the outbox to its outcome. `None` when the process ends first.
    #[tracing::instrument(name = "delivery", skip_all, fields(op = %job.entry.op, turn = %job.entry.turn,
        channel = %job.entry.channel, kind = %job.entry.operation.kind()))]
    pub(super) async fn carry(
        self: &Arc<Self>,
        job: &Job,
        hold: &Hold,
        reopened: &Reopened,
    ) -> Result<Option<Carried>, StoreError> {
        let mut calls = Calls::of(job);
        // Whoever posts an operation for later notes why.
        let mut limited = Limited {
            noted: job.not_before.is_some(),
            ..Limited::default()
        };
        if let Some(parts) = job.parts.as_ref().filter(|_| job.overtaken.is_some()) {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return self.leave(job, &calls).await,
                () = parts.wait_for_earlier(job.entry.op) => {}
            }
        }
        if let Some(carried) = self.hold_with_text(job).await? {
            return Ok(Some(carried));
        }
        loop {
            let clearance = self
                .clear(job, hold, reopened, &mut limited, calls.maybe_done())
                .await?;
            if matches!(clearance, Clearance::Stopping) {
                return self.leave(job, &calls).await;
            }
            if let Some((outcome, retry_after)) = calls.ended(clearance, self.clock.now()) {
                return self.settle(job, outcome, retry_after).await.map(Some);
            }
            // What a crash leaves in flight is sent again under its key, or unknown: then only one may be.
            let alone = tokio::select! {
                biased;
                () = self.stop.cancelled() => return self.leave(job, &calls).await,
                alone = self.calls_of(&job.entry.session).lock_owned() => alone,
            };
            calls.made += 1;
            let began = self.clock.now();
            let Called { answer, pause, alone } = self.call_paced(job, hold, calls.made, alone).await?;
            if let (Some(question), Ok(delivered)) = (&job.question, &answer) {
                question.delivered(delivered, self.clock.now());
            }
            calls.unsent = if is_unsent(&answer) { calls.unsent + 1 } else { 0 };
            let unsent = (calls.unsent > 0).then(|| backoff(&self.policy, self.rng.as_ref(), calls.unsent));
            let attempt = Try {
                no_attempt: pause.or(unsent),
                ..calls.attempt(job)
            };
            match judge(self.rules, &self.policy, self.rng.as_ref(), attempt, answer) {
                Verdict::Settle { outcome, retry_after } => {
                    return self.settle(job, outcome, retry_after).await.map(Some);
                }
                Verdict::Hold if !self.rules.holds(Rule::DeliverOff) => {
                    let outcome = Outcome::new(OutcomeCode::Failed).because("the channel is closed");
                    return self.settle(job, outcome, None).await.map(Some);
                }
                Verdict::Hold => {
                    calls.made -= 1;
                    if !calls.maybe_done() {
                        job.recorder.journal.retry(job.entry.op, Vec::new()).await?;
                    }
                }
                Verdict::Again {
                    after,
                    certain,
                    refusal,
                } => {
                    if !certain {
                        calls.maybe_done_at.get_or_insert(began);
                        self.note_maybe_done(job);
                    }
                    if attempt.no_attempt.is_some() {
                        calls.passed_over += 1;
                        // It counts as held: once it is older than anything may be, a person is asked.
                        set(reopened, self.clock.now());
                        // What never left this machine met no limit.
                        limited.met |= pause.is_some();
                    }
                    let until = self.clock.now().plus(after);
                    self.note_retry(job, calls.maybe_done(), until, pause.is_some(), refusal)
                        .await?;
                    drop(alone);
                    if pause.is_some() {
                        // The pause is waited for with everybody else whom it concerns.
                        limited.noted = true;
                        continue;
                    }
                    tokio::select! {
                        biased;
                        () = self.stop.cancelled() => return self.leave(job, &calls).await,
                        () = self.clock.sleep_until(until) => {}
                    }
                }
            }
        }
    }

    /// Ends a message that stands behind one of its text that did not arrive, and so is held with it; `None` where none
    /// is. A live frame of it is shown no more.
    async fn hold_with_text(self: &Arc<Self>, job: &Job) -> Result<Option<Carried>, StoreError> {
        let Some(outcome) = job.parts.as_ref().and_then(|parts| parts.held_with()) else {
            return Ok(None);
        };
        let outcome = if job.live { superfluous(0, false) } else { outcome };
        self.settle_alone(job, outcome).await.map(Some)
    }

    /// Calls the platform, as long as that lets it be alone in its conversation, and learns its pace from the answer.
    async fn call_paced(
        &self,
        job: &Job,
        hold: &Hold,
        attempt: u32,
        alone: OwnedMutexGuard<()>,
    ) -> Result<Called, StoreError> {
        let (entry, began) = (&job.entry, self.pace.time());
        let passage = self
            .pace
            .passage(&job.channel, &entry.target, entry.operation.kind());
        let armed = job.channel.status().armed && !entry.dry_run;
        let mut call = std::pin::pin!(self.call(job, armed, attempt));
        let (answer, alone) = tokio::select! {
            biased;
            answer = &mut call => (answer?, Some(alone)),
            () = hold.overtaken() => {
                drop(alone);
                (call.await?, None)
            }
            () = self.clock.sleep_until(self.clock.now().plus(ALONE)) => {
                drop(alone);
                (call.await?, None)
            }
        };
        // A dry run reached no platform: it is tried again as planned, and nobody else waits for it.
        let pause = if armed {
            self.pace.learn(&passage, began, &answer)
        } else {
            None
        };
        Ok(Called { answer, pause, alone })
    }

    /// The process ends before the next call. The operation stays in the outbox; a live frame has its end, since
    /// the whole text is there for the next start.
    async fn leave(self: &Arc<Self>, job: &Job, calls: &Calls) -> Result<Option<Carried>, StoreError> {
        if !job.live {
            return Ok(None);
        }
        let outcome = superfluous(calls.made, calls.maybe_done());
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
        paused: bool,
        refusal: Refusal,
    ) -> Result<(), StoreError> {
        let op = job.entry.op;
        let Refusal { code, detail, .. } = refusal;
        tracing::warn!(refusal = %code, "refused; trying again");
        let mut kinds = vec![Kind::Refused {
            op,
            refusal: code,
            detail,
            retry_at: Some(until),
        }];
        if paused || code == RefusalCode::RateLimited {
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

/// True of a call that never left this machine.
fn is_unsent(answer: &Result<Delivered, NotDelivered>) -> bool {
    matches!(answer, Err(NotDelivered::Refused(refusal)) if refusal.unsent)
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
