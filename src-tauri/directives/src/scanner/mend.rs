//! Which fixes can be offered: each must be safe alone, also while everything else stays as it is.
//!
//! A fix must not change what the rest of the text is read as. Two things behind it could: an `<actions>` that
//! is not closed takes the next `</actions>`, and what was left as text because something in it forbids a tag
//! may become one when that goes.

use super::{Next, Scanner};
use crate::lex::Source;
use crate::silence::{Kind, Piece};
use crate::{Dialect, Fate, RangeReason, Sink, Span};

/// How far back a word is followed, in bytes. A longer one is not judged.
pub(super) const LOOK_BACK: usize = 64;

/// Most bytes from the first marker to the last for one fix to take them all out.
pub(super) const MAX_MARKERS: usize = 4_096;

impl Scanner {
    /// What stands here was left as text, and may become more when something before `until` changes.
    pub(super) fn left_as_text(&mut self, until: usize) {
        self.memory.doubt = self.memory.doubt.max(until);
    }

    /// Shows the `<` of a whole tag that is text here: without its end it may not be.
    pub(super) fn show_tag(&mut self, tag: Span, sink: &mut dyn Sink) -> Next {
        self.left_as_text(tag.end);
        self.show_one(sink)
    }

    /// Whether this may be taken out and the text around it stays text.
    pub(super) fn may_go(&self, span: Span) -> bool {
        let plain = || {
            self.source.spend(span.len());
            memchr::memchr(b'`', self.source.bytes(span.start, span.end)).is_none()
        };
        span.start >= self.doubtful() && plain() && ends_plainly(&self.source, span.start)
    }

    /// The same of an opening or closing tag of scaffolding without the other one.
    pub(super) fn may_go_alone(&self, guard: usize, span: Span) -> bool {
        self.memory.guards[guard].none_left() && self.may_go(span)
    }

    /// Before this byte nothing may be taken out.
    pub(super) fn doubtful(&self) -> usize {
        // What is taken out of a JSON value that is none may make it one.
        if self.reads(Dialect::Json) {
            usize::MAX
        } else {
            self.memory.doubt
        }
    }
}

/// Whether nothing that follows can make markup of the word that ends at `at`.
fn ends_plainly(source: &Source, at: usize) -> bool {
    let word = source.bytes(source.back(at, LOOK_BACK), at);
    let stop = word
        .iter()
        .rposition(|b| b.is_ascii_whitespace() || matches!(b, b'<' | b'>'));
    source.spend(word.len() - stop.unwrap_or(0));
    let joins = matches!(word.last(), Some(b'`' | b'~'));
    match stop {
        Some(stop) => word[stop] != b'<' && !joins,
        None => word.len() == at && !joins,
    }
}

/// The silence markers of a message, which are one finding with one fix.
#[derive(Debug)]
pub(super) struct Markers {
    pub(super) first: Span,
    /// One past the last of them.
    end: usize,
    /// What stands between them.
    between: String,
    /// Whether they can all be taken out together.
    may_go: bool,
    pub(super) many: bool,
}

impl Markers {
    pub(super) fn new(first: Span, may_go: bool) -> Self {
        Self {
            first,
            end: first.end,
            between: String::new(),
            may_go,
            many: false,
        }
    }

    /// Takes another one.
    pub(super) fn add(&mut self, source: &Source, span: Span, may_go: bool) {
        self.many = true;
        self.may_go &= may_go && span.end <= self.first.start + MAX_MARKERS;
        if self.may_go {
            self.between += source.str(Span::new(self.end, span.start));
        }
        self.end = span.end;
    }

    /// The first byte that is still needed, when the reader stands at `at`.
    pub(super) fn keeps(&self, at: usize) -> Option<usize> {
        (self.may_go && at < self.first.start + MAX_MARKERS).then_some(self.end)
    }

    /// What to replace, and what by.
    pub(super) fn fix(&self) -> Option<(Span, &str)> {
        self.may_go
            .then_some((Span::new(self.first.start, self.end), &self.between))
    }
}

/// What takes the tokens at the end out, the first of which begins at `first`, and leaves the rest: what to
/// replace, and what by. Before `doubtful` nothing may go.
pub(super) fn token_fix(
    ready: &[Piece],
    source: &Source,
    first: Span,
    doubtful: usize,
) -> Option<(Span, String)> {
    let is_token = |piece: &&Piece| piece.kind == Kind::Hidden(Fate::Strip, RangeReason::Token);
    // What stands at a token belongs to it, also where something between them was taken out.
    let before = ready
        .iter()
        .rev()
        .skip_while(|piece| piece.span.start > first.start);
    let word = before.take_while(|piece| matches!(piece.kind, Kind::Hidden(..)));
    let start = word
        .filter(is_token)
        .last()
        .map_or(first.start, |piece| piece.span.start);
    let tokens = ready
        .iter()
        .filter(|piece| piece.span.start >= start)
        .filter(is_token);
    let (mut end, mut between) = (start, String::new());
    for token in tokens {
        if source.str(token.span).contains('`') {
            // It may be what keeps others on its line from opening code.
            return None;
        }
        between += source.str(Span::new(end, token.span.start));
        end = token.span.end;
    }
    if between.trim().is_empty() {
        between.clear();
    }
    (start >= doubtful).then_some((Span::new(start, end), between))
}
