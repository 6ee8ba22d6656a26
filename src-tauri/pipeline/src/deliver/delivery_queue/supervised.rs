//! One operation, supervised: a panic of it ends that operation, and its queue goes on with the next.

use super::{
    DeliveryQueues, completion::OperationCompletion, consent::ReopenTime, hold::QueueHold,
    queued::QueuedOperation,
};
use crate::supervise::{WorkPanic, contained};
use foldback_store::StoreError;
use foldback_wire::{Outcome, OutcomeCode};
use std::sync::Arc;

impl DeliveryQueues {
    /// One operation, from the outbox to its outcome. One that panics is settled: as `unknown` where its call had begun,
    /// else as `failed`; a person can send it again.
    pub(super) async fn carry_supervised(
        self: &Arc<Self>,
        queued: &Arc<QueuedOperation>,
        hold: &QueueHold,
        reopened: &ReopenTime,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        let (hold, reopened) = (hold.clone(), Arc::clone(reopened));
        let carrying = contained({
            let (queues, queued) = (Arc::clone(self), Arc::clone(queued));
            async move { queues.carry(&queued, &hold, &reopened).await }
        });
        let panicked = match carrying.await {
            Ok(completion) => return completion,
            Err(panicked) => panicked,
        };
        let settled = contained({
            let (queues, queued) = (Arc::clone(self), Arc::clone(queued));
            async move { queues.settle_panicked(&queued, &panicked).await }
        });
        settled.await.unwrap_or_else(|panicked| {
            tracing::error!(op = %queued.entry.op, %panicked, "an operation stays in the outbox");
            Ok(None)
        })
    }

    async fn settle_panicked(
        self: &Arc<Self>,
        queued: &QueuedOperation,
        panicked: &WorkPanic,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        let op = queued.entry.op;
        queued
            .recorder
            .tell_panic(&format!("operation {op} is given up"), panicked);
        let outbox = queued.recorder.journal.outbox().await?;
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
        self.settle(queued, outcome, None).await.map(Some)
    }
}
