//! Final edits that a live edit without an answer may undo: the final text is written once more, after the time in which
//! such an edit may still come. An edit that changes nothing does no harm.
//!
//! Only an edit that arrived is confirmed. Where the text was sent anew, the message is not there any more; where the edit
//! is held, that is decided once its outcome is known.

use super::{
    bubble::arrived,
    courier::{Delay, Outgoing},
    desk::{Desk, Sent},
};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, Operation};
use std::time::Duration;

/// The time after the final edit in which a live edit without an answer may still come, it is assumed: a request that
/// the platform took before the connection broke is carried out within seconds.
const CONFIRM_AFTER: Duration = Duration::from_secs(10);

impl Desk {
    /// Takes how a final edit in doubt went. Answers the edit that confirms it, where that is known already.
    pub(super) fn doubt_edit(&mut self, edit: Outgoing, sent: Option<&Sent>) -> Option<Outgoing> {
        if let Some(sent) = sent {
            Some(edit).filter(|_| arrived(&sent.outcome) && !sent.instead)
        } else {
            self.doubt_held(edit);
            None
        }
    }

    /// Writes a final edit once more.
    pub(super) async fn confirm_edit(&mut self, edit: Outgoing) -> Result<(), StoreError> {
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
