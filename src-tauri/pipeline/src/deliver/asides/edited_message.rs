//! A message beside the answer that is edited in place.

use crate::deliver::{
    arrival::arrived,
    delivery_queue::OperationCompletion,
    operation::OutgoingOperation,
    turn_operations::{LIVE_FAILURES, TurnOperations},
};
use foldback_store::StoreError;
use foldback_wire::{MessageId, OutcomeCode, RefusalCode, SteadyTime};
use std::time::Duration;

/// A message that is edited in place.
#[derive(Debug, Default)]
pub(super) struct EditedMessage {
    pub(super) wanted: String,
    /// Its text is empty where nobody knows which of two it shows.
    pub(super) shown: Option<(MessageId, String)>,
    /// The time at which it may be edited again.
    pub(super) due: SteadyTime,
    /// Live edits that failed in a row.
    failures: u32,
    /// It is counted among the messages of the turn.
    pub(super) counted: bool,
    /// The platform will never take it, or it may stand where nobody can edit it: it is left as it is.
    given_up: bool,
}

impl EditedMessage {
    pub(super) fn is_dirty(&self) -> bool {
        let shown = self.shown.as_ref().map(|(_, text)| text.as_str());
        !self.given_up && !self.wanted.is_empty() && shown != Some(self.wanted.as_str())
    }

    /// True where more live edits of it are shown while the run goes on. What it says in the end is shown all the same.
    pub(super) const fn is_live(&self) -> bool {
        !self.given_up && self.failures < LIVE_FAILURES
    }

    /// Shows it as it is wanted now. What it says in the end goes out like any message: it is tried again, and held
    /// where its channel is closed. Nothing is lost with a live edit before that.
    pub(super) async fn show(
        &mut self,
        operations: &mut TurnOperations,
        at_the_end: bool,
    ) -> Result<(), StoreError> {
        self.counted = self.counted || operations.claim_message();
        if !self.counted {
            self.given_up = true;
            return operations.leave_out();
        }
        let interval = operations
            .can
            .edit_interval_ms
            .map_or(Duration::ZERO, Duration::from_millis);
        let outgoing = match &self.shown {
            Some((id, _)) => OutgoingOperation::aside_edit(id.clone(), &self.wanted),
            None => OutgoingOperation::aside(&self.wanted),
        };
        let completion = operations.send_operation(outgoing.live(!at_the_end)).await?;
        let Some(OperationCompletion {
            outcome, retry_after, ..
        }) = completion
        else {
            self.due = operations.now().plus(interval);
            return Ok(());
        };
        self.due = operations.now().plus(retry_after.unwrap_or(interval));
        if arrived(&outcome) {
            let before = self.shown.take().map(|(id, _)| id);
            let id = outcome.message.or(before);
            self.shown = id.map(|id| (id, self.wanted.clone()));
            self.given_up = self.shown.is_none();
            self.failures = 0;
            return Ok(());
        }
        self.failures += 1;
        let is_unknown = outcome.code == OutcomeCode::Unknown;
        match &mut self.shown {
            Some((_, text)) if is_unknown => text.clear(),
            shown => self.given_up |= is_unknown && shown.is_none(),
        }
        self.given_up |= outcome.refusal.is_some_and(|refusal| {
            refusal.is_denied() || refusal.is_gone() || refusal == RefusalCode::Unsupported
        });
        Ok(())
    }
}
