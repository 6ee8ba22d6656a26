//! The leak alarm: markup that a channel showed all the same, even for one edit. It asks two things: whether a
//! byte that is shown lies in what was read as markup, and whether an operation carries exactly the clean text
//! of the place that it names. It compares places and never looks for markup: an answer may well talk about
//! directives.

mod places;

use foldback_wire::{Code, Fate, Kind, OpId, Span};
use places::{HiddenRanges, ShownPart, ShownRanges};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A leak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Leak {
    /// The operation that showed it.
    pub(crate) op: OpId,
    /// The assistant message.
    pub(crate) message: u32,
    /// The raw bytes.
    pub(crate) span: Span,
}

/// The place of an operation's text in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnswerPlace {
    /// The assistant message.
    pub(crate) message: u32,
    /// Bytes of its clean text.
    pub(crate) span: Span,
    /// The number of bytes in front of them, to open a fence or a table again.
    pub(crate) prefix: usize,
    /// The number of bytes behind them, to close a fence.
    pub(crate) suffix: usize,
}

/// Watches a turn: what its scanners decide, and what its operations show. Whichever comes last raises the alarm.
#[derive(Debug, Default)]
pub(crate) struct LeakWatch(Mutex<BTreeMap<u32, Message>>);

impl LeakWatch {
    /// The scanner decided. Answers what the screen has that it should not. Next to no work for a sound scanner:
    /// what it shows lies behind all that it showed before, and in no markup.
    pub(crate) fn check_decision(&self, kind: &Kind) -> Vec<Leak> {
        match kind {
            Kind::Decided { message, range } if range.fate == Fate::Show => {
                let length = range.shown_as.as_ref().map_or(range.span.len(), String::len);
                self.of(*message, |message| message.show(range.span, length))
            }
            Kind::Decided { message, range } => self.of(*message, |message| {
                message.shown.read_to(range.span.end);
                message.hide(range.span)
            }),
            kind => markup(kind).map_or_else(Vec::new, |(message, span)| {
                self.of(message, |message| message.hide(span))
            }),
        }
    }

    /// More clean text of a message; told before anything is done with it.
    pub(crate) fn add_clean_text(&self, message: u32, text: &str) {
        self.messages().entry(message).or_default().clean.push_str(text);
    }

    /// An operation showed this text for a place of an answer. Answers what it should not have shown.
    pub(crate) fn check_operation(&self, op: OpId, place: AnswerPlace, text: &str) -> Vec<Leak> {
        self.of(place.message, |message| {
            message.carried.push((op, place.span));
            let leaked = message.leaked.iter().filter_map(|part| part.in_clean(place.span));
            let mut raw: Vec<_> = leaked.map(|part| (op, part.raw)).collect();
            raw.extend(message.foreign(place, text).map(|span| (op, span)));
            raw
        })
    }

    /// The leaks found in a message that nobody was told of yet.
    fn of(&self, number: u32, find: impl FnOnce(&mut Message) -> Vec<(OpId, Span)>) -> Vec<Leak> {
        let mut messages = self.messages();
        let message = messages.entry(number).or_default();
        let mut found = find(message);
        found.sort_unstable();
        found.retain(|leak| message.raised.insert(*leak));
        let mut leaks: Vec<Leak> = Vec::new();
        for (op, span) in found {
            match leaks.last_mut() {
                // What follows is the same leak, though other rules hid it.
                Some(last) if last.op == op && last.span.end == span.start => last.span.end = span.end,
                _ => leaks.push(Leak {
                    op,
                    message: number,
                    span,
                }),
            }
        }
        leaks
    }

