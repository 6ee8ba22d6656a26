//! Final edits that a live edit without an answer may undo: the final text is written once more, after the time in which
//! such an edit may still come. An edit that changes nothing does no harm.
//!
//! Only an edit that arrived is confirmed. Where the text was sent anew, the message is not there any more, or, on a channel
//! that cannot delete, it is blanked, and the journal is told that older text may come back there. Where the edit is held,
//! that is decided once its outcome is known.

use super::{
    arrival::arrived,
    delivery_queue::OperationCompletion,
    desk::Desk,
    operation::{Delay, OutgoingOperation, Wording},
    reply::message_flags,
    unfinished::UnfinishedMessage,
};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, Operation};
use std::time::Duration;

/// The time after the final edit in which a live edit without an answer may still come, it is assumed: a request that
/// the platform took before the connection broke is carried out within seconds.
const CONFIRM_AFTER: Duration = Duration::from_secs(10);

impl Desk {
    /// Takes how a final edit in doubt went. Answers the edit that confirms it, where that is known already.
    pub(super) fn doubt_edit(
        &mut self,
        edit: OutgoingOperation,
        sent: Option<&OperationCompletion>,
    ) -> Result<Option<OutgoingOperation>, StoreError> {
        let Some(sent) = sent else {
            self.doubt_held(edit);
            return Ok(None);
        };
        if sent.instead {
            self.warn_of_late_edit(&edit.operation)?;
            return Ok(None);
        }
        Ok(Some(edit).filter(|_| arrived(&sent.outcome)))
    }

    /// Tells that older text may come back on a message whose text was sent anew, where the channel cannot delete it.
    pub(super) fn warn_of_late_edit(&self, edit: &Operation) -> Result<(), StoreError> {
        match edit {
            Operation::EditText { message, .. } if !self.can.delete => self.warn(format!(
                "a live edit of message {message} has no answer and may still come: older text would stand there again, \
                 beside the text that was sent anew"
            )),
            _ => Ok(()),
        }
    }

    /// Writes the final edits of a turn once more that an earlier process left in doubt.
    pub(crate) async fn confirm_left(&mut self, messages: Vec<UnfinishedMessage>) -> Result<(), StoreError> {
        for UnfinishedMessage { header, begun, .. } in messages {
            let flags = message_flags(&header, &self.inbound, &self.can);
            for (message, text, body) in begun.doubtful {
                let edit = Wording::again(body).edit(message, text).flagged(&flags);
                self.confirm_edit(edit).await?;
            }
        }
        Ok(())
    }

    /// Writes a final edit once more.
    pub(super) async fn confirm_edit(&mut self, edit: OutgoingOperation) -> Result<(), StoreError> {
        if let Operation::EditText { message, .. } = &edit.operation {
            self.warn(format!(
                "a live edit of message {message} has no answer and may still come; the final text is written once more"
            ))?;
        }
        let delay = Delay {
            until: self.now().plus(CONFIRM_AFTER),
            reason: HoldReason::EditInterval,
        };
        self.post(edit.delayed(Some(delay))).await.map(drop)
    }
}
