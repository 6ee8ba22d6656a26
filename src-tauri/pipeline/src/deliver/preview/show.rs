//! The messages of a preview: live edits, and the final text of each.

use super::Preview;
use crate::{
    deliver::{
        arrival::arrived,
        begun::ShownMessage,
        delivery_queue::OperationCompletion,
        operation::{OutgoingOperation, Wording, off_screen},
        turn_operations::{LIVE_FAILURES, TurnOperations},
    },
    rules::Rule,
    split::Piece,
};
use foldback_store::StoreError;
use foldback_wire::{MessageId, OutcomeCode, RefusalCode};
use std::time::Duration;

impl Preview {
    /// Shows a piece live: the shown message is edited, or a first one sent.
    pub(super) async fn show_live_edit(
        &mut self,
        operations: &mut TurnOperations,
        piece: &Piece,
    ) -> Result<(), StoreError> {
        let text = piece.text(&self.clean);
        let wording = Wording::of(piece, self.message, &self.clean);
        let live_edit = match &self.shown {
            Some(shown) => self.edit(wording, shown.id.clone(), text.clone()).live(true),
            None => self.new_message(operations, &text, wording, true),
        };
        let live_edit = live_edit.part(&operations.answer);
        let Some(OperationCompletion {
            outcome,
            retry_after,
            instead,
            ..
        }) = operations.send_operation(live_edit).await?
        else {
            return Ok(());
        };
        if instead {
            self.reply_to = None;
        }
        let now = operations.now();
        if arrived(&outcome) {
            self.failures = 0;
            let id = outcome.message.or_else(|| self.shown.take().map(|s| s.id));
            self.shown = id.map(|id| ShownMessage { id, text, at: now });
            return Ok(());
        }
        if outcome.code == OutcomeCode::Unknown {
            match &mut self.shown {
                Some(shown) => {
                    shown.text.clear();
                    self.unconfirmed = true;
                }
                None => self.lost = true,
            }
        }
        // A refusal for good comes again with the next live edit: the final text decides.
        self.failures = match outcome.refusal {
            None | Some(RefusalCode::Transient | RefusalCode::RateLimited) => self.failures + 1,
            Some(_) => LIVE_FAILURES,
        };
        operations.no_live_edits |= outcome.refusal.is_some_and(RefusalCode::is_denied);
        let pause = operations.can.edit_interval_ms.map(Duration::from_millis);
        self.quiet_until = now.plus(retry_after.or(pause).unwrap_or_default());
        self.limited = retry_after.is_some();
        Ok(())
    }

    /// Makes a piece final: the shown message gets its text, or a new message does. Answers how that ended; `None` while it
    /// has not.
    pub(super) async fn finish_message(
        &mut self,
        operations: &mut TurnOperations,
        piece: &Piece,
    ) -> Result<Option<OutcomeCode>, StoreError> {
        let text = piece.text(&self.clean);
        let mut ended = None;
        let shown = self.shown.take();
        let unconfirmed = std::mem::take(&mut self.unconfirmed);
        let is_whole = shown.as_ref().is_some_and(|shown| shown.text == text) && !unconfirmed;
        if is_whole && operations.answer.held_with().is_none() {
            // The last live edit is the message.
            operations.tally.texts += 1;
        } else {
            let wording = Wording::of(piece, self.message, &self.clean);
            let anew = self.new_message(operations, &text, wording.clone(), false);
            let mut doubtful = None;
            let wanted = match shown {
                Some(ShownMessage { id, at, .. }) => {
                    let delay = self.delay_of_edit(operations, at);
                    let edit = self.edit(wording, id.clone(), text);
                    if delay.is_some_and(|delay| self.is_too_long(operations, delay)) {
                        operations.warn(format!(
                            "the platform wants no edit of message {id} before {}; the text is sent anew",
                            operations.sender.clock().time_of(self.quiet_until)
                        ))?;
                        if unconfirmed {
                            operations.warn_of_late_edit(&edit.operation)?;
                        }
                        anew.replacing(off_screen(&id, &operations.can))
                    } else {
                        doubtful = unconfirmed.then(|| edit.clone());
                        let edit = edit.delayed(delay);
                        edit.or_anew(off_screen(&id, &operations.can), anew)
                    }
                }
                None => anew.delayed(Self::pause_before_block(operations)),
            };
            if std::mem::take(&mut self.lost) {
                operations.warn(format!(
                    "message {} may stand on the screen twice, once in part: nobody knows whether its first \
                     frame arrived",
                    self.message
                ))?;
            }
            let completion = operations
                .send_operation(wanted.part(&operations.answer).block(self.blocks.sending))
                .await?;
            ended = completion.as_ref().map(|completion| completion.outcome.code);
            if let Some(edit) = doubtful {
                self.doubtful
                    .extend(operations.doubt_edit(edit, completion.as_ref())?);
            }
        }
        self.parts += 1;
        operations.lead = None;
        self.counted = false;
        // Why it waits is told once, however many blocks it is.
        self.waiting &= operations.blocks.is_some();
        let now = operations.now();
        if let Some(blocks) = &mut operations.blocks {
            blocks.advance(now);
        }
        Ok(ended)
    }

    /// Repeats the final edits that a live edit without an answer may have undone.
    pub(super) async fn confirm_edits(&mut self, operations: &mut TurnOperations) -> Result<(), StoreError> {
        for edit in std::mem::take(&mut self.doubtful) {
            operations.confirm_edit(edit.flagged(&self.flags)).await?;
        }
        Ok(())
    }

    /// A new message; the first one of an answer carries the reply target, and is sent plainly when the
    /// platform refuses that.
    pub(crate) fn new_message(
        &self,
        operations: &TurnOperations,
        text: &str,
        wording: Wording,
        live: bool,
    ) -> OutgoingOperation {
        let first = self.parts == 0 || !operations.rules.holds(Rule::DeliverReply);
        let new = |wording: Wording, target| {
            wording
                .text(text.to_owned(), target)
                .flagged(&self.flags)
                .live(live)
        };
        let plain = new(wording.clone(), None);
        match self.reply_to.as_ref().filter(|_| first) {
            Some(target) => new(wording, Some(target.clone())).or_plainly(plain, target),
            None => plain,
        }
    }

    fn edit(&self, wording: Wording, message: MessageId, text: String) -> OutgoingOperation {
        wording.edit(message, text).flagged(&self.flags)
    }
}