    fn messages(&self) -> MutexGuard<'_, BTreeMap<u32, Message>> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a message that nobody is to see.
fn markup(kind: &Kind) -> Option<(u32, Span)> {
    Some(match kind {
        Kind::Directive { at, directive } => (at.message, directive.span()),
        Kind::Action { message, action, .. } => (*message, action.span),
        Kind::HeaderRead { message, span, .. } => (*message, *span),
        // A silence marker, beside text.
        Kind::Diagnosed { message, diagnostic } if diagnostic.code == Code::MarkerNotAlone => {
            (*message, diagnostic.span)
        }
        // A silence marker alone: nothing of such a message.
        Kind::Suppressed { message, .. } => (*message, Span::new(0, usize::MAX)),
        _ => return None,
    })
}

/// The facts about an assistant message.
#[derive(Debug, Default)]
struct Message {
    /// The text that the user is to see.
    clean: String,
    shown: ShownRanges,
    /// The bytes that the scanner hides, and those that it read as markup.
    hidden: HiddenRanges,
    /// The bytes that are both shown and hidden.
    leaked: Vec<ShownPart>,
    /// The operations and the places of the clean text that they put on the screen.
    carried: Vec<(OpId, Span)>,
    raised: BTreeSet<(OpId, Span)>,
}

impl Message {
    /// Raw bytes are shown, as so many bytes of clean text.
    fn show(&mut self, raw: Span, length: usize) -> Vec<(OpId, Span)> {
        let part = self.shown.add(raw, length);
        let leaked: Vec<_> = self.hidden.of(raw).filter_map(|span| part.in_raw(span)).collect();
        self.leak(leaked)
    }

    /// Raw bytes are not to be seen.
    fn hide(&mut self, raw: Span) -> Vec<(OpId, Span)> {
        let new = self.hidden.add(raw);
        let leaked: Vec<_> = new.into_iter().flat_map(|span| self.shown.of_raw(span)).collect();
        self.leak(leaked)
    }

    /// The operations that have these parts on the screen.
    fn leak(&mut self, parts: Vec<ShownPart>) -> Vec<(OpId, Span)> {
        let on_screen = |part: &ShownPart| {
            let part = *part;
            let carried = self.carried.iter();
            carried.filter_map(move |(op, clean)| Some((*op, part.in_clean(*clean)?.raw)))
        };
        let leaks = parts.iter().flat_map(on_screen).collect();
        self.leaked.extend(parts);
        leaks
    }

