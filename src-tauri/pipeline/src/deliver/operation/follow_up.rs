//! Consequences of the end of an operation: something else in place of what was refused, the removal of what is
//! replaced. It is decided where the outcome is.

use super::{
    OutgoingOperation,
    fallback::{left, stays},
};
use crate::{
    deliver::arrival::arrived,
    rules::{Rule, Rules},
};
use foldback_store::{Case, Removal, Then};
use foldback_wire::{Outcome, OutcomeCode, RefusalCode};

/// The consequence of an outcome.
#[derive(Debug, Default)]
pub(crate) struct FollowUp {
    /// An operation.
    pub(crate) wanted: Option<OutgoingOperation>,
    /// It takes the place of what was refused.
    pub(crate) instead: bool,
    /// The words for the journal.
    pub(crate) warning: Option<String>,
}

impl FollowUp {
    fn warn(why: String) -> Self {
        Self {
            warning: Some(why),
            ..Self::default()
        }
    }

    /// Decides it by what the operation asked for.
    pub(crate) fn of(then: &Then, outcome: &Outcome, rules: Rules) -> Self {
        let gone = outcome.refusal.is_some_and(RefusalCode::is_gone);
        let Then {
            refused,
            replaces,
            leaves,
            cleans_up: _,
        } = then;
        if arrived(outcome) {
            return replaces.as_ref().map_or_else(Self::default, Self::removal);
        }
        // What is gone needs no removal.
        if leaves.is_some() && gone {
            return Self::default();
        }
        if let Some(instead) = refused.as_deref().filter(|i| is_case(i.case, outcome, rules)) {
            let mut wanted = OutgoingOperation {
                body: instead.body.clone(),
                then: instead.then.clone(),
                ..OutgoingOperation::new(instead.operation.clone())
            };
            let replaced = wanted.then.replaces.take().filter(|_| !gone);
            wanted.then.replaces = replaced.or_else(|| replaces.clone());
            return Self {
                wanted: Some(wanted),
                instead: true,
                warning: Some(instead.why.clone()),
            };
        }
        leaves.as_ref().map_or_else(Self::default, |message| {
            let why = outcome.detail.as_deref().unwrap_or(outcome.code.about());
            Self::warn(left(message, why))
        })
    }

    fn removal(removal: &Removal) -> Self {
        let wanted = OutgoingOperation::removal(removal);
        if wanted.is_none() {
            return Self::warn(stays(&removal.message));
        }
        Self {
            wanted,
            ..Self::default()
        }
    }
}

/// True where something else is done after this outcome.
fn is_case(case: Case, outcome: &Outcome, rules: Rules) -> bool {
    let failed = outcome.code == OutcomeCode::Failed;
    match case {
        Case::Failed => failed,
        // Without a refusal it was given up, by a person or by a start: nothing is done in its place then.
        Case::Unconfirmed => failed || outcome.code == OutcomeCode::Unknown && outcome.refusal.is_some(),
        // A chat that is gone takes nothing without the reply either.
        Case::ReplyRefused => {
            failed
                && rules.holds(Rule::DeliverReplyRefused)
                && matches!(
                    outcome.refusal,
                    Some(RefusalCode::Gone | RefusalCode::Rejected | RefusalCode::Unsupported)
                )
        }
    }
}
