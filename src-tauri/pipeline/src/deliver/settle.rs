//! The end of an operation. What follows from it enters the outbox together with the outcome, so that no crash
//! comes between the two, and stands at the front of the lane, so that nothing overtakes it.

use super::{
    courier::key_of,
    job::{Carried, Follows, Job, Origin},
    lanes::Lanes,
    operation::{FollowUp, intent},
};
use crate::{
    crash::{self, Point},
    rules::Rule,
};
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{Draft, Kind, Operation, Outcome, OutcomeCode};
use std::{sync::Arc, time::Duration};
use tokio::sync::oneshot;

impl Lanes {
    pub(super) async fn settle(
        self: &Arc<Self>,
        job: &Job,
        outcome: Outcome,
        retry_after: Option<Duration>,
    ) -> Result<Carried, StoreError> {
        let next = FollowUp::of(&job.entry.then, &outcome, self.rules);
        self.settle_with(job, outcome, retry_after, next).await
    }

    /// The same of an operation that was not tried, so that nothing is done in its place and nothing is replaced.
    pub(super) async fn settle_alone(
        self: &Arc<Self>,
        job: &Job,
        outcome: Outcome,
    ) -> Result<Carried, StoreError> {
        self.settle_with(job, outcome, None, FollowUp::default()).await
    }

    async fn settle_with(
        self: &Arc<Self>,
        job: &Job,
        mut outcome: Outcome,
        retry_after: Option<Duration>,
        next: FollowUp,
    ) -> Result<Carried, StoreError> {
        let op = job.entry.op;
        tracing::debug!(outcome = %outcome.code, attempts = outcome.attempts, "settled");
        self.sent
            .remember(&job.entry.channel, &job.entry.target, &outcome);
        let FollowUp {
            wanted,
            instead,
            warning,
        } = next;
        // The operation in its place is that part of the text, too.
        let parts = job.parts.as_ref().filter(|_| instead && !job.live);
        let part_of = job.entry.part_of.or_else(|| parts?.first()).filter(|_| instead);
        let next = wanted.map(|wanted| {
            let op = self.ids.op();
            let outgoing = wanted.live(job.entry.live);
            let entry = OutboxEntry {
                op,
                operation: outgoing.operation.clone(),
                key: key_of(op, &job.recorder),
                at: job.recorder.now(),
                in_flight: false,
                not_before: None,
                part_of,
                since: instead.then(|| job.entry.age_from()),
                then: outgoing.then.clone(),
                ..job.entry.clone()
            };
            let mut intent = intent(&job.entry.target, outgoing);
            intent.part_of = part_of;
            (entry, Kind::Intended { op, intent })
        });
        outcome.replaced_by = next.as_ref().filter(|_| instead).map(|(entry, _)| entry.op);
        // A live frame that did not arrive is no hole in the text.
        if let Some(parts) = job.parts.as_ref().filter(|_| !job.live) {
            parts.end(op, &outcome);
        }
        let mut events = vec![job.recorder.draft(Kind::Ended {
            op,
            outcome: outcome.clone(),
        })];
        if let Some(detail) = warning {
            tracing::warn!(text = %detail, "a warning is in the journal");
            events.push(job.recorder.draft(Kind::Warned { detail }));
        }
        let next_path = next.as_ref().and_then(|(entry, _)| path_of(&entry.operation));
        let next_path = next_path.map(str::to_owned);
        crash::point(Point::BeforeSettle);
        let follows = match next {
            None => {
                job.recorder.journal.settle(op, outcome.clone(), events).await?;
                None
            }
            Some((entry, intended)) => {
                events.push(job.recorder.draft(intended));
                Some(self.settle_into(job, &outcome, entry, events).await?)
            }
        };
        crash::point(Point::AfterSettle);
        // What is done in its place may send what was made for it.
        if path_of(&job.entry.operation) != next_path.as_deref() {
            self.files.spent(&job.entry.operation);
        }
        self.clean_up(job, &outcome)?;
        Ok(Carried {
            outcome,
            retry_after,
            follows,
        })
    }

    /// Deletes the file of an operation that asked for it, once it certainly arrived: neither a dry run nor a failed
    /// send loses it. What is done in place of a refused operation deletes it when that has its outcome.
    fn clean_up(&self, job: &Job, outcome: &Outcome) -> Result<(), StoreError> {
        let (true, Operation::SendFile { path, checked, .. } | Operation::SendVoice { path, checked, .. }) =
            (job.entry.then.cleans_up, &job.entry.operation)
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
        job.recorder.warn(format!("{path} {why}"))
    }

    /// Settles an operation, and puts what follows from it before everything else in its lane.
    async fn settle_into(
        self: &Arc<Self>,
        job: &Job,
        outcome: &Outcome,
        next: OutboxEntry,
        events: Vec<Draft>,
    ) -> Result<Follows, StoreError> {
        let journal = &job.recorder.journal;
        journal
            .settle_and_intend(job.entry.op, outcome.clone(), next.clone(), events)
            .await?;
        let (done, ended) = oneshot::channel();
        let is_instead = outcome.replaced_by.is_some();
        let held = self.enter_first(Job {
            entry: next,
            channel: job.channel.clone(),
            recorder: job.recorder.clone(),
            not_before: None,
            live: job.live,
            question: job.question.clone(),
            overtaken: job.overtaken.clone(),
            // The same text, at the same place.
            shows: job.shows.clone().filter(|_| is_instead),
            parts: job.parts.clone().filter(|_| is_instead),
            // It waited for the start where that in whose place it is done did.
            origin: if is_instead && job.origin == Origin::Resumed {
                Origin::Resumed
            } else {
                Origin::Follows
            },
            done,
        });
        Ok(Follows {
            ended,
            held,
            overtaken: job.overtaken.clone(),
        })
    }
}

/// The path of the file that an operation sends.
fn path_of(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::SendFile { path, .. } | Operation::SendVoice { path, .. } => Some(path.as_str()),
        _ => None,
    }
}