    /// The raw bytes where an operation's text is not the clean text of its place; all the place's where it has
    /// none to blame.
    fn foreign(&self, place: AnswerPlace, text: &str) -> Option<Span> {
        let AnswerPlace {
            span, prefix, suffix, ..
        } = place;
        let own = prefix..text.len().saturating_sub(suffix);
        let carried = text.get(own).unwrap_or(text);
        let clean = self.clean.get(span.start..span.end).unwrap_or_default();
        if carried == clean {
            return None;
        }
        let head = alike(carried.chars(), clean.chars());
        let tail = alike(carried[head..].chars().rev(), clean[head..].chars().rev());
        // White space may stand for what was taken out beside it.
        let start = clean[..head].trim_end().len();
        let end = clean.len() - clean[clean.len() - tail..].trim_start().len();
        let raw = self.shown.around(Span::new(span.start + start, span.start + end));
        Some(if raw.is_empty() {
            self.shown.around(span)
        } else {
            raw
        })
    }
}

/// The number of bytes that two texts have in common, from where they begin.
fn alike(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    let same = a.zip(b).take_while(|(a, b)| a == b);
    same.map(|(a, _)| a.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{Diagnostic, Directive, DirectiveRef, Header, Range, RangeReason, Suppression};

    fn range(start: usize, end: usize, fate: Fate, shown_as: Option<&str>) -> Kind {
        let reason = (fate != Fate::Show).then_some(RangeReason::ActionsBlock);
        let range = Range {
            span: Span::new(start, end),
            fate,
            reason,
            shown_as: shown_as.map(str::to_owned),
        };
        Kind::Decided { message: 0, range }
    }

    fn shown(start: usize, end: usize) -> Kind {
        range(start, end, Fate::Show, None)
    }

    fn joined(start: usize, end: usize) -> Kind {
        range(start, end, Fate::Show, Some(" "))
    }

    fn stripped(start: usize, end: usize) -> Kind {
        range(start, end, Fate::Strip, None)
    }

    fn voice(start: usize, end: usize) -> Kind {
        let directive = Directive::Voice {
            text: "x".into(),
            span: Span::new(start, end),
        };
        let at = DirectiveRef { message: 0, index: 0 };
        Kind::Directive { at, directive }
    }

    fn header(start: usize, end: usize) -> Kind {
        Kind::HeaderRead {
            message: 0,
            header: Header::default(),
            span: Span::new(start, end),
        }
    }

    fn marker(start: usize, end: usize) -> Kind {
        let diagnostic = Diagnostic::new(
            Code::MarkerNotAlone,
            Span::new(start, end),
            "it stands beside text",
        );
        Kind::Diagnosed {
            message: 0,
            diagnostic,
        }
    }

    const ALL: Span = Span { start: 0, end: 10 };

    /// A place of message 0 that is shown as it stands.
    const fn place(span: Span) -> AnswerPlace {
        AnswerPlace {
            message: 0,
            span,
            prefix: 0,
            suffix: 0,
        }
    }

    /// The clean text of message 0: as long as any of these.
    const CLEAN: &str = "0123456789abcdefghijklmnopqrstuvwxyz";

    fn watch() -> LeakWatch {
        let watch = LeakWatch::default();
        watch.add_clean_text(0, CLEAN);
        watch
    }

    /// The leaks, told of at each step: first what is decided, then the operation, or the other way round.
    fn leaks(decided: &[Kind], clean: Span, shown_first: bool) -> Vec<Span> {
        let watch = watch();
        let show = || watch.check_operation(OpId(7), place(clean), clean.of(CLEAN));
        let mut leaks = Vec::new();
        if shown_first {
            leaks.extend(show());
        }
        leaks.extend(decided.iter().flat_map(|kind| watch.check_decision(kind)));
        if !shown_first {
            leaks.extend(show());
        }
        leaks.into_iter().map(|leak| leak.span).collect()
    }

    #[test]
    fn a_sound_scanner_leaks_nothing() {
        let decided = [
            header(0, 8),
            stripped(0, 8),
            voice(14, 20),
            shown(8, 12),
            stripped(12, 20),
            joined(20, 22),
            shown(22, 30),
            marker(30, 40),
            stripped(30, 40),
        ];
        for shown_first in [true, false] {
            assert_eq!(leaks(&decided, Span::new(0, 13), shown_first), []);
        }
    }

    #[test]
    fn a_byte_that_was_shown_and_then_stripped_is_named_once_with_its_operation() {
        // Shown as text up to byte 10, then taken for the beginning of a block from byte 6 on.
        let decided = [shown(0, 10), stripped(6, 20), shown(20, 24)];
        for shown_first in [true, false] {
            assert_eq!(leaks(&decided, ALL, shown_first), [Span::new(6, 10)]);
            assert!(
                leaks(&decided, Span::new(0, 6), shown_first).is_empty(),
                "what was shown was not the leak"
            );
            assert!(leaks(&decided, Span::new(10, 14), shown_first).is_empty());
        }
    }

    #[test]
    fn markup_that_is_shown_is_found_where_every_range_follows_the_one_before() {
        let marks: [fn(usize, usize) -> Kind; 3] = [voice, header, marker];
        for mark in marks {
            // Read before its bytes are decided, and after.
            for decided in [
                [mark(4, 8), shown(0, 6), shown(6, 12)],
                [shown(0, 6), shown(6, 12), mark(4, 8)],
            ] {
                let found = leaks(&decided, ALL, false);
                assert_eq!(found, [Span::new(4, 8)], "{decided:?}");
                let found = leaks(&decided, ALL, true);
                assert_eq!(
                    found.iter().map(|span| span.len()).sum::<usize>(),
                    4,
                    "{decided:?}"
                );
                assert_eq!(leaks(&decided, Span::new(0, 4), true), []);
            }
        }
    }

    #[test]
    fn of_a_suppressed_message_every_byte_is_a_leak() {
        let reason = Suppression::NoReply;
        let suppressed = Kind::Suppressed {
            message: 0,
            reason,
            decided_by: None,
        };
        let found = leaks(&[shown(0, 8), suppressed], ALL, true);
        assert_eq!(found, [Span::new(0, 8)]);
    }

    #[test]
    fn joined_white_space_inside_of_markup_stands_for_all_its_bytes() {
        let decided = [voice(2, 20), shown(0, 2), joined(2, 9), stripped(9, 20)];
        assert_eq!(leaks(&decided, Span::new(0, 3), false), [Span::new(2, 9)]);
    }

    #[test]
    fn the_alarm_waits_for_nothing_but_what_it_is_about() {
        let watch = watch();
        let show = |op| watch.check_operation(OpId(op), place(ALL), ALL.of(CLEAN));
        assert!(watch.check_decision(&shown(0, 10)).is_empty());
        assert!(show(7).is_empty());
        // Another operation is held, another message is not decided: the alarm does not care.
        assert_eq!(watch.check_decision(&stripped(6, 20)).len(), 1);
        assert_eq!(show(8).len(), 1, "a later operation shows it too");
        assert!(watch.check_decision(&shown(20, 24)).is_empty(), "told of already");
        assert!(watch.check_decision(&voice(7, 20)).is_empty(), "told of already");
        let other = AnswerPlace {
            message: 1,
            ..place(ALL)
        };
        watch.add_clean_text(1, CLEAN);
        assert!(watch.check_operation(OpId(9), other, ALL.of(CLEAN)).is_empty());
    }

    /// The leaks of an operation that carries this text for "Sure thing", of which this is the raw text.
    fn carried(place: AnswerPlace, text: &str) -> Vec<Span> {
        let raw = "Sure <react emoji=\"eyes\" /> thing <no-reply/>";
        let watch = LeakWatch::default();
        for kind in [
            shown(0, 4),
            stripped(4, 27),
            joined(27, 28),
            shown(28, 33),
            stripped(33, 45),
        ] {
            watch.check_decision(&kind);
        }
        assert_eq!(raw.len(), 45);
        watch.add_clean_text(0, "Sure thing");
        let leaks = watch.check_operation(OpId(7), place, text);
        leaks.into_iter().map(|leak| leak.span).collect()
    }

    #[test]
    fn an_operation_that_carries_more_than_the_clean_text_names_the_raw_bytes() {
        assert_eq!(carried(place(ALL), "Sure thing"), []);
        assert_eq!(carried(place(Span::new(5, 10)), "thing"), []);
        let raw = "Sure <react emoji=\"eyes\" /> thing";
        assert_eq!(carried(place(ALL), raw), [Span::new(4, 28)]);
        assert_eq!(carried(place(ALL), "Sure thing <no-reply/>"), [Span::new(33, 45)]);
        assert_eq!(carried(place(Span::new(0, 4)), "<b>Sure"), [Span::new(0, 27)]);
        // Nothing was taken out where it differs: all of the place.
        assert_eq!(carried(place(ALL), "Sure th<b>ing"), [Span::new(0, 45)]);
        assert_eq!(carried(place(Span::new(5, 99)), "thing"), [Span::new(28, 45)]);
    }

    #[test]
    fn what_repairs_a_cut_is_no_leak_and_hides_none() {
        let repaired = AnswerPlace {
            prefix: 8,
            suffix: 4,
            ..place(Span::new(5, 10))
        };
        assert_eq!(carried(repaired, "```text\nthing\n```"), []);
        assert_eq!(carried(repaired, "```text\n<b>thing\n```").len(), 1);
        assert_eq!(carried(repaired, "```text\nthing\n<b>\n```").len(), 1);
        assert_eq!(carried(repaired, "short").len(), 1);
    }
}
