//! The blocks of an assistant message that is sent while it grows.

use super::Preview;
use crate::{
    config::Narration,
    deliver::{operation::Delay, turn_operations::TurnOperations},
    split::Piece,
};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, OutcomeCode, SteadyTime};

/// Progress of the blocks of an assistant message.
#[derive(Debug, Default)]
pub(super) struct BlockProgress {
    /// The time at which text came last.
    grew_at: SteadyTime,
    /// The time at which the next one may go out, as far as the text so far tells.
    pub(super) due: Option<SteadyTime>,
    /// One did not arrive: it goes out again with the rest.
    failed: bool,
    /// The number of the block that is being sent; `None` for a part of a complete message.
    pub(super) sending: Option<u32>,
}

impl Preview {
    /// Text came.
    pub(crate) const fn note_growth(&mut self, now: SteadyTime) {
        self.blocks.grew_at = now;
    }

    /// True where some of it went out before it was complete.
    pub(crate) const fn is_begun(&self) -> bool {
        self.parts > 0
    }

    /// Sends the blocks that may go out now.
    pub(super) async fn refresh_blocks(&mut self, operations: &mut TurnOperations) -> Result<(), StoreError> {
        self.blocks.due = None;
        let waits_for_end = operations.output.narration == Some(Narration::Hide)
            || self.blocks.failed
            || operations.answer.held_with().is_some();
        if waits_for_end || !operations.is_open() {
            return Ok(());
        }
        while let Some(blocks) = operations.blocks {
            if blocks.not_before() > operations.now() {
                self.blocks.due = Some(blocks.not_before());
                break;
            }
            let (before, parts) = (self.splitter.clone(), self.parts);
            let Some(piece) = self.next_block(operations) else {
                break;
            };
            self.counted = self.counted || operations.claim_message();
            if !self.counted {
                self.splitter = before;
                break;
            }
            self.blocks.sending = Some(blocks.index());
            let ended = self.finish_message(operations, &piece).await?;
            self.blocks.sending = None;
            if ended == Some(OutcomeCode::Failed) {
                let (index, message) = (blocks.index(), self.message);
                operations.warn(format!(
                    "block {index} did not arrive; it is sent again with the rest of message {message}"
                ))?;
                self.splitter = before;
                self.parts = parts;
                self.blocks.failed = true;
                operations.forget_failed_part();
            }
            // What is held goes out in order, and is not known to have arrived.
            if self.blocks.failed || ended.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// The next block: a full one or, once no text came for long enough, one that ends where it may.
    fn next_block(&mut self, operations: &TurnOperations) -> Option<Piece> {
        let blocks = operations.blocks.as_ref()?;
        let rest = self.splitter.rest(&self.clean)?.span;
        // A unit is at most a byte, so that most texts need no counting.
        if rest.of(&self.clean).len() < blocks.least() {
            return None;
        }
        if let Some(full) = self.next_full(operations) {
            return Some(full);
        }
        let limit = operations.message_limit();
        if limit.unit.measure(rest.of(&self.clean)) < blocks.least() {
            return None;
        }
        let quiet_at = self.blocks.grew_at.plus(blocks.coalesce());
        if quiet_at > operations.now() {
            self.blocks.due = Some(quiet_at);
            return None;
        }
        let repairs = operations.repairs();
        self.splitter
            .next_block(&self.clean, (blocks.least(), blocks.ends_at()), limit, repairs)
    }

    /// The pause that a message still has to keep.
    pub(super) fn pause_before_block(operations: &TurnOperations) -> Option<Delay> {
        let until = operations.blocks.as_ref()?.not_before();
        (until > operations.now()).then_some(Delay {
            until,
            reason: HoldReason::HumanDelay,
        })
    }
}
