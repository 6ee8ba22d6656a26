//! The meaning of an outcome for the screen.

use foldback_wire::{Outcome, OutcomeCode};

/// True where the platform has what was sent, for all that is known.
pub(crate) fn arrived(outcome: &Outcome) -> bool {
    matches!(
        outcome.code,
        OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::DryRun
    )
}

/// True where what was sent stands on the screen or may: also where nobody knows whether it arrived.
pub(crate) fn may_stand(outcome: &Outcome) -> bool {
    arrived(outcome) || outcome.code == OutcomeCode::Unknown
}
