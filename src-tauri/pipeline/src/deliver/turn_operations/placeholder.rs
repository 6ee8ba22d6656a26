//! The message that stands in the chat until the answer replaces it.

use super::TurnOperations;
use crate::{
    config::Narration,
    deliver::{
        begun::ShownMessage,
        delivery_queue::OperationCompletion,
        operation::{OutgoingOperation, left, off_screen, stays},
        operation_sender::SendProgress,
    },
    rules::Rule,
};
use foldback_store::StoreError;
use foldback_wire::{MessageId, OutcomeCode, SteadyTime};

impl TurnOperations {
    /// Writes the answer into a message of an earlier turn, at once and whole: text stands there already.
    pub(crate) fn write_into(&mut self, message: Option<MessageId>) {
        self.no_live_edits |= message.is_some();
        self.replaced = message.map(|id| ShownMessage {
            id,
            text: String::new(),
            at: SteadyTime::default(),
        });
    }

    /// True where the answer is written into a message of an earlier turn.
    pub(super) const fn replaces_message(&self) -> bool {
        self.replaced.is_some()
    }

    pub(crate) async fn put_placeholder(&mut self) -> Result<(), StoreError> {
        let live = self.can.edit && self.can.edit_interval_ms.is_some() && self.narration == Narration::Show;
        let text = self.output.placeholder.clone();
        if !live || self.blocks.is_some() || text.is_empty() || !self.is_open() || self.replaced.is_some() {
            return Ok(());
        }
        // By the sender: it is no answer yet and must not count as one.
        let outgoing = OutgoingOperation::literal(&text).live(true);
        if let SendProgress::Ended(OperationCompletion { outcome, .. }) =
            self.sender.send_operation(outgoing).await?
        {
            if outcome.code == OutcomeCode::Unknown {
                let why =
                    "a placeholder may stand on the screen; nobody knows whether it arrived, so it stays";
                self.warn(why.to_owned())?;
            }
            self.placeholder = outcome.message.map(|id| ShownMessage {
                id,
                text,
                at: self.now(),
            });
        }
        Ok(())
    }

    /// The message that the first text of the answer is written into, where there is one. What follows another message of
    /// the turn is a message of its own: the placeholder stands above that one.
    pub(crate) fn take_placeholder(&mut self) -> Option<ShownMessage> {
        let replaced = self.replaced.take();
        if replaced.is_none() && self.is_first() {
            return self.placeholder.take();
        }
        replaced
    }

    /// Removes the placeholder, once everything that was to replace it has arrived.
    pub(crate) async fn remove_placeholder(&mut self) -> Result<(), StoreError> {
        if self.held.is_empty()
            && self.tally.unacknowledged == 0
            && self.rules.holds(Rule::DeliverPlaceholder)
            && let Some(placeholder) = self.placeholder.take()
            && let Some(removal) = self.removal(&placeholder.id)?
        {
            self.send_operation(removal).await?;
        }
        Ok(())
    }

    /// The end: the placeholder is removed, or the journal is told why it is not.
    pub(crate) async fn give_back_placeholder(&mut self) -> Result<(), StoreError> {
        self.remove_placeholder().await?;
        self.collect_held().await?;
        match &self.placeholder {
            Some(placeholder) if self.rules.holds(Rule::DeliverPlaceholder) => {
                let why = "the answer that was to replace it is not acknowledged";
                self.warn(left(&placeholder.id, why))
            }
            _ => Ok(()),
        }
    }

    /// The operation that takes a message off the screen; where the channel has nothing for it, the journal is told.
    fn removal(&self, message: &MessageId) -> Result<Option<OutgoingOperation>, StoreError> {
        let removal = OutgoingOperation::removal(&off_screen(message, &self.can));
        if removal.is_none() {
            self.warn(stays(message))?;
        }
        Ok(removal)
    }
}
