//! The leak alarm: a byte that the scanner took for markup and that a channel showed all the same, even for
//! one edit. It compares ranges and never searches text: an answer may well talk about directives.

use foldback_wire::{Fate, OpId, Range, Span};
use std::collections::BTreeMap;

/// What the scanner decided about each assistant message of a turn.
pub(crate) type Ranges = BTreeMap<u32, Vec<Range>>;

/// A leak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leak {
    /// Which operation showed it.
    pub(crate) op: OpId,
    /// Which assistant message.
    pub(crate) message: u32,
    /// The raw bytes.
    pub(crate) span: Span,
}

/// Every leak among the places of clean text that operations showed. Linear where there is none.
pub(crate) fn find(ranges: &Ranges, shown: &[(OpId, u32, Span)]) -> Vec<Leak> {
    let mut leaks: Vec<Leak> = Vec::new();
    for (message, ranges) in ranges.iter().filter(|(_, ranges)| !is_partition(ranges)) {
        for (op, _, clean) in shown.iter().filter(|(_, of, _)| of == message) {
            let raw = raw_of(ranges, *clean);
            let hidden = ranges.iter().filter(|r| r.fate != Fate::Show);
            let leaked = hidden.filter_map(|h| raw.iter().find_map(|r| common(*r, h.span)));
            for span in leaked {
                match leaks.last_mut() {
                    // What follows is the same leak, though other rules hid it.
                    Some(Leak {
                        op: by,
                        message: of,
                        span: last,
                    }) if (*by, *of, last.end) == (*op, *message, span.start) => {
                        last.end = span.end;
                    }
                    _ => leaks.push(Leak {
                        op: *op,
                        message: *message,
                        span,
                    }),
                }
            }
        }
    }
    leaks
}

/// Whether the ranges follow each other, as a sound scanner decides them: then no byte is both.
fn is_partition(ranges: &[Range]) -> bool {
    ranges
        .windows(2)
        .all(|pair| pair[0].span.end == pair[1].span.start)
}

/// The raw bytes behind a place in the clean text.
fn raw_of(ranges: &[Range], clean: Span) -> Vec<Span> {
    let mut at = 0;
    let mut raw = Vec::new();
    for range in ranges.iter().filter(|r| r.fate == Fate::Show) {
        let length = range.shown_as.as_ref().map_or(range.span.len(), String::len);
        let here = Span::new(at, at + length);
        at += length;
        let Some(part) = common(here, clean) else { continue };
        let offset = range.span.start + part.start - here.start;
        // Joined white space stands for all the bytes it replaces.
        let joined = range.shown_as.is_some();
        raw.push(if joined {
            range.span
        } else {
            Span::new(offset, offset + part.len())
        });
    }
    raw
}

fn common(a: Span, b: Span) -> Option<Span> {
    let (start, end) = (a.start.max(b.start), a.end.min(b.end));
    (start < end).then(|| Span::new(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::RangeReason;

    fn shown(start: usize, end: usize) -> Range {
        Range {
            span: Span::new(start, end),
            fate: Fate::Show,
            reason: None,
            shown_as: None,
        }
    }

    fn stripped(start: usize, end: usize) -> Range {
        let reason = Some(RangeReason::ActionsBlock);
        Range {
            span: Span::new(start, end),
            fate: Fate::Strip,
            reason,
            shown_as: None,
        }
    }

    fn find_in(ranges: Vec<Range>, clean: Span) -> Vec<Span> {
        let ranges = Ranges::from([(0, ranges)]);
        find(&ranges, &[(OpId(7), 0, clean)])
            .into_iter()
            .map(|leak| leak.span)
            .collect()
    }

    #[test]
    fn a_sound_scanner_leaks_nothing() {
        let ranges = vec![shown(0, 4), stripped(4, 20), shown(20, 30)];
        assert!(find_in(ranges, Span::new(0, 14)).is_empty());
    }

    #[test]
    fn a_byte_that_was_shown_and_then_stripped_is_named_with_its_operation() {
        // Shown as text up to byte 10, then taken for the beginning of a block from byte 6 on.
        let ranges = vec![shown(0, 10), stripped(6, 20), shown(20, 24)];
        assert_eq!(find_in(ranges.clone(), Span::new(0, 10)), [Span::new(6, 10)]);
        assert!(
            find_in(ranges.clone(), Span::new(0, 6)).is_empty(),
            "what was shown was not the leak"
        );
        assert!(find_in(ranges, Span::new(10, 14)).is_empty());
    }
}
