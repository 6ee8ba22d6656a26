//! The work through one queue: one operation after the other, and beside them those that were overtaken.

use super::{
    DeliveryQueues, PATIENCE, QueueKey,
    consent::{OperationAge, ReopenTime},
    hold::QueueHold,
    queued::QueuedOperation,
};
use crate::{deadline::Deadline, rules::Rule};
use foldback_wire::HoldReason;
use std::sync::Arc;
use tokio::sync::watch;

impl DeliveryQueues {
    fn next_operation(&self, key: &QueueKey) -> Option<QueuedOperation> {
        let mut queues = self.lock();
        let queue = queues.get_mut(key)?;
        let queued = queue.waiting.pop_front();
        queue.first = queued.as_ref().map(OperationAge::of);
        queue.at_work = queued.is_some();
        if queue.is_over() {
            queues.remove(key);
        }
        queued
    }

    pub(super) async fn work_through(
        self: Arc<Self>,
        key: QueueKey,
        held: watch::Sender<Option<HoldReason>>,
        reopened: ReopenTime,
    ) {
        while !self.stop.is_cancelled()
            && let Some(queued) = self.next_operation(&key)
        {
            let hold = QueueHold::of(&held, &queued);
            if queued.overtaken.is_none() || !self.rules.holds(Rule::DeliverPatience) {
                self.set_patience(&key, None);
                self.carry_to_end(queued, hold, &reopened).await;
            } else {
                self.carry_directive(&key, queued, hold, &reopened).await;
            }
        }
        if self.stop.is_cancelled() {
            // What is left stays in the outbox, and nobody waits for it any more.
            self.lock().remove(&key);
        }
    }

    fn patience(&self, key: &QueueKey) -> Option<Deadline> {
        self.lock().get(key)?.patience
    }

    fn set_patience(&self, key: &QueueKey, until: Option<Deadline>) {
        if let Some(queue) = self.lock().get_mut(key) {
            queue.patience = until;
        }
    }

    /// Carries a directive's operation, and goes on without it once what stands behind it has waited long enough.
    async fn carry_directive(
        self: &Arc<Self>,
        key: &QueueKey,
        queued: QueuedOperation,
        hold: QueueHold,
        reopened: &ReopenTime,
    ) {
        let op = queued.entry.op;
        let mut carried = Box::pin({
            let (queues, hold, reopened) = (Arc::clone(self), hold.clone(), Arc::clone(reopened));
            async move { queues.carry_to_end(queued, hold, &reopened).await }
        });
        loop {
            let clock = self.clock.as_ref();
            let until = self
                .patience(key)
                .unwrap_or_else(|| Deadline::after(clock, PATIENCE));
            self.set_patience(key, Some(until));
            if until.within(clock, &mut carried).await.is_some() {
                return;
            }
            if !hold.is_closed() {
                break;
            }
            // Nothing goes meanwhile, so that nothing overtakes it.
            tokio::select! {
                biased;
                () = &mut carried => return,
                () = hold.opened() => self.set_patience(key, None),
            }
        }
        if let Some(queue) = self.lock().get_mut(key) {
            queue.overtaken.extend(queue.first.map(|first| (op, first)));
        }
        hold.overtake();
        let (queues, key) = (Arc::clone(self), key.clone());
        self.tasks.spawn(async move {
            carried.await;
            let mut busy = queues.lock();
            if let Some(queue) = busy.get_mut(&key) {
                queue.overtaken.remove(&op);
                if queue.is_over() {
                    busy.remove(&key);
                }
            }
        });
    }

    /// Carries an operation to its end, and tells who waits for it.
    async fn carry_to_end(self: &Arc<Self>, queued: QueuedOperation, hold: QueueHold, reopened: &ReopenTime) {
        let queued = Arc::new(queued);
        match self.carry_supervised(&queued, &hold, reopened).await {
            Ok(Some(completion)) => {
                if let Err(error) = queued.look_for_leaks(&completion.outcome) {
                    tracing::error!(op = %queued.entry.op, %error, "a leak is not in the journal");
                }
                // Whoever waited may have gone; the journal has the outcome all the same.
                if let Some(done) = Arc::into_inner(queued).and_then(|queued| queued.done) {
                    drop(done.send(completion));
                }
            }
            Ok(None) => {}
            Err(error) => tracing::error!(op = %queued.entry.op, %error, "an operation stays in the outbox"),
        }
    }
}
