//! Carrying one operation out: attempts, pauses, and the outcome that ends it.

use super::{
    DeliveryQueues, PATIENCE,
    backoff::backoff,
    calls::{CallHistory, CallTime, superfluous},
    clearance::{Clearance, MetLimits},
    completion::OperationCompletion,
    consent::{ReopenTime, set_reopened},
    hold::QueueHold,
    judge::{CallAttempt, Verdict, judge},
    queued::QueuedOperation,
};
use crate::{
    crash::{self, CrashPoint},
    deadline::Deadline,
    deliver::operation::faulted,
    rules::Rule,
};
use foldback_channels::{Call, Delivered, NotDelivered, Refusal};
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{HoldReason, Kind, Outcome, OutcomeCode, RefusalCode, Timestamp};
use std::{sync::Arc, time::Duration};
use tokio::sync::OwnedMutexGuard;

/// The time for which a call keeps its conversation from making another one, in another chat: as long as a directive may
/// keep the text waiting.
pub(super) const ALONE: Duration = PATIENCE;

/// A call that was answered.
struct CallResult {
    answer: Result<Delivered, NotDelivered>,
    /// The time for which calls like it pause now, where it was refused for that.
    pause: Option<Duration>,
    /// Its conversation makes no other call yet.
    alone: Option<OwnedMutexGuard<()>>,
}

