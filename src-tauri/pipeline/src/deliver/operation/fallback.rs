//! Operations that are done in place of one that is refused, and the removal of a message that another one replaces.
//! Both are kept with the operation in the outbox.

use super::OutgoingOperation;
use foldback_store::{Case, Instead, Removal};
use foldback_wire::{Capabilities, MessageFlags, MessageId, Operation};

/// Text that looks like none, for a message that can be edited but not removed.
const BLANK: &str = "\u{200b}";

impl OutgoingOperation {
    /// A reply, or the same text plainly where the platform refuses that.
    pub(crate) fn or_plainly(self, plain: Self, target: &MessageId) -> Self {
        let why = format!("a reply to {target} was refused; sent without");
        self.otherwise(Case::ReplyRefused, plain, why)
    }

    /// An edit, or its text as a new message in place of the one that cannot be edited. So that text does not stand
    /// there twice where the edit was done without an answer, the new message replaces the other one.
    pub(crate) fn or_anew(self, edited: Removal, anew: Self) -> Self {
        let message = &edited.message;
        let why = format!("message {message} could not be edited; the text is sent anew");
        self.otherwise(Case::Unconfirmed, anew.replacing(edited), why)
    }

    /// Takes a message off the screen as far as the channel can; `None` where it cannot at all.
    pub(crate) fn removal(removal: &Removal) -> Option<Self> {
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
    pub(crate) fn replacing(mut self, message: Removal) -> Self {
        self.then.replaces = Some(message);
        self
    }

    /// Does something else in the same chat where this is refused; `why` is for the journal.
    #[must_use]
    pub(crate) fn otherwise(mut self, case: Case, instead: Self, why: String) -> Self {
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
}

/// The way in which a channel takes a message off the screen.
pub(crate) fn off_screen(message: &MessageId, can: &Capabilities) -> Removal {
    Removal {
        message: message.clone(),
        delete: can.delete,
        blank: can.edit,
    }
}

/// The words for the journal about a message that its channel has nothing for.
pub(crate) fn stays(message: &MessageId) -> String {
    left(message, "the channel can neither delete nor edit")
}

/// The words for the journal about a message that stays where it was to be taken off.
pub(crate) fn left(message: &MessageId, why: &str) -> String {
    format!("message {message} is left on the screen: {why}")
}
