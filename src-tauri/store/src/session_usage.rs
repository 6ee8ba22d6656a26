//! What the runs of a session took together.

use foldback_wire::{Kind, Usage};

/// Tokens of a session since it last began anew, as far as its backends told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageTotals {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// How often a backend told its tokens: once for each answer, each summary of the conversation and each
    /// time that the agent wrote its memory down.
    pub counted: u64,
}

impl UsageTotals {
    /// The totals with what an event of the session says.
    pub(crate) fn fold(self, kind: &Kind) -> Self {
        if matches!(kind, Kind::SessionReset { .. }) {
            return Self::default();
        }
        usage_of(kind).map_or(self, |Usage { input, output }| Self {
            input: self.input.saturating_add(input),
            output: self.output.saturating_add(output),
            counted: self.counted + 1,
        })
    }
}

/// The tokens that an event counts.
pub(crate) const fn usage_of(kind: &Kind) -> Option<Usage> {
    match kind {
        Kind::Used { usage } => Some(*usage),
        Kind::HistoryCompacted { usage, .. } | Kind::MemoryFlushed { usage, .. } => *usage,
        _ => None,
    }
}
