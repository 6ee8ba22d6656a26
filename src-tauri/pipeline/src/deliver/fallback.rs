//! What follows from how an operation ended: something else instead of what was refused, the removal of what
//! is replaced. It is kept with the operation in the outbox, and decided where its outcome is.

use super::{bubble::arrived, courier::Outgoing};
use crate::rules::{Rule, Rules};
use foldback_store::{Case, Instead, Removal, Then};
use foldback_wire::{Capabilities, MessageFlags, MessageId, Operation, Outcome, OutcomeCode, RefusalCode};

/// Text that looks like none, for a message that can be edited but not removed.
const BLANK: &str = "\u{200b}";

/// What is done next.
#[derive(Debug, Default)]
pub(crate) struct Next {
    /// An operation.
    pub(super) wanted: Option<Outgoing>,
    /// It takes the place of what was refused.
    pub(super) instead: bool,
    /// What the journal is told.
    pub(crate) warning: Option<String>,
}

impl Next {
    fn warn(why: String) -> Self {
        Self {
            warning: Some(why),
            ..Self::default()
        }
    }

    /// What follows from an outcome.
    pub(crate) fn of(then: &Then, outcome: &Outcome, rules: Rules) -> Self {
        let gone = outcome.refusal == Some(RefusalCode::Gone);
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
            let mut wanted = Outgoing {
                body: instead.body.clone(),
                then: instead.then.clone(),
                ..Outgoing::new(instead.operation.clone())
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
        let wanted = Outgoing::removal(removal);
        if wanted.is_none() {
            return Self::warn(stays(&removal.message));
        }
        Self {
            wanted,
            ..Self::default()
        }
    }
}

/// Whether something else is done after this outcome.
fn is_case(case: Case, outcome: &Outcome, rules: Rules) -> bool {
    let failed = outcome.code == OutcomeCode::Failed;
    match case {
        Case::Failed => failed,
        // Without a refusal it was given up, by a person or by a start: nothing is done in its place then.
        Case::Unconfirmed => failed || outcome.code == OutcomeCode::Unknown && outcome.refusal.is_some(),
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

impl Outgoing {
    /// A reply, or the same text plainly where the platform refuses that.
    pub(super) fn or_plainly(self, plain: Self, target: &MessageId) -> Self {
        let why = format!("a reply to {target} was refused; sent without");
        self.otherwise(Case::ReplyRefused, plain, why)
    }

    /// An edit, or its text as a new message in place of the one that cannot be edited. So that text does not stand
    /// there twice where the edit was done without an answer, the new message replaces the other one.
    pub(super) fn or_anew(self, edited: Removal, anew: Self) -> Self {
        let message = &edited.message;
        let why = format!("message {message} could not be edited; the text is sent anew");
        self.otherwise(Case::Unconfirmed, anew.replacing(edited), why)
    }

    /// Takes a message off the screen as far as the channel can; `None` where it cannot at all.
    pub(super) fn removal(removal: &Removal) -> Option<Self> {
        let Removal {
            message,
            delete,
            blank,
        } = removal;
        let leaving = |operation| {
            let mut outgoing = Self::new(operation);
            outgoing.then.leaves = Some(message.clone());
            outgoing
        };
        let deleting = || {
            leaving(Operation::Delete {
                message: message.clone(),
            })
        };
        let blanking = || {
            leaving(Operation::EditText {
                message: message.clone(),
                text: BLANK.to_owned(),
                flags: MessageFlags::default(),
            })
        };
        match (delete, blank) {
            (true, true) => {
                let why = format!("message {message} could not be removed; it is blanked");
                Some(deleting().otherwise(Case::Failed, blanking(), why))
            }
            (true, false) => Some(deleting()),
            (false, true) => Some(blanking()),
            (false, false) => None,
        }
    }

    /// The same in place of a message that is taken off the screen once this one has arrived.
    #[must_use]
    pub(super) fn replacing(mut self, message: Removal) -> Self {
        self.then.replaces = Some(message);
        self
    }

    /// Does something else in the same chat where this is refused; `why` is for the journal.
    #[must_use]
    pub(super) fn otherwise(mut self, case: Case, instead: Self, why: String) -> Self {
        let Self {
            operation,
            body,
            then,
            ..
        } = instead;
        self.then.refused = Some(Box::new(Instead {
            case,
            operation,
            body,
            then,
            why,
        }));
        self
    }

    /// What may come of it: itself, and what would be done in its place.
    pub(super) fn operations(&mut self) -> impl Iterator<Item = &mut Operation> {
        let mut then = Some(&mut self.then);
        let others = std::iter::from_fn(move || {
            let instead = then.take()?.refused.as_deref_mut()?;
            then = Some(&mut instead.then);
            Some(&mut instead.operation)
        });
        std::iter::once(&mut self.operation).chain(others)
    }
}

/// How a channel takes a message off the screen.
pub(super) fn off_screen(message: &MessageId, can: &Capabilities) -> Removal {
    Removal {
        message: message.clone(),
        delete: can.delete,
        blank: can.edit,
    }
}

/// What the journal is told of a message that its channel has nothing for.
pub(super) fn stays(message: &MessageId) -> String {
    left(message, "the channel can neither delete nor edit")
}

/// What the journal is told of a message that stays where it was to be taken off.
pub(crate) fn left(message: &MessageId, why: &str) -> String {
    format!("message {message} is left on the screen: {why}")
}
