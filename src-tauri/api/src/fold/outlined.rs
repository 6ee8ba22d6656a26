//! The line of a turn out of its outline.

use super::{LINE, TurnFold, sketch::HoldBar, when::millis};
use foldback_store::{OutlinedHold, TurnOutline};
use foldback_wire::rpc::TurnSummary;

/// A line that was folded from an outline.
pub(crate) struct OutlinedLine {
    /// The line.
    pub(crate) summary: TurnSummary,
    /// True where it can change no more, as [`TurnFold::settled`] says.
    pub(crate) settled: bool,
    /// True where the outline had too little of the text, so that the line shows less of the answer than it may.
    pub(crate) lacks_text: bool,
}

impl OutlinedLine {
    /// The line; `None` where the outline has no message.
    pub(crate) fn of(outline: &TurnOutline) -> Option<Self> {
        let mut fold = TurnFold::new(outline.turn);
        for event in &outline.events {
            // A chunk that only ends a thought may stand behind a hole in the text. No range is decided there.
            if let Some(when) = fold.reach_event(event) {
                fold.fold_event(when, &event.kind);
            }
        }
        fold.last = fold.last.max(outline.last);
        let hold = |hold: &OutlinedHold| {
            let from_ms = millis(fold.began, hold.from);
            HoldBar {
                from_ms,
                until_ms: Some(from_ms + hold.ms),
                reason: hold.reason,
            }
        };
        let holds: Vec<_> = outline.holds.iter().map(hold).collect();
        let summary = fold.line(&holds)?;
        let is_full = summary.answer.ends_with('…') && summary.answer.chars().count() == LINE;
        Some(Self {
            settled: fold.settled(),
            lacks_text: outline.has_more_text && !is_full,
            summary,
        })
    }
}

#[cfg(test)]
#[path = "outlined_tests.rs"]
mod tests;
