//! The bound of a run's text: a run that says more than the messages of one answer hold is stopped, since the chat gets
//! no more of it.

use crate::output::OutputEvent;
use foldback_wire::{Capabilities, LengthUnit};
use std::num::NonZeroU32;

/// The most text that a run may say, in its channel's unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextBound {
    units: usize,
    unit: LengthUnit,
}

impl TextBound {
    /// As much as so many messages of a channel hold.
    pub(crate) fn of(can: &Capabilities, messages: NonZeroU32) -> Self {
        let messages = usize::try_from(messages.get()).unwrap_or(usize::MAX);
        Self {
            units: can.text_limit.saturating_mul(messages),
            unit: can.unit,
        }
    }

    /// True for a run that has said so much.
    pub(super) const fn is_passed_by(self, said: usize) -> bool {
        said > self.units
    }

    /// The units of text for the chat among these output events.
    pub(super) fn measure(self, events: &[OutputEvent]) -> usize {
        let text = |event: &OutputEvent| match event {
            OutputEvent::Text { text, .. } => self.unit.measure(text),
            _ => 0,
        };
        events.iter().map(text).sum()
    }
}
