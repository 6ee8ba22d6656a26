//! The end of an operation. What follows from it enters the outbox together with the outcome, so that no crash
//! comes between the two, and stands at the front of the queue, so that nothing overtakes it.

use super::{
    DeliveryQueues,
    completion::{OperationCompletion, Origin, PendingOperation},
    key_of,
    queued::QueuedOperation,
};
use crate::{
    crash::{self, CrashPoint},
    deliver::operation::{FollowUp, intent},
    rules::Rule,
};
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{DecidingSetting, Draft, Kind, Operation, Outcome, OutcomeCode};
use std::{sync::Arc, time::Duration};

impl DeliveryQueues {
    pub(super) async fn settle(
        self: &Arc<Self>,
        queued: &QueuedOperation,
        outcome: Outcome,
        retry_after: Option<Duration>,
    ) -> Result<OperationCompletion, StoreError> {
        let next = FollowUp::of(&queued.entry.then, &outcome, self.rules);
        self.settle_with(queued, outcome, retry_after, next).await
    }

    /// The same of an operation that was not tried, so that nothing is done in its place and nothing is replaced.
    pub(super) async fn settle_alone(
        self: &Arc<Self>,
        queued: &QueuedOperation,
        outcome: Outcome,
    ) -> Result<OperationCompletion, StoreError> {
        self.settle_with(queued, outcome, None, FollowUp::default()).await
    }

    async fn settle_with(
        self: &Arc<Self>,
        queued: &QueuedOperation,
        mut outcome: Outcome,
        retry_after: Option<Duration>,
        follow_up: FollowUp,
    ) -> Result<OperationCompletion, StoreError> {
        let op = queued.entry.op;
        outcome.decided_by = why_dry(queued, &outcome);
        tracing::debug!(outcome = %outcome.code, attempts = outcome.attempts, "settled");
        self.own_messages
            .remember_message(&queued.entry.channel, &queued.entry.target, &outcome);
        let FollowUp {
            wanted,
            instead,
            warning,
        } = follow_up;
        // The operation in its place is that part of the text, too.
        let parts = queued.parts.as_ref().filter(|_| instead && !queued.live);
        let part_of = queued
            .entry
            .part_of
            .or_else(|| parts?.first())
            .filter(|_| instead);
        let next = wanted.map(|wanted| {
            let op = self.ids.op();
            let outgoing = wanted.live(queued.entry.live);
            let entry = OutboxEntry {
                op,
                operation: outgoing.operation.clone(),
                key: key_of(op, &queued.recorder),
                at: queued.recorder.now(),
                in_flight: false,
                not_before: None,
                part_of,
                since: instead.then(|| queued.entry.age_from()),
                then: outgoing.then.clone(),
                ..queued.entry.clone()
            };
            let mut intent = intent(&queued.entry.target, outgoing);
            intent.part_of = part_of;
            (
                entry,
                Kind::Intended {
                    op,
                    intent: Box::new(intent),
                },
            )
        });
        outcome.replaced_by = next.as_ref().filter(|_| instead).map(|(entry, _)| entry.op);
        // A live edit that did not arrive is no hole in the text.
        if let Some(parts) = queued.parts.as_ref().filter(|_| !queued.live) {
            parts.end(op, &outcome);
        }
        let mut events = vec![queued.recorder.draft(Kind::Ended {
            op,
            outcome: outcome.clone(),
        })];
        if let Some(detail) = warning {
            tracing::warn!(text = %detail, "a warning is in the journal");
            events.push(queued.recorder.draft(Kind::Warned { detail }));
        }
        let entry = &queued.entry;
        let judged = self
            .dead_targets
            .judge(&entry.channel, &entry.target, &entry.operation, &outcome);
        if let Some(kind) = judged {
            self.dead_targets
                .fold(&entry.channel, queued.recorder.now(), &kind);
            events.push(queued.recorder.draft(kind));
        }
        let next_path = next.as_ref().and_then(|(entry, _)| path_of(&entry.operation));
        let next_path = next_path.map(str::to_owned);
        crash::point(CrashPoint::BeforeSettle);
        let next = match next {
            None => {
                let journal = &queued.recorder.journal;
                // The next attempt of its conversation makes the outcome of a live edit durable before its call.
                if queued.live {
                    journal.settle_ahead(op, outcome.clone(), events)?;
                } else {
                    journal.settle(op, outcome.clone(), events).await?;
                }
                None
            }
            Some((entry, intended)) => {
                events.push(queued.recorder.draft(intended));
                Some(self.settle_into(queued, &outcome, entry, events).await?)
            }
        };
        crash::point(CrashPoint::AfterSettle);
        // What is done in its place may send what was made for it.
        if path_of(&queued.entry.operation) != next_path.as_deref() {
            self.files.delete_spent(&queued.entry.operation);
        }
        self.clean_up(queued, &outcome)?;
        Ok(OperationCompletion {
            outcome,
            retry_after,
            instead: queued.instead,
            next,
        })
    }

