//! One attribute of a tag.

use std::borrow::Cow;

use super::{Source, decode::decode, same_word};
use crate::Span;

/// An attribute as written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute {
    pub(crate) name: Span,
    /// Between the quotes; `None` for a bare attribute.
    pub(crate) value: Option<Span>,
    /// Whether the value is known to stand for itself.
    pub(crate) plain: bool,
}

impl Attribute {
    pub(crate) fn span(&self) -> Span {
        Span::new(
            self.name.start,
            self.value.map_or(self.name.end, |value| value.end),
        )
    }

    #[inline]
    pub(crate) fn is_named(&self, source: &Source, name: &str) -> bool {
        self.name.len() == name.len()
            && same_word(source.bytes(self.name.start, self.name.end), name.as_bytes())
    }

    /// The value as text; empty where there is none.
    #[inline]
    pub(crate) fn text<'a>(&self, source: &'a Source) -> Cow<'a, str> {
        let raw = self.value.map_or("", |value| source.str(value));
        if self.plain {
            Cow::Borrowed(raw)
        } else {
            decode(raw)
        }
    }
}