impl DeliveryQueues {
    /// One operation, from the outbox to its outcome. `None` when the process ends first.
    #[tracing::instrument(name = "delivery", skip_all, fields(op = %queued.entry.op, turn = %queued.entry.turn,
        channel = %queued.entry.channel, kind = %queued.entry.operation.kind()))]
    pub(super) async fn carry(
        self: &Arc<Self>,
        queued: &QueuedOperation,
        hold: &QueueHold,
        reopened: &ReopenTime,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        let mut calls = CallHistory::of(queued, self.clock.as_ref());
        // The sender of an operation for later notes why.
        let mut limited = MetLimits {
            noted: queued.not_before.is_some(),
            ..MetLimits::default()
        };
        if let Some(parts) = queued.parts.as_ref().filter(|_| queued.overtaken.is_some()) {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return self.leave_in_outbox(queued, &calls).await,
                () = parts.wait_for_earlier(queued.entry.op) => {}
            }
        }
        if let Some(completion) = self.hold_with_text(queued).await? {
            return Ok(Some(completion));
        }
        loop {
            let clearance = self
                .wait_for_clearance(queued, hold, reopened, &mut limited, calls.maybe_done())
                .await?;
            if matches!(clearance, Clearance::Stopping) {
                return self.leave_in_outbox(queued, &calls).await;
            }
            if let Some((outcome, retry_after)) = calls.ended(clearance, self.clock.as_ref()) {
                return self.settle(queued, outcome, retry_after).await.map(Some);
            }
            // What a crash leaves in flight is sent again under its key, or unknown: then only one may be.
            let alone = tokio::select! {
                biased;
                () = self.stop.cancelled() => return self.leave_in_outbox(queued, &calls).await,
                alone = self.calls_of(&queued.entry.session).lock_owned() => alone,
            };
            calls.made += 1;
            let began = CallTime::now(self.clock.as_ref());
            let CallResult { answer, pause, alone } =
                self.call_paced(queued, hold, calls.made, alone).await?;
            if let (Some(question), Ok(delivered)) = (&queued.question, &answer) {
                question.delivered(delivered, self.clock.now());
            }
            calls.unsent = if is_unsent(&answer) { calls.unsent + 1 } else { 0 };
            let unsent = (calls.unsent > 0).then(|| backoff(&self.policy, self.rng.as_ref(), calls.unsent));
            let attempt = CallAttempt {
                no_attempt: pause.or(unsent),
                ..calls.attempt(queued)
            };
            match judge(self.rules, &self.policy, self.rng.as_ref(), attempt, answer) {
                Verdict::Settle { outcome, retry_after } => {
                    return self.settle(queued, outcome, retry_after).await.map(Some);
                }
                Verdict::Hold if !self.rules.holds(Rule::DeliverOff) => {
                    let outcome = Outcome::new(OutcomeCode::Failed).because("the channel is closed");
                    return self.settle(queued, outcome, None).await.map(Some);
                }
                Verdict::Hold => {
                    calls.made -= 1;
                    if !calls.maybe_done() {
                        queued.recorder.journal.retry(queued.entry.op, Vec::new()).await?;
                    }
                }
                Verdict::Again {
                    after,
                    certain,
                    refusal,
                } => {
                    if !certain {
                        calls.note_maybe_done(began);
                        self.note_maybe_done(queued);
                    }
                    if attempt.no_attempt.is_some() {
                        calls.passed_over += 1;
                        // It counts as held: once it is older than anything may be, a person is asked.
                        set_reopened(reopened, self.clock.now());
                        // What never left this machine met no limit.
                        limited.met |= pause.is_some();
                    }
                    let until = self.clock.now().plus(after);
                    self.note_retry(queued, calls.maybe_done(), until, pause.is_some(), refusal)
                        .await?;
                    drop(alone);
                    if pause.is_some() {
                        // The pause is waited for with everybody else whom it concerns.
                        limited.noted = true;
                        continue;
                    }
                    tokio::select! {
                        biased;
                        () = self.stop.cancelled() => return self.leave_in_outbox(queued, &calls).await,
                        () = self.clock.sleep_until(until) => {}
                    }
                }
            }
        }
    }

    /// Ends a message that stands behind one of its text that did not arrive, and so is held with it; `None` where none
    /// is. A live edit of it is shown no more.
    async fn hold_with_text(
        self: &Arc<Self>,
        queued: &QueuedOperation,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        let Some(outcome) = queued.parts.as_ref().and_then(|parts| parts.held_with()) else {
            return Ok(None);
        };
        let outcome = if queued.live {
            superfluous(0, false)
        } else {
            outcome
        };
        self.settle_alone(queued, outcome).await.map(Some)
    }

    /// Calls the platform, as long as that lets it be alone in its conversation, and learns its pace from the answer.
    async fn call_paced(
        &self,
        queued: &QueuedOperation,
        hold: &QueueHold,
        attempt: u32,
        alone: OwnedMutexGuard<()>,
    ) -> Result<CallResult, StoreError> {
        let (entry, began) = (&queued.entry, self.pace.time());
        let passage = self
            .pace
            .passage(&queued.channel, &entry.target, entry.operation.kind());
        let armed = queued.channel.status().armed && !entry.dry_run;
        let mut call = std::pin::pin!(self.call(queued, armed, attempt));
        let before_overtaken = async {
            tokio::select! {
                biased;
                answer = &mut call => Some(answer),
                () = hold.overtaken() => None,
            }
        };
        let clock = self.clock.as_ref();
        let in_time = Deadline::after(clock, ALONE).within(clock, before_overtaken);
        let (answer, alone) = if let Some(answer) = in_time.await.flatten() {
            (answer?, Some(alone))
        } else {
            drop(alone);
            (call.await?, None)
        };
        // A dry run reached no platform: it is tried again as planned, and nobody else waits for it.
        let pause = if armed {
            self.pace.learn(&passage, began, &answer)
        } else {
            None
        };
        Ok(CallResult { answer, pause, alone })
    }

    /// The process ends before the next call. The operation stays in the outbox; a live edit has its end, since
    /// the whole text is there for the next start.
    async fn leave_in_outbox(
        self: &Arc<Self>,
        queued: &QueuedOperation,
        calls: &CallHistory,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        if !queued.live {
            return Ok(None);
        }
        let outcome = superfluous(calls.made, calls.maybe_done());
        self.settle(queued, outcome, None).await.map(Some)
    }

    /// Calls the platform or, where it was not armed when it was looked at, acts as if.
    async fn call(
        &self,
        queued: &QueuedOperation,
        armed: bool,
        attempt: u32,
    ) -> Result<Result<Delivered, NotDelivered>, StoreError> {
        let OutboxEntry {
            op,
            target,
            operation,
            key,
            ..
        } = &queued.entry;
        crash::point(CrashPoint::BeforeAttempt);
        // A dry run calls no platform: it must not say so, and a crash leaves no doubt.
        if armed {
            let attempted = queued.recorder.draft(Kind::Attempted { op: *op, attempt });
            queued.recorder.journal.attempt(*op, vec![attempted]).await?;
        }
        crash::point(CrashPoint::AfterAttempt);
        let call = Call {
            target: target.clone(),
            operation: operation.clone(),
            key: key.clone(),
        };
        let planned = queued.channel.set_out(operation.kind());
        if let Some((number, fault)) = &planned {
            queued.recorder.note(faulted(*number, *op, fault))?;
        }
        crash::point(CrashPoint::BeforeCall);
        let answer = if armed {
            queued.channel.perform(call, planned.as_ref()).await
        } else {
            queued.channel.rehearse(call, planned.as_ref()).await
        };
        crash::point(CrashPoint::AfterCall);
        Ok(answer)
    }

    async fn note_retry(
        &self,
        queued: &QueuedOperation,
        in_flight: bool,
        until: Timestamp,
        paused: bool,
        refusal: Refusal,
    ) -> Result<(), StoreError> {
        let op = queued.entry.op;
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
            return queued.recorder.note_all(kinds);
        }
        let events = kinds
            .into_iter()
            .map(|kind| queued.recorder.draft(kind))
            .collect();
        queued.recorder.journal.retry(op, events).await
    }
}

/// True of a call that never left this machine.
fn is_unsent(answer: &Result<Delivered, NotDelivered>) -> bool {
    matches!(answer, Err(NotDelivered::Refused(refusal)) if refusal.unsent)
}
