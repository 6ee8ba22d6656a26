//! The times at which a preview may be edited.

use super::Preview;
use crate::{
    config::Narration,
    deliver::{
        operation::Delay,
        turn_operations::{LIVE_FAILURES, TurnOperations},
    },
    rules::Rule,
};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, Kind, SteadyTime};
use std::time::Duration;

impl Preview {
    /// The time at which the next live edit may be shown, if there is text that is not shown yet and a message for it
    /// to stand in.
    pub(crate) fn due(&self, operations: &TurnOperations) -> Option<SteadyTime> {
        if operations.blocks.is_some() {
            return self.blocks.due;
        }
        let interval = self.interval(operations)?;
        if !self.is_dirty() || !(self.counted || operations.may_send_message()) {
            return None;
        }
        let after_last = self.shown.as_ref().map(|s| s.at.plus(interval));
        Some(after_last.unwrap_or_default().max(self.quiet_until))
    }

    /// Time between live edits; `None` where there are no live edits (any more), also behind a message of the answer that did
    /// not arrive.
    pub(super) fn interval(&self, operations: &TurnOperations) -> Option<Duration> {
        let forced = (!operations.rules.holds(Rule::PreviewCannotEdit)).then_some(0);
        let interval = operations
            .can
            .edit_interval_ms
            .filter(|_| operations.can.edit)
            .or(forced)?;
        if operations.narration == Narration::Hide && forced.is_none()
            || self.failures >= LIVE_FAILURES
            || operations.no_live_edits
            || operations.blocks.is_some()
            || self.lost
            || self.is_ephemeral()
            || operations.answer.held_with().is_some()
        {
            return None;
        }
        Some(if operations.rules.holds(Rule::PreviewInterval) {
            Duration::from_millis(interval)
        } else {
            Duration::ZERO
        })
    }

    fn is_dirty(&self) -> bool {
        let text = self
            .splitter
            .rest(&self.clean)
            .map(|piece| piece.text(&self.clean));
        text.is_some() && text.as_ref() != self.shown.as_ref().map(|s| &s.text)
    }

    /// The pause before the message that was shown at this time may be edited; `None` where it may be now.
    pub(super) fn delay_of_edit(&self, operations: &TurnOperations, shown_at: SteadyTime) -> Option<Delay> {
        let paced = self
            .interval(operations)
            .map(|interval| shown_at.plus(interval).max(self.quiet_until));
        let limited = Some(self.quiet_until).filter(|_| self.limited);
        let until = paced.max(limited).filter(|until| *until > operations.now())?;
        Some(self.delay(until))
    }

    /// True where the platform wants to be left alone for longer than any operation waits.
    pub(super) fn is_too_long(&self, operations: &TurnOperations, delay: Delay) -> bool {
        self.limited && delay.until.since(operations.now()) > operations.sender.longest_backoff()
    }

    /// Tells that a live edit waits, and for what.
    pub(super) fn note_wait(&self, operations: &TurnOperations, until: SteadyTime) -> Result<(), StoreError> {
        let Delay { until, reason } = self.delay(until);
        operations.note(Kind::Waiting {
            op: None,
            reason,
            until: Some(operations.sender.clock().time_of(until)),
        })
    }

    /// A pause until this time, and what asks for it.
    fn delay(&self, until: SteadyTime) -> Delay {
        let reason = if self.limited && self.quiet_until >= until {
            HoldReason::RateLimited
        } else {
            HoldReason::EditInterval
        };
        Delay { until, reason }
    }
}
