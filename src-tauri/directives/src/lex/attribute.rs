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
    /// From the name to the value, its quotes included.
    pub(crate) fn span(&self, source: &Source) -> Span {
        let Some(value) = self.value else {
            return self.name;
        };
        let opening = source.str(Span::new(self.name.end, value.start));
        let quote = match opening.trim_end_matches(['"', '\'']) {
            escaped if escaped.len() < opening.len() => 1 + usize::from(escaped.ends_with('\\')),
            curly => curly
                .chars()
                .next_back()
                .filter(|c| !c.is_ascii())
                .map_or(0, char::len_utf8),
        };
        Span::new(self.name.start, value.end + quote)
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
            source.spend(raw.len());
            Cow::Borrowed(raw)
        } else {
            decode(source, raw)
        }
    }
}
