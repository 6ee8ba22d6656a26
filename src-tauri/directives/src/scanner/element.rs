//! Scaffolding elements with content: they count the depth of their own name.

use super::Scanner;
use crate::lex::tag::{Lexed, Tag};
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

/// The openings of one name that still wait for their closing tag, which belongs to the innermost.
#[derive(Debug, Clone, Default)]
pub(super) struct Openings {
    /// Left as text, inside all others.
    left: usize,
    /// Taken out, around those.
    out: usize,
    /// The same around these, innermost last; kept as counts, so that a run of one kind takes no memory.
    around: Vec<(usize, usize)>,
}

impl Openings {
    pub(super) fn left_as_text(&mut self) {
        self.left += 1;
    }

    /// Whether all that is open was taken out, so that it does not matter which closing tag closes which.
    pub(super) fn none_left(&self) -> bool {
        self.left == 0 && self.around.is_empty()
    }

    pub(super) fn taken_out(&mut self) {
        if self.left > 0 {
            self.around.push((self.left, self.out));
            (self.left, self.out) = (0, 0);
        }
        self.out += 1;
    }

    /// Closes the innermost; whether it was left as text.
    pub(super) fn close(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return true;
        }
        self.out = self.out.saturating_sub(1);
        if self.out == 0 {
            (self.left, self.out) = self.around.pop().unwrap_or_default();
        }
        false
    }
}

impl Scanner {
    /// The content of the element that `tag` opens, and where its closing tag ends; `None` when that is not
    /// known yet. Unclosed, it goes to `end`.
    pub(super) fn element(
        &mut self,
        index: usize,
        tag: Tag,
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
            let lexer = &mut self.search.inner;
            match lexer.read(depth.at, &self.source, &mut self.search.quotes, end) {
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
    pub(super) fn guard_ranges(&self, index: usize, tag: Tag, end: usize) -> (RangeReason, Span) {
        let reason = match self.names.guard_kind(index) {
            GuardKind::Reasoning => RangeReason::Reasoning,
            GuardKind::Unwrap | GuardKind::Strip => RangeReason::Guard,
        };
        (reason, Span::new(tag.span.start, end))
    }
}
