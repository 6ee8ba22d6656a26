//! The text of one message: as the journal keeps it, and where it comes from in the answer's clean text.

use super::OutgoingOperation;
use crate::{leaks::AnswerPlace, split::Piece};
use foldback_wire::{Body, CleanPlace, MessageId};

/// The words of a message: as the journal keeps them, and where they come from in the answer's clean text.
#[derive(Debug, Clone)]
pub(crate) struct Wording {
    body: Body,
    place: Option<AnswerPlace>,
}

impl Wording {
    /// A piece of this assistant message.
    pub(crate) fn of(piece: &Piece, message: u32, clean: &str) -> Self {
        let span = piece.span;
        let body = if piece.is_verbatim() {
            Body::Clean { message, span }
        } else {
            Body::Literal {
                text: piece.text(clean),
                place: Some(CleanPlace { message, span }),
            }
        };
        let place = AnswerPlace {
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
    pub(crate) fn own(text: &str) -> Self {
        Self {
            body: Body::own(text),
            place: None,
        }
    }

    /// Words that stood on the screen before: the leak alarm has seen them.
    pub(crate) const fn again(body: Body) -> Self {
        Self { body, place: None }
    }

    pub(crate) fn text(self, text: String, reply_to: Option<MessageId>) -> OutgoingOperation {
        OutgoingOperation::text(text, reply_to, self.body).showing(self.place)
    }

    pub(crate) fn edit(self, message: MessageId, text: String) -> OutgoingOperation {
        OutgoingOperation::edit(message, text, self.body).showing(self.place)
    }
}
