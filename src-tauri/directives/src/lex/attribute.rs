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
        same_word(source.bytes(self.name.start, self.name.end), name.as_bytes())
    }

    /// The value as text; empty where there is none.
    pub(crate) fn text<'a>(&self, source: &'a Source) -> Cow<'a, str> {
        self.value
            .map_or(Cow::Borrowed(""), |value| decode(source.str(value)))
    }
}
