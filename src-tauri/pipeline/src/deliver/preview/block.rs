//! The blocks of an assistant message that is sent while it grows.

use super::Preview;
use crate::{
    config::Narration,
    deliver::{blocks::Blocks, operation::Delay, turn_operations::TurnOperations},
    split::Piece,
};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, OutcomeCode, SteadyTime};

/// Progress of the blocks of an assistant message.
#[derive(Debug, Default)]
pub(super) struct BlockProgress {
    /// The time at which text came last.
    grew_at: SteadyTime,
    /// No block goes out before this.
    not_before: SteadyTime,
    /// The time at which the next one may go out, as far as the text so far tells.
    pub(super) due: Option<SteadyTime>,
    /// One did not arrive: it goes out again with the rest.
    failed: bool,
}

impl Preview {
    /// Text came.
    pub(crate) const fn note_growth(&mut self, now: SteadyTime) {
        self.blocks.grew_at = now;
    }

    /// Sends the blocks that may go out now.
    pub(super) async fn refresh_blocks(&mut self, operations: &mut TurnOperations) -> Result<(), StoreError> {
        self.blocks.due = None;
        let waits_for_end = operations.narration == Narration::Hide
            || self.blocks.failed
            || operations.answer.held_with().is_some();
        if waits_for_end || !operations.is_open() {
            return Ok(());
        }
        self.take_placeholder(operations);
        while self.has_message(operations) {
            if self.blocks.not_before > operations.now() {
                self.blocks.due = Some(self.blocks.not_before);
                break;
            }
            let before = self.splitter.clone();
            let Some(piece) = self.next_block(operations) else {
                break;
            };
            let (index, first) = (operations.blocks.map_or(0, |blocks| blocks.index()), self.parts);
            let ended = self.finish_message(operations, &piece).await?;
            if matches!(ended, Some(OutcomeCode::Failed | OutcomeCode::Cancelled)) {
                operations.warn(format!(
                    "block {index} did not arrive; it is sent again with the rest of message {}",
                    self.message
                ))?;
                self.splitter = before;
                self.parts = first;
                self.blocks.failed = true;
                operations.part_from_failed();
                break;
            }
        }
        Ok(())
    }

    /// The next block: a full one or, once no text came for long enough, one that ends where it may.
    fn next_block(&mut self, operations: &TurnOperations) -> Option<Piece> {
        if let Some(full) = self.next_full(operations) {
            return Some(full);
        }
        let blocks = operations.blocks.as_ref()?;
        let limit = operations.message_limit();
        let rest = self.splitter.rest(&self.clean)?;
        if limit.unit.measure(rest.span.of(&self.clean)) < blocks.min() {
            return None;
        }
        let quiet_at = self.blocks.grew_at.plus(blocks.coalesce());
        if quiet_at > operations.now() {
            self.blocks.due = Some(quiet_at);
            return None;
        }
        let repairs = operations.repairs();
        self.splitter
            .next_block(&self.clean, (blocks.min(), blocks.ends_at()), limit, repairs)
    }

    /// A message went out: the next block keeps its pause.
    pub(super) fn count_block(&mut self, operations: &mut TurnOperations) {
        let now = operations.now();
        if let Some(pause) = operations.blocks.as_mut().map(Blocks::advance) {
            self.blocks.not_before = now.plus(pause);
        }
    }

    /// The pause that a message still has to keep.
    pub(super) fn pause_before_block(&self, operations: &TurnOperations) -> Option<Delay> {
        let until = self.blocks.not_before;
        let waits = operations.blocks.is_some() && until > operations.now();
        waits.then_some(Delay {
            until,
            reason: HoldReason::HumanDelay,
        })
    }
}
