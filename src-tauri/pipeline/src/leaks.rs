//! The leak alarm: a byte that the scanner took for markup and that a channel showed all the same, even for
//! one edit. It compares ranges and never searches text: an answer may well talk about directives.

use foldback_wire::{Fate, OpId, Range, Span};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A leak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Leak {
    /// Which operation showed it.
    pub(crate) op: OpId,
    /// Which assistant message.
    pub(crate) message: u32,
    /// The raw bytes.
    pub(crate) span: Span,
}

/// Watches a turn: what its scanners decide, and what its operations show. Whichever comes last raises the alarm.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    messages: BTreeMap<u32, Decided>,
    /// Which operation put which place of which message's clean text on the screen.
    shown: Vec<(OpId, u32, Span)>,
    raised: BTreeSet<(OpId, u32, usize, usize)>,
}

/// What was decided about an assistant message.
#[derive(Debug, Default)]
struct Decided {
    ranges: Vec<Range>,
    /// The ranges do not follow each other, as a sound scanner decides them: a byte may be both.
    overlaps: bool,
}

impl Watch {
    /// The scanner decided. Answers what the screen has that it should not. Does no work for a sound scanner.
    pub(crate) fn decided(&self, message: u32, range: &Range) -> Vec<Leak> {
        let mut state = self.state();
        let decided = state.messages.entry(message).or_default();
        let last = decided.ranges.last();
        decided.overlaps |= last.is_some_and(|last| last.span.end != range.span.start);
        decided.ranges.push(range.clone());
        if !decided.overlaps {
            return Vec::new();
        }
        let shown: Vec<_> = state
            .shown
            .iter()
            .filter(|(_, of, _)| *of == message)
            .copied()
            .collect();
        shown.into_iter().flat_map(|shown| state.raise(shown)).collect()
    }

    /// An operation showed a place of a message's clean text. Answers what it should not have shown.
    pub(crate) fn shown(&self, op: OpId, message: u32, clean: Span) -> Vec<Leak> {
        let mut state = self.state();
        state.shown.push((op, message, clean));
        state.raise((op, message, clean))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The leaks of one operation that nobody was told of yet.
    fn raise(&mut self, (op, message, clean): (OpId, u32, Span)) -> Vec<Leak> {
        let Some(Decided {
            ranges,
            overlaps: true,
        }) = self.messages.get(&message)
        else {
            return Vec::new();
        };
        let raw = raw_of(ranges, clean);
        let hidden = ranges.iter().filter(|r| r.fate != Fate::Show);
        let leaked = hidden.filter_map(|h| raw.iter().find_map(|r| common(*r, h.span)));
        let new = leaked.filter(|span| self.raised.insert((op, message, span.start, span.end)));
        let mut leaks: Vec<Leak> = Vec::new();
        for span in new {
            match leaks.last_mut() {
                // What follows is the same leak, though other rules hid it.
                Some(last) if last.span.end == span.start => last.span.end = span.end,
                _ => leaks.push(Leak { op, message, span }),
            }
        }
        leaks
    }
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

    const ALL: Span = Span { start: 0, end: 10 };

    /// The leaks, told of at each step: first the ranges, then the operation, or the other way round.
    fn leaks(ranges: &[Range], clean: Span, shown_first: bool) -> Vec<Span> {
        let watch = Watch::default();
        let mut leaks = Vec::new();
        if shown_first {
            leaks.extend(watch.shown(OpId(7), 0, clean));
        }
        leaks.extend(ranges.iter().flat_map(|range| watch.decided(0, range)));
        if !shown_first {
            leaks.extend(watch.shown(OpId(7), 0, clean));
        }
        leaks.into_iter().map(|leak| leak.span).collect()
    }

    #[test]
    fn a_sound_scanner_leaks_nothing() {
        let ranges = [shown(0, 4), stripped(4, 20), shown(20, 30)];
        for shown_first in [true, false] {
            assert!(leaks(&ranges, Span::new(0, 14), shown_first).is_empty());
        }
    }

    #[test]
    fn a_byte_that_was_shown_and_then_stripped_is_named_once_with_its_operation() {
        // Shown as text up to byte 10, then taken for the beginning of a block from byte 6 on.
        let ranges = [shown(0, 10), stripped(6, 20), shown(20, 24)];
        for shown_first in [true, false] {
            assert_eq!(leaks(&ranges, ALL, shown_first), [Span::new(6, 10)]);
            assert!(
                leaks(&ranges, Span::new(0, 6), shown_first).is_empty(),
                "what was shown was not the leak"
            );
            assert!(leaks(&ranges, Span::new(10, 14), shown_first).is_empty());
        }
    }

    #[test]
    fn the_alarm_waits_for_nothing_but_what_it_is_about() {
        let watch = Watch::default();
        assert!(watch.decided(0, &shown(0, 10)).is_empty());
        assert!(watch.shown(OpId(7), 0, ALL).is_empty());
        // Another operation is held, another message is not decided: the alarm does not care.
        assert_eq!(watch.decided(0, &stripped(6, 20)).len(), 1);
        assert_eq!(
            watch.shown(OpId(8), 0, ALL).len(),
            1,
            "a later operation shows it too"
        );
        assert!(watch.decided(0, &shown(20, 24)).is_empty(), "told of already");
        assert!(watch.shown(OpId(9), 1, ALL).is_empty());
    }
}
