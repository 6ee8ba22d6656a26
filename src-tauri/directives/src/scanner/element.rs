//! Scaffolding elements with content: they count the depth of their own name.

use super::Scanner;
use crate::lex::tag::{Lexed, Lexer, Tag};
use crate::names::{Name, Named};
use crate::rules::Rule as G;
use crate::{GuardKind, RangeReason, Span};

/// How far the content of an element has been followed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    start: usize,
    at: usize,
    open: usize,
}

impl Scanner {
    /// The content of the element that `tag` opens, and where its closing tag ends; `None` when that is not
    /// known yet. Unclosed, it goes to `end`.
    pub(super) fn element(
        &mut self,
        index: usize,
        tag: &Tag,
        end: usize,
        whole: bool,
    ) -> Option<(Span, usize)> {
        let from = tag.span.end;
        if tag.self_closing || self.names.guard_kind(index) == GuardKind::Unwrap {
            return Some((Span::new(from, from), from));
        }
        let start = tag.span.start;
        let mut slot = self.search.element.filter(|slot| slot.start == start);
        let depth = slot.get_or_insert(Depth {
            start,
            at: from,
            open: 1,
        });
        while depth.at < end {
            let rest = self.source.bytes(depth.at, end);
            let skip = memchr::memchr(b'<', rest);
            self.source.spend(skip.unwrap_or(rest.len()) + 1);
            depth.at += skip.unwrap_or(rest.len());
            if skip.is_none() {
                break;
            }
            match self.names.at(&self.source, depth.at, end, whole) {
                Named::Partial(_) => break,
                Named::Known(Name::Guard(other)) if other == index => {}
                _ => {
                    depth.at += 1;
                    continue;
                }
            }
            let lexer = match &mut self.search.inner {
                Some(lexer) if lexer.start() == depth.at => lexer,
                inner => inner.insert(Lexer::new(depth.at)),
            };
            match lexer.read(&self.source, &mut self.search.quotes, end) {
                Lexed::More if !whole => break,
                Lexed::Complete => {
                    let found = lexer.tag();
                    match (found.closing, found.self_closing) {
                        (true, _) if depth.open == 1 => {
                            self.search.element = None;
                            return Some((Span::new(from, found.span.start), found.span.end));
                        }
                        (true, _) => depth.open -= 1,
                        (false, false) if self.rules.on(G::GuardDepth) => depth.open += 1,
                        (false, _) => {}
                    }
                    depth.at = found.span.end;
                }
                _ => depth.at += 1,
            }
        }
        self.search.element = slot;
        whole.then(|| (Span::new(from, end), end))
    }

    /// The reason of the content's range, and the span of the whole element.
    pub(super) fn guard_ranges(&self, index: usize, tag: &Tag, end: usize) -> (RangeReason, Span) {
        let reason = match self.names.guard_kind(index) {
            GuardKind::Reasoning => RangeReason::Reasoning,
            GuardKind::Unwrap | GuardKind::Strip => RangeReason::Guard,
        };
        (reason, Span::new(tag.span.start, end))
    }
}
