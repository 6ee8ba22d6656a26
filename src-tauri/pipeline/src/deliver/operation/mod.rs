//! An operation that a turn wants done on a platform, before it is in the outbox: the call itself, the words of it for
//! the journal, and what follows from how it ends.

mod fallback;
mod follow_up;
mod intent;
mod wording;

pub(crate) use fallback::{left, off_screen, stays};
pub(crate) use follow_up::FollowUp;
pub(crate) use intent::{faulted, intent};
pub(crate) use wording::Wording;

use super::text_parts::TextParts;
use crate::{leaks::AnswerPlace, permissions::QuestionDelivery, user_text::UserText};
use foldback_store::Then;
use foldback_wire::{Body, DirectiveRef, HoldReason, MessageFlags, MessageId, OpKind, Operation, SteadyTime};
use std::sync::Arc;

/// An operation that is wanted.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingOperation {
    pub(crate) operation: Operation,
    /// The words of it, as the journal keeps them.
    pub(crate) body: Option<Body>,
    pub(crate) directive: Option<DirectiveRef>,
    pub(crate) live: bool,
    /// The number of the block that it is, where it goes out before its assistant message is complete.
    pub(crate) block: Option<u32>,
    /// The place of a message's clean text that it shows.
    pub(crate) shows: Option<AnswerPlace>,
    /// The consequence of its end.
    pub(crate) then: Then,
    /// Of a question: once it is decided, it is not sent any more, nor by the next start.
    pub(crate) question: Option<QuestionDelivery>,
    /// The text that it is one message, or a live edit, of.
    pub(crate) parts: Option<Arc<TextParts>>,
    /// It is in the outbox at once and goes out later.
    pub(crate) delay: Option<Delay>,
}

/// A pause that an operation keeps before its first platform call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delay {
    pub(crate) until: SteadyTime,
    pub(crate) reason: HoldReason,
}

impl OutgoingOperation {
    pub(crate) fn new(operation: Operation) -> Self {
        Self {
            operation,
            body: None,
            directive: None,
            live: false,
            block: None,
            shows: None,
            then: Then::default(),
            question: None,
            parts: None,
            delay: None,
        }
    }

    pub(crate) fn text(text: String, reply_to: Option<MessageId>, body: Body) -> Self {
        Self {
            body: Some(body),
            ..Self::new(Operation::SendText {
                text,
                reply_to,
                flags: MessageFlags::default(),
            })
        }
    }

    /// A sentence of our own.
    pub(crate) fn own_text(text: &UserText<'_>) -> Self {
        Self::literal(&text.to_string())
    }

    /// Text as the agent or the configuration has it, which stands nowhere in the answer's clean text.
    pub(crate) fn literal(text: &str) -> Self {
        Self::text(text.to_owned(), None, Body::own(text))
    }

    /// A sentence of our own beside the answer.
    pub(crate) fn own_aside(text: &UserText<'_>) -> Self {
        Self::aside(&text.to_string())
    }

    /// Text beside the answer: about the agent's tools, its reasoning, its requests for permission.
    pub(crate) fn aside(text: &str) -> Self {
        let body = Body::Aside {
            text: text.to_owned(),
        };
        Self::text(text.to_owned(), None, body)
    }

    /// The question of a request for permission.
    pub(crate) fn question(text: &str, delivery: QuestionDelivery) -> Self {
        Self {
            question: Some(delivery),
            ..Self::aside(text)
        }
    }

    /// Text beside the answer that takes the place of what a message said before.
    pub(crate) fn aside_edit(message: MessageId, text: &str) -> Self {
        let body = Body::Aside {
            text: text.to_owned(),
        };
        Self::edit(message, text.to_owned(), body)
    }

    pub(crate) fn edit(message: MessageId, text: String, body: Body) -> Self {
        Self {
            body: Some(body),
            ..Self::new(Operation::EditText {
                message,
                text,
                flags: MessageFlags::default(),
            })
        }
    }

    /// Every call that may come of it: its own, and those that would be made in its place.
    pub(super) fn operations(&mut self) -> impl Iterator<Item = &mut Operation> {
        let mut then = Some(&mut self.then);
        let others = std::iter::from_fn(move || {
            let instead = then.take()?.refused.as_deref_mut()?;
            then = Some(&mut instead.then);
            Some(&mut instead.operation)
        });
        std::iter::once(&mut self.operation).chain(others)
    }

    /// Shows other text of an answer, also in what is done in its place.
    pub(super) fn show(&mut self, shown: &str) {
        if self.shows.is_none() {
            return;
        }
        for operation in self.operations() {
            if let Operation::SendText { text, .. } | Operation::EditText { text, .. } = operation {
                shown.clone_into(text);
            }
        }
    }

    /// True where it, or what is done in its place, puts a new message into a chat.
    pub(super) fn makes_message(&mut self) -> bool {
        self.operations().any(|operation| {
            matches!(
                operation.kind(),
                OpKind::SendText | OpKind::SendFile | OpKind::SendVoice
            )
        })
    }

    /// True where it puts text of an answer on the screen, or of a directive.
    pub(super) const fn is_text(&self) -> bool {
        matches!(
            self.operation,
            Operation::SendText { .. } | Operation::EditText { .. }
        )
    }

    /// Shows a place of an answer's clean text.
    #[must_use]
    pub(crate) const fn showing(mut self, place: Option<AnswerPlace>) -> Self {
        self.shows = place;
        self
    }

    /// Sends it with these flags, and what is done in its place.
    #[must_use]
    pub(super) fn flagged(mut self, with: &MessageFlags) -> Self {
        for operation in self.operations() {
            match operation {
                Operation::SendText { flags, .. }
                | Operation::EditText { flags, .. }
                | Operation::SendFile { flags, .. }
                | Operation::SendVoice { flags, .. } => flags.clone_from(with),
                Operation::Delete { .. } | Operation::React { .. } | Operation::Typing => {}
            }
        }
        self
    }

    #[must_use]
    pub(crate) const fn live(mut self, live: bool) -> Self {
        self.live = live;
        self
    }

    /// One message of this text.
    #[must_use]
    pub(crate) fn part(mut self, parts: &Arc<TextParts>) -> Self {
        self.parts = Some(Arc::clone(parts));
        self
    }

    /// The block of this number, which goes out before its assistant message is complete.
    #[must_use]
    pub(crate) const fn block(mut self, index: Option<u32>) -> Self {
        self.block = index;
        self
    }

    #[must_use]
    pub(crate) const fn delayed(mut self, delay: Option<Delay>) -> Self {
        self.delay = delay;
        self
    }

    #[must_use]
    pub(crate) const fn for_directive(mut self, at: DirectiveRef) -> Self {
        self.directive = Some(at);
        self
    }
}
