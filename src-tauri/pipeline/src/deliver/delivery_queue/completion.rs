//! The end of an operation, and the wait for it.
//!
//! There is one type for how an operation ended, whoever asks: the queue that carried it, the sender that put it there,
//! the turn that counts it. [`PendingOperation`] is an operation before that. The two are not one type: of what has not
//! ended nobody can read an outcome, and of what has ended nobody has to wait. A completion may bring another pending
//! operation: what is done in place of what was refused, or the removal of what was replaced.

use foldback_wire::{HoldReason, OpId, Outcome};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

/// The way by which an operation came into its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A turn wants it: its sender waits for it, and notes when it is held.
    Wanted,
    /// It follows from how the one before it ended.
    Follows,
    /// It was in the outbox when the process began, or takes the place of one that was.
    Resumed,
}

/// The end of an operation.
#[derive(Debug)]
pub(crate) struct OperationCompletion {
    pub(crate) outcome: Outcome,
    /// The time for which the platform wants no more of the kind.
    pub(crate) retry_after: Option<Duration>,
    /// It was done in place of one that was refused.
    pub(crate) instead: bool,
    /// The operation that follows from it, next in its queue.
    pub(crate) next: Option<PendingOperation>,
}

/// An operation in its queue that has not ended, for all that whoever holds this knows.
#[derive(Debug)]
pub(crate) struct PendingOperation {
    pub(crate) op: OpId,
    /// A live edit.
    pub(crate) live: bool,
    pub(crate) origin: Origin,
    /// It is done in place of one that was refused.
    pub(crate) instead: bool,
    /// Of a directive: cancelled once the text behind it does not wait for it any more.
    pub(crate) overtaken: Option<CancellationToken>,
    /// The reason for which its queue is held, now and later; `None` while it is not.
    pub(crate) held: watch::Receiver<Option<HoldReason>>,
    /// An error when the process ends first: the operation stays in the outbox.
    pub(crate) ended: oneshot::Receiver<OperationCompletion>,
}
