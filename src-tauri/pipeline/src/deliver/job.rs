//! An operation on its way through its lane, and how it ends.

use super::{arrival::may_stand, parts::TextParts};
use crate::{
    leaks::{Place, Watch},
    permissions::QuestionDelivery,
    recorder::Recorder,
};
use foldback_channels::Channel;
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{HoldReason, Operation, Outcome, SteadyTime};
use std::{sync::Arc, time::Duration};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

/// An operation on its way.
pub(crate) struct Job {
    pub(crate) entry: OutboxEntry,
    pub(crate) channel: Channel,
    pub(crate) recorder: Recorder,
    /// Before this it is not to go.
    pub(crate) not_before: Option<SteadyTime>,
    /// A live frame: superfluous when it cannot go out now.
    pub(crate) live: bool,
    /// Of a question: not sent any more once it is decided.
    pub(crate) question: Option<QuestionDelivery>,
    /// Of a directive with text behind it: cancelled once that text does not wait for it any more.
    pub(crate) overtaken: Option<CancellationToken>,
    /// The place of the answer that it puts on the screen, for the leak alarm.
    pub(crate) shows: Option<Shows>,
    /// The other messages of its text.
    pub(crate) parts: Option<Arc<TextParts>>,
    pub(crate) origin: Origin,
    pub(crate) done: oneshot::Sender<Carried>,
}

/// The way by which an operation came into its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Somebody posted it, and notes when it waits.
    Posted,
    /// It follows from how the one before it ended.
    Follows,
    /// It was in the outbox when the process began, or takes the place of one that was.
    Resumed,
}

/// A place of an answer's clean text.
#[derive(Clone)]
pub(crate) struct Shows {
    pub(crate) place: Place,
    pub(crate) watch: Arc<Watch>,
}

impl Job {
    /// Ends once nobody needs it.
    pub(super) async fn needless(&self) {
        match &self.question {
            Some(question) => question.decided().await,
            None => std::future::pending().await,
        }
    }

    /// Raises the alarm as soon as what the operation shows is on the screen, for all that is known.
    pub(super) fn look_for_leaks(&self, outcome: &Outcome) -> Result<(), StoreError> {
        match (&self.shows, &self.entry.operation) {
            (
                Some(Shows { place, watch }),
                Operation::SendText { text, .. } | Operation::EditText { text, .. },
            ) if may_stand(outcome) => self.recorder.alarm(watch.shown(self.entry.op, *place, text)),
            _ => Ok(()),
        }
    }
}

/// The end of an operation.
#[derive(Debug)]
pub(crate) struct Carried {
    pub(crate) outcome: Outcome,
    /// The time for which the platform wants no more of the kind.
    pub(crate) retry_after: Option<Duration>,
    /// The operation that follows from it, next in its lane.
    pub(crate) follows: Option<Follows>,
}

/// An operation that follows from how another one ended.
#[derive(Debug)]
pub(crate) struct Follows {
    pub(crate) ended: oneshot::Receiver<Carried>,
    /// Why its lane is held, now and later; `None` while it is not.
    pub(crate) held: watch::Receiver<Option<HoldReason>>,
    /// As in [`Job`].
    pub(crate) overtaken: Option<CancellationToken>,
}

/// Tells why a lane is held, for the operation that is being carried in it.
#[derive(Clone)]
pub(super) struct Hold {
    lane: watch::Sender<Option<HoldReason>>,
    /// Set once the operations behind it have overtaken it: its lane is no longer its own.
    overtaken: CancellationToken,
}

impl Hold {
    pub(super) fn of(lane: &watch::Sender<Option<HoldReason>>, job: &Job) -> Self {
        Self {
            lane: lane.clone(),
            overtaken: job.overtaken.clone().unwrap_or_default(),
        }
    }

    /// The operation is held for this reason, or goes on.
    pub(super) fn tell(&self, reason: Option<HoldReason>) {
        if !self.overtaken.is_cancelled() {
            self.lane.send_replace(reason);
        }
    }

    /// The operations behind this one go on without it.
    pub(super) fn overtake(&self) {
        self.tell(None);
        self.overtaken.cancel();
    }

    /// Ends once the operation is overtaken.
    pub(super) async fn overtaken(&self) {
        self.overtaken.cancelled().await;
    }

    /// True while the channel takes nothing, neither this nor what stands behind it.
    pub(super) fn is_closed(&self) -> bool {
        *self.lane.borrow() == Some(HoldReason::ChannelOff)
    }

    /// Ends once the channel takes operations.
    pub(super) async fn opened(&self) {
        let mut held = self.lane.subscribe();
        // It cannot fail: the sender lives in `self`.
        drop(held.wait_for(|held| *held != Some(HoldReason::ChannelOff)).await);
    }
}
