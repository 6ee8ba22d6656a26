//! An operation on its way through its queue.

use super::completion::{OperationCompletion, Origin};
use crate::{
    deliver::{arrival::may_stand, text_parts::TextParts},
    leaks::{AnswerPlace, LeakWatch},
    permissions::QuestionDelivery,
    recorder::Recorder,
};
use foldback_channels::Channel;
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{Operation, Outcome, SteadyTime};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// An operation that is in the outbox, for the queue of its chat.
pub(crate) struct QueuedOperation {
    pub(crate) entry: OutboxEntry,
    pub(crate) channel: Channel,
    pub(crate) recorder: Recorder,
    pub(crate) origin: Origin,
    /// Before this it is not to go.
    pub(crate) not_before: Option<SteadyTime>,
    /// A live edit: superfluous when it cannot go out now.
    pub(crate) live: bool,
    /// It is done in place of one that was refused.
    pub(crate) instead: bool,
    /// Of a question: not sent any more once it is decided.
    pub(crate) question: Option<QuestionDelivery>,
    /// Of a directive with text behind it: cancelled once that text does not wait for it any more.
    pub(crate) overtaken: Option<CancellationToken>,
    /// The place of the answer that it puts on the screen, for the leak alarm.
    pub(crate) shows: Option<ShownPlace>,
    /// The other messages of its text.
    pub(crate) parts: Option<Arc<TextParts>>,
    /// The way to whoever waits for it; its queue opens it as the operation enters.
    pub(crate) done: Option<oneshot::Sender<OperationCompletion>>,
}

/// A place of an answer's clean text.
#[derive(Clone)]
pub(crate) struct ShownPlace {
    pub(crate) place: AnswerPlace,
    pub(crate) watch: Arc<LeakWatch>,
}

impl QueuedOperation {
    /// One that is no live edit and has to do with no other.
    pub(crate) const fn new(
        entry: OutboxEntry,
        channel: Channel,
        recorder: Recorder,
        origin: Origin,
    ) -> Self {
        Self {
            entry,
            channel,
            recorder,
            origin,
            not_before: None,
            live: false,
            instead: false,
            question: None,
            overtaken: None,
            shows: None,
            parts: None,
            done: None,
        }
    }

    /// True where somebody waits for it.
    pub(super) fn is_awaited(&self) -> bool {
        self.done.as_ref().is_some_and(|done| !done.is_closed())
    }

    /// Ends once nobody needs it.
    pub(super) async fn no_longer_needed(&self) {
        match &self.question {
            Some(question) => question.decided().await,
            None => std::future::pending().await,
        }
    }

    /// Raises the alarm as soon as what the operation shows is on the screen, for all that is known.
    pub(super) fn look_for_leaks(&self, outcome: &Outcome) -> Result<(), StoreError> {
        match (&self.shows, &self.entry.operation) {
            (
                Some(ShownPlace { place, watch }),
                Operation::SendText { text, .. } | Operation::EditText { text, .. },
            ) if may_stand(outcome) => {
                self.recorder
                    .alarm(watch.check_operation(self.entry.op, *place, text))
            }
            _ => Ok(()),
        }
    }
}
