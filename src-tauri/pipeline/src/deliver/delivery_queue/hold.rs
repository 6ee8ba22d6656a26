//! Tells why a queue is held.

use super::queued::QueuedOperation;
use foldback_wire::HoldReason;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Tells why a queue is held, for the operation that is being carried in it.
#[derive(Clone)]
pub(super) struct QueueHold {
    queue: watch::Sender<Option<HoldReason>>,
    /// Set once the operations behind it have overtaken it: its queue is no longer its own.
    overtaken: CancellationToken,
}

impl QueueHold {
    pub(super) fn of(queue: &watch::Sender<Option<HoldReason>>, operation: &QueuedOperation) -> Self {
        Self {
            queue: queue.clone(),
            overtaken: operation.overtaken.clone().unwrap_or_default(),
        }
    }

    /// The operation is held for this reason, or goes on.
    pub(super) fn set_reason(&self, reason: Option<HoldReason>) {
        if !self.overtaken.is_cancelled() {
            self.queue.send_replace(reason);
        }
    }

    /// The operations behind this one go on without it.
    pub(super) fn overtake(&self) {
        self.set_reason(None);
        self.overtaken.cancel();
    }

    /// Ends once the operation is overtaken.
    pub(super) async fn overtaken(&self) {
        self.overtaken.cancelled().await;
    }

    /// True while the channel takes nothing, neither this nor what stands behind it.
    pub(super) fn is_closed(&self) -> bool {
        *self.queue.borrow() == Some(HoldReason::ChannelOff)
    }

    /// Ends once the channel takes operations.
    pub(super) async fn opened(&self) {
        let mut held = self.queue.subscribe();
        // It cannot fail: the sender lives in `self`.
        drop(held.wait_for(|held| *held != Some(HoldReason::ChannelOff)).await);
    }
}