    /// Deletes the file of an operation that asked for it, once it certainly arrived: neither a dry run nor a failed
    /// send loses it. What is done in place of a refused operation deletes it when that has its outcome.
    fn clean_up(&self, queued: &QueuedOperation, outcome: &Outcome) -> Result<(), StoreError> {
        let (true, Operation::SendFile { path, checked, .. } | Operation::SendVoice { path, checked, .. }) =
            (queued.entry.then.cleans_up, &queued.entry.operation)
        else {
            return Ok(());
        };
        let why = if outcome.replaced_by.is_some() {
            return Ok(());
        } else if !self.files.may_clean_up() && self.rules.holds(Rule::FilesCleanup) {
            "is kept: files.allow_cleanup is off".to_owned()
        } else if outcome.code != OutcomeCode::Sent {
            "is kept: it is not acknowledged".to_owned()
        } else if let Err(error) = self.files.clean_up(path, *checked) {
            format!("was sent, but not deleted: {error}")
        } else {
            return Ok(());
        };
        tracing::warn!(file = %path, text = %why, "a warning is in the journal");
        queued.recorder.warn(format!("{path} {why}"))
    }

    /// Settles an operation, and puts what follows from it before everything else in its queue.
    async fn settle_into(
        self: &Arc<Self>,
        queued: &QueuedOperation,
        outcome: &Outcome,
        next: OutboxEntry,
        events: Vec<Draft>,
    ) -> Result<PendingOperation, StoreError> {
        let journal = &queued.recorder.journal;
        journal
            .settle_and_intend(queued.entry.op, outcome.clone(), next.clone(), events)
            .await?;
        let instead = outcome.replaced_by.is_some();
        // It waited for the start where that in whose place it is done did.
        let origin = if instead && queued.origin == Origin::Resumed {
            Origin::Resumed
        } else {
            Origin::Follows
        };
        let (channel, recorder) = (queued.channel.clone(), queued.recorder.clone());
        Ok(self.enqueue_first(QueuedOperation {
            live: queued.live,
            instead,
            question: queued.question.clone(),
            overtaken: queued.overtaken.clone(),
            // The same text, at the same place.
            shows: queued.shows.clone().filter(|_| instead),
            parts: queued.parts.clone().filter(|_| instead),
            ..QueuedOperation::new(next, channel, recorder, origin)
        }))
    }
}

/// The path of the file that an operation sends.
fn path_of(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::SendFile { path, .. } | Operation::SendVoice { path, .. } => Some(path.as_str()),
        _ => None,
    }
}

/// The setting by which an operation was a dry run. None where the setting says otherwise: then a person disarmed the channel,
/// or tests a message by hand.
fn why_dry(queued: &QueuedOperation, outcome: &Outcome) -> Option<Box<DecidingSetting>> {
    let entry = &queued.entry;
    let is_of_channel = outcome.code == OutcomeCode::DryRun && !entry.dry_run;
    let armed = is_of_channel.then(|| {
        queued
            .recorder
            .deciding(&format!("channels.{}.armed", entry.channel))
    })?;
    (armed.value == "false").then(|| Box::new(armed))
}
