//! What travels through the stage: runs of raw bytes on their way out.

use std::borrow::Cow;

use crate::lex::Source;
use crate::{Fate, RangeReason, Span};

/// Whether a piece of text stands in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InCode {
    No,
    /// In an inline span that begins and ends here, with backtick runs of this length.
    Inline {
        start: usize,
        end: usize,
        run: usize,
    },
    Fence,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Text(InCode),
    Joined(Cow<'static, str>),
    Hidden(Fate, RangeReason),
}

/// A run of raw bytes on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

impl Piece {
    pub(crate) fn hidden(span: Span, fate: Fate, reason: RangeReason) -> Self {
        Self {
            span,
            kind: Kind::Hidden(fate, reason),
        }
    }

    pub(crate) fn joined(span: Span, text: Cow<'static, str>) -> Self {
        Self {
            span,
            kind: Kind::Joined(text),
        }
    }

    pub(crate) fn text(span: Span, code: InCode) -> Self {
        Self {
            span,
            kind: Kind::Text(code),
        }
    }

    pub(super) fn is_text(&self) -> bool {
        !matches!(self.kind, Kind::Hidden(..))
    }

    /// The clean text it stands for.
    pub(crate) fn shown<'a>(&'a self, source: &'a Source) -> &'a str {
        match &self.kind {
            Kind::Text(_) => source.str(self.span),
            Kind::Joined(text) => text,
            Kind::Hidden(..) => "",
        }
    }

    pub(super) fn code(&self) -> InCode {
        match self.kind {
            Kind::Text(code) => code,
            _ => InCode::No,
        }
    }

    /// Splits a text piece `at` bytes from its start; white space that was joined is never split.
    pub(super) fn split(&self, at: usize) -> (Self, Self) {
        let middle = self.span.start + at;
        let part = |span| Self {
            span,
            kind: self.kind.clone(),
        };
        (
            part(Span::new(self.span.start, middle)),
            part(Span::new(middle, self.span.end)),
        )
    }
}
