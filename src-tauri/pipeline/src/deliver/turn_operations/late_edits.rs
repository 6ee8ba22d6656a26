//! Final edits that a live edit without an answer may undo: the final text is written once more, after the time in which
//! such an edit may still come. An edit that changes nothing does no harm.
//!
//! Only an edit that arrived is confirmed. Where the text was sent anew, the message is not there any more, or, on a channel
//! that cannot delete, it is blanked, and the journal is told that older text may come back there. Where the edit is held,
//! that is decided once its outcome is known.

use super::TurnOperations;
use crate::deliver::{
    arrival::arrived,
    delivery_queue::OperationCompletion,
    operation::{Delay, OutgoingOperation},
};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, Operation};
use std::time::Duration;

/// The time after the final edit in which a live edit without an answer may still come, it is assumed: a request that
/// the platform took before the connection broke is carried out within seconds.
const CONFIRM_AFTER: Duration = Duration::from_secs(10);

impl TurnOperations {
    /// Takes how a final edit in doubt went. Answers the edit that confirms it, where that is known already.
    pub(crate) fn doubt_edit(
        &mut self,
        edit: OutgoingOperation,
        completion: Option<&OperationCompletion>,
    ) -> Result<Option<OutgoingOperation>, StoreError> {
        let Some(completion) = completion else {
            // The one that was just held, unless it takes the place of an edit that was refused already.
            if let Some(held) = self.held.back_mut().filter(|held| !held.pending.instead) {
                held.confirms = Some(edit);
            }
            return Ok(None);
        };
        if completion.instead {
            self.warn_of_late_edit(&edit.operation)?;
            return Ok(None);
        }
        Ok(Some(edit).filter(|_| arrived(&completion.outcome)))
    }

    /// Tells that older text may come back on a message whose text was sent anew, where the channel cannot delete it.
    pub(crate) fn warn_of_late_edit(&self, edit: &Operation) -> Result<(), StoreError> {
        match edit {
            Operation::EditText { message, .. } if !self.can.delete => self.warn(format!(
                "a live edit of message {message} has no answer and may still come: older text would stand there again, \
                 beside the text that was sent anew"
            )),
            _ => Ok(()),
        }
    }

    /// Writes a final edit once more.
    pub(crate) async fn confirm_edit(&mut self, edit: OutgoingOperation) -> Result<(), StoreError> {
        if let Operation::EditText { message, .. } = &edit.operation {
            self.warn(format!(
                "a live edit of message {message} has no answer and may still come; the final text is written once more"
            ))?;
        }
        let delay = Delay {
            until: self.now().plus(CONFIRM_AFTER),
            reason: HoldReason::EditInterval,
        };
        self.send_operation(edit.delayed(Some(delay))).await.map(drop)
    }
}
