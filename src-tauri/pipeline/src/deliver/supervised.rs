//! One operation, supervised: a panic of it ends that operation, and its lane goes on with the next.

use super::{
    consent::Reopened,
    job::{Carried, Hold, Job},
    lanes::Lanes,
};
use crate::supervise::{Panicked, contained};
use foldback_store::StoreError;
use foldback_wire::{Outcome, OutcomeCode};
use std::sync::Arc;

impl Lanes {
    /// One operation, from the outbox to its outcome. One that panics is settled: as `unknown` where its call had begun,
    /// else as `failed`; a person can send it again.
    pub(super) async fn carry_supervised(
        self: &Arc<Self>,
        job: &Arc<Job>,
        hold: &Hold,
        reopened: &Reopened,
    ) -> Result<Option<Carried>, StoreError> {
        let (hold, reopened) = (hold.clone(), Arc::clone(reopened));
        let carried = contained({
            let (lanes, job) = (Arc::clone(self), Arc::clone(job));
            async move { lanes.carry(&job, &hold, &reopened).await }
        });
        let panicked = match carried.await {
            Ok(carried) => return carried,
            Err(panicked) => panicked,
        };
        let settled = contained({
            let (lanes, job) = (Arc::clone(self), Arc::clone(job));
            async move { lanes.settle_panicked(&job, &panicked).await }
        });
        settled.await.unwrap_or_else(|panicked| {
            tracing::error!(op = %job.entry.op, %panicked, "an operation stays in the outbox");
            Ok(None)
        })
    }

    async fn settle_panicked(
        self: &Arc<Self>,
        job: &Job,
        panicked: &Panicked,
    ) -> Result<Option<Carried>, StoreError> {
        let op = job.entry.op;
        job.recorder
            .tell_panic(&format!("operation {op} is given up"), panicked);
        let outbox = job.recorder.journal.outbox().await?;
        let Some(entry) = outbox.into_iter().find(|entry| entry.op == op) else {
            // It had its outcome before it panicked.
            return Ok(None);
        };
        let (code, attempts) = if entry.in_flight {
            (OutcomeCode::Unknown, 1)
        } else {
            (OutcomeCode::Failed, 0)
        };
        let outcome = Outcome {
            attempts,
            ..Outcome::new(code).because(panicked.to_string())
        };
        self.settle(job, outcome, None).await.map(Some)
    }
}
