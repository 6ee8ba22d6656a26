//! What follows from how an operation ended: something else instead of what was refused, the removal of what
//! is replaced. The same at once and, for what was held, when its outcome comes.

use super::{bubble::arrived, courier::Outgoing};
use crate::rules::{Rule, Rules};
use foldback_wire::{Capabilities, MessageId, Operation, Outcome, OutcomeCode, RefusalCode};

/// Text that looks like none, for a message that can be edited but not removed.
const BLANK: &str = "\u{200b}";

/// An operation, and what follows from its outcome.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(super) outgoing: Outgoing,
    pub(super) then: Then,
}

/// What follows from an outcome.
#[derive(Debug, Clone, Default)]
pub(crate) struct Then {
    refused: Option<Box<Otherwise>>,
    /// A message that this one replaces.
    replaces: Option<MessageId>,
    /// A message that stays on the screen where this does not take it off.
    leaves: Option<MessageId>,
}

/// What is done instead of something that was refused.
#[derive(Debug, Clone)]
struct Otherwise {
    case: Case,
    instead: Wanted,
    /// What the journal is told.
    why: String,
}

/// When something else is done instead.
#[derive(Debug, Clone, Copy)]
enum Case {
    /// The platform certainly did nothing.
    Failed,
    /// It did nothing, and the message that is answered may be the reason.
    ReplyRefused,
}

impl Case {
    fn is(self, outcome: &Outcome, rules: Rules) -> bool {
        let reason = match self {
            Self::Failed => true,
            Self::ReplyRefused => {
                rules.holds(Rule::DeliverReplyRefused)
                    && matches!(
                        outcome.refusal,
                        Some(RefusalCode::Gone | RefusalCode::Rejected | RefusalCode::Unsupported)
                    )
            }
        };
        outcome.code == OutcomeCode::Failed && reason
    }
}

/// What is done next.
#[derive(Debug)]
pub(super) enum Next {
    /// Nothing more.
    Done,
    /// Something else, because this was refused; with what the journal is told.
    Instead(Box<Wanted>, String),
    /// What this message replaces is taken off the screen.
    Remove(MessageId),
    /// A message stays where it was to be taken off; with what the journal is told.
    Left(String),
}

impl From<Outgoing> for Wanted {
    fn from(outgoing: Outgoing) -> Self {
        Self {
            outgoing,
            then: Then::default(),
        }
    }
}

impl Wanted {
    /// A reply, or the same text plainly where the platform refuses that.
    pub(super) fn reply(reply: Outgoing, plain: Outgoing, target: &MessageId) -> Self {
        Self::from(reply).otherwise(
            Case::ReplyRefused,
            plain.into(),
            format!("a reply to {target} was refused; sent without"),
        )
    }

    /// An edit, or its text as a new message in place of the one that cannot be edited.
    pub(super) fn edit(edit: Outgoing, message: MessageId, anew: Self) -> Self {
        let why = format!("message {message} could not be edited; the text is sent anew");
        Self::from(edit).otherwise(Case::Failed, anew.replacing(message), why)
    }

    /// Takes a message off the screen as far as the channel can; `None` where it cannot at all.
    pub(super) fn removal(message: &MessageId, can: &Capabilities) -> Option<Self> {
        let delete = || Operation::Delete {
            message: message.clone(),
        };
        let blank = || Operation::EditText {
            message: message.clone(),
            text: BLANK.to_owned(),
        };
        let leaving = |operation| {
            let mut wanted = Self::from(Outgoing::new(operation));
            wanted.then.leaves = Some(message.clone());
            wanted
        };
        match (can.delete, can.edit) {
            (true, true) => Some(leaving(delete()).otherwise(
                Case::Failed,
                leaving(blank()),
                format!("message {message} could not be removed; it is blanked"),
            )),
            (true, false) => Some(leaving(delete())),
            (false, true) => Some(leaving(blank())),
            (false, false) => None,
        }
    }

    /// The same in place of a message that is taken off the screen once this one has arrived.
    #[must_use]
    pub(super) fn replacing(mut self, message: MessageId) -> Self {
        self.then.replaces = Some(message);
        self
    }

    fn otherwise(mut self, case: Case, instead: Self, why: String) -> Self {
        self.then.refused = Some(Box::new(Otherwise { case, instead, why }));
        self
    }
}

impl Then {
    /// What is done next.
    pub(super) fn next(self, outcome: &Outcome, rules: Rules) -> Next {
        let gone = outcome.refusal == Some(RefusalCode::Gone);
        let Self {
            refused,
            replaces,
            leaves,
        } = self;
        if arrived(outcome) {
            return replaces.map_or(Next::Done, Next::Remove);
        }
        // What is gone needs no removal.
        if leaves.is_some() && gone {
            return Next::Done;
        }
        if let Some(Otherwise {
            case,
            mut instead,
            why,
        }) = refused.map(|otherwise| *otherwise)
            && case.is(outcome, rules)
        {
            let replaced = instead.then.replaces.take().filter(|_| !gone);
            instead.then.replaces = replaced.or(replaces);
            return Next::Instead(Box::new(instead), why);
        }
        leaves.map_or(Next::Done, |message| {
            let why = outcome.detail.as_deref().unwrap_or(outcome.code.about());
            Next::Left(left(&message, why))
        })
    }
}

/// What the journal is told of a message that stays where it was to be taken off.
pub(crate) fn left(message: &MessageId, why: &str) -> String {
    format!("message {message} is left on the screen: {why}")
}
