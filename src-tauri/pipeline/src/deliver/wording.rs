//! The text of one message: as the journal keeps it, and where it comes from in the answer's clean text.

use super::{courier::Outgoing, desk::Desk};
use crate::{
    leaks::Place,
    rules::Rule,
    split::{Limit, Piece},
};
use foldback_wire::{Body, CleanPlace, MessageId, Operation, Outcome, OutcomeCode};

/// The words of a message: as the journal keeps them, and where they come from in the answer's clean text.
#[derive(Debug, Clone)]
pub(crate) struct Wording {
    body: Body,
    place: Option<Place>,
}

impl Wording {
    /// A piece of this assistant message.
    pub(super) fn of(piece: &Piece, message: u32, clean: &str) -> Self {
        let span = piece.span;
        let body = if piece.is_verbatim() {
            Body::Clean { message, span }
        } else {
            Body::Literal {
                text: piece.text(clean),
                place: Some(CleanPlace { message, span }),
            }
        };
        let place = Place {
            message,
            span,
            prefix: piece.prefix.len(),
            suffix: piece.suffix.len(),
        };
        Self {
            body,
            place: Some(place),
        }
    }

    /// Text that no agent wrote.
    pub(super) fn own(text: &str) -> Self {
        Self {
            body: Body::own(text),
            place: None,
        }
    }

    /// Words that stood on the screen before: the leak alarm has seen them.
    pub(super) const fn again(body: Body) -> Self {
        Self { body, place: None }
    }

    pub(super) fn text(self, text: String, reply_to: Option<MessageId>) -> Outgoing {
        Outgoing::text(text, reply_to, self.body).showing(self.place)
    }

    pub(super) fn edit(self, message: MessageId, text: String) -> Outgoing {
        Outgoing::edit(message, text, self.body).showing(self.place)
    }
}

/// The most that one message of the channel holds.
pub(super) fn limit(desk: &Desk) -> Limit {
    let limit = Limit::of(&desk.can);
    Limit {
        max: if desk.rules.holds(Rule::SplitLimit) {
            limit.max
        } else {
            usize::MAX
        },
        markup: limit.markup.filter(|_| desk.rules.holds(Rule::SplitRendered)),
        ..limit
    }
}

/// True where the platform has it now, for all that is known.
pub(crate) fn arrived(outcome: &Outcome) -> bool {
    matches!(
        outcome.code,
        OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::DryRun
    )
}

/// True for an operation that puts text of an answer on the screen.
pub(crate) const fn is_text(operation: &Operation) -> bool {
    matches!(operation, Operation::SendText { .. } | Operation::EditText { .. })
}
