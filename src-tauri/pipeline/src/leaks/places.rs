//! Places of a message: what its scanner shows, what it hides, and what is both.

use foldback_wire::Span;
use std::collections::BTreeMap;

/// A place of the clean text, and the raw bytes behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShownPart {
    pub(super) raw: Span,
    clean: Span,
}

impl ShownPart {
    /// The part of it that lies in these raw bytes.
    pub(super) fn in_raw(self, raw: Span) -> Option<Self> {
        let raw = common(self.raw, raw)?;
        Some(
            self.narrowed(raw, self.raw, self.clean)
                .map_or(self, |clean| Self { raw, clean }),
        )
    }

    /// The part of it that lies in this place of the clean text.
    pub(super) fn in_clean(self, clean: Span) -> Option<Self> {
        let clean = common(self.clean, clean)?;
        Some(
            self.narrowed(clean, self.clean, self.raw)
                .map_or(self, |raw| Self { raw, clean }),
        )
    }

    /// The span on the other side of a part of one side. `None` where the text stands for all the bytes at once: joined
    /// white space, a mask.
    fn narrowed(self, part: Span, side: Span, other: Span) -> Option<Span> {
        let start = other.start + part.start - side.start;
        (self.raw.len() == self.clean.len()).then(|| Span::new(start, start + part.len()))
    }
}

/// The ranges that a scanner shows, in the order of the clean text.
#[derive(Debug, Default)]
pub(super) struct ShownRanges {
    parts: Vec<ShownPart>,
    /// For each part, where the raw bytes of it and of all before it end.
    reach: Vec<usize>,
    /// The place where all that was decided ends.
    read: usize,
}

impl ShownRanges {
    /// Raw bytes that are shown as so many bytes of clean text.
    pub(super) fn add(&mut self, raw: Span, length: usize) -> ShownPart {
        let at = self.parts.last().map_or(0, |last| last.clean.end);
        let clean = Span::new(at, at + length);
        let part = ShownPart { raw, clean };
        self.reach
            .push(self.reach.last().map_or(raw.end, |reach| raw.end.max(*reach)));
        self.parts.push(part);
        self.read_to(raw.end);
        part
    }

    /// Everything before this byte was decided.
    pub(super) fn read_to(&mut self, end: usize) {
        self.read = self.read.max(end);
    }

    /// The shown parts of these raw bytes. Looks at one part only where none is.
    pub(super) fn of_raw(&self, raw: Span) -> impl Iterator<Item = ShownPart> {
        let behind = self
            .reach
            .iter()
            .rev()
            .take_while(move |reach| **reach > raw.start);
        let parts = self.parts.iter().rev().zip(behind);
        parts.filter_map(move |(part, _)| part.in_raw(raw))
    }

    /// The raw bytes around a place of the clean text: from the end of what is shown before it to the start of
    /// what is shown behind it.
    pub(super) fn around(&self, clean: Span) -> Span {
        let before = clean.start.checked_sub(1).map(|at| self.raw_of(at).end);
        let behind = self.raw_of(clean.end).start;
        let start = before.unwrap_or_default();
        Span::new(start, behind.max(start))
    }

    /// The raw bytes behind a byte of the clean text; the end of all for one that is not shown yet.
    fn raw_of(&self, at: usize) -> Span {
        let part = self
            .parts
            .get(self.parts.partition_point(|part| part.clean.end <= at));
        let part = part.and_then(|part| part.in_clean(Span::new(at, at + 1)));
        part.map_or(Span::new(self.read, self.read), |part| part.raw)
    }
}

/// The ranges that are not to be seen; no two touch.
#[derive(Debug, Default)]
pub(super) struct HiddenRanges(BTreeMap<usize, usize>);

impl HiddenRanges {
    /// Adds bytes; answers those that are new.
    pub(super) fn add(&mut self, span: Span) -> Vec<Span> {
        let touches = |(start, end): (&usize, &usize)| (*end >= span.start).then_some((*start, *end));
        let touched: Vec<_> = self.0.range(..=span.end).rev().map_while(touches).collect();
        let (mut new, mut at, mut whole) = (Vec::new(), span.start, span);
        for (start, end) in touched.into_iter().rev() {
            self.0.remove(&start);
            if at < start {
                new.push(Span::new(at, start));
            }
            at = at.max(end);
            whole = Span::new(whole.start.min(start), whole.end.max(end));
        }
        if at < span.end {
            new.push(Span::new(at, span.end));
        }
        if !whole.is_empty() {
            self.0.insert(whole.start, whole.end);
        }
        new
    }

    /// The hidden ranges of these bytes.
    pub(super) fn of(&self, span: Span) -> impl Iterator<Item = Span> {
        let before = self.0.range(..span.end).rev();
        before.map_while(move |(start, end)| common(Span::new(*start, *end), span))
    }
}

/// Part of the bytes that both have.
fn common(a: Span, b: Span) -> Option<Span> {
    let (start, end) = (a.start.max(b.start), a.end.min(b.end));
    (start < end).then(|| Span::new(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(of: impl IntoIterator<Item = Span>) -> Vec<(usize, usize)> {
        of.into_iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn what_is_hidden_is_counted_once() {
        let mut hidden = HiddenRanges::default();
        assert_eq!(spans(hidden.add(Span::new(4, 8))), [(4, 8)]);
        assert_eq!(spans(hidden.add(Span::new(12, 16))), [(12, 16)]);
        assert_eq!(spans(hidden.add(Span::new(5, 7))), []);
        assert_eq!(spans(hidden.add(Span::new(2, 20))), [(2, 4), (8, 12), (16, 20)]);
        assert_eq!(spans(hidden.of(Span::new(0, 3))), [(2, 3)]);
        assert_eq!(spans(hidden.of(Span::new(20, 30))), []);
        assert_eq!(spans(hidden.add(Span::new(9, 9))), []);
        assert_eq!(hidden.0, BTreeMap::from([(2, 20)]));
    }

    #[test]
    fn a_place_of_the_clean_text_has_raw_bytes_behind_it() {
        let mut shown = ShownRanges::default();
        shown.add(Span::new(0, 4), 4);
        // Joined white space stands for all of its bytes.
        shown.add(Span::new(20, 23), 1);
        shown.add(Span::new(23, 28), 5);
        let raws = |clean: Span| {
            let parts = shown.parts.iter().filter_map(|part| part.in_clean(clean));
            spans(parts.map(|part| part.raw))
        };
        assert_eq!(raws(Span::new(2, 5)), [(2, 4), (20, 23)]);
        assert_eq!(raws(Span::new(6, 8)), [(24, 26)]);
        assert_eq!(spans([shown.around(Span::new(4, 5))]), [(4, 23)]);
        assert_eq!(spans([shown.around(Span::new(0, 2))]), [(0, 2)]);
        shown.read_to(40);
        assert_eq!(spans([shown.around(Span::new(7, 10))]), [(25, 40)]);
        assert_eq!(spans([shown.around(Span::new(50, 60))]), [(40, 40)]);
        assert_eq!(spans([ShownRanges::default().around(Span::new(0, 5))]), [(0, 0)]);
    }

    #[test]
    fn what_lies_behind_all_that_is_shown_is_found_without_a_search() {
        let mut shown = ShownRanges::default();
        for at in 0..100 {
            shown.add(Span::new(at * 2, at * 2 + 1), 1);
        }
        assert_eq!(shown.of_raw(Span::new(199, 300)).count(), 0);
        assert_eq!(shown.of_raw(Span::new(194, 300)).count(), 3);
        assert_eq!(shown.of_raw(Span::new(0, 300)).count(), 100);
    }
}
