//! The invariants I1 to I8 over texts that mix fragments of every dialect with code, Unicode and noise.

use foldback_directives::{Collect, Scanner, Settings, parse};
use proptest::prelude::*;

use crate::{
    checks::{Listener, listen, nothing_is_lost, nothing_is_retracted, nothing_leaks, partition},
    common::{cut, in_chunks},
    texts::{settings, text},
};

/// `PROPTEST_CASES` asks for more.
fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases.max(500),
        ..default
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn i1_no_cut_changes_anything(raw in text(), settings in settings(), seed in any::<u64>()) {
        let whole = parse(&raw, &settings, None);
        let one: Vec<&str> = raw.char_indices().map(|(at, c)| &raw[at..at + c.len_utf8()]).collect();
        prop_assert_eq!(&in_chunks(&one, &settings, None), &whole);
        prop_assert_eq!(&in_chunks(&cut(&raw, seed), &settings, None), &whole);
    }

    #[test]
    fn i2_ranges_partition_the_raw_bytes(raw in text(), settings in settings()) {
        partition(&raw, &parse(&raw, &settings, None));
    }

    #[test]
    fn i3_what_was_shown_stays(raw in text(), settings in settings(), seed in any::<u64>()) {
        let (parsed, released) = listen(&cut(&raw, seed), &settings, None);
        nothing_is_retracted(&parsed, &released);
    }

    #[test]
    fn i4_no_directive_is_ever_shown(raw in text(), settings in settings()) {
        nothing_leaks(&parse(&raw, &settings, None));
    }

    #[test]
    fn i5_text_is_dropped_only_for_a_reason(raw in text(), settings in settings()) {
        nothing_is_lost(&raw, &parse(&raw, &settings, None));
    }

    #[test]
    fn i5_plain_text_is_kept(raw in "[a-zA-Z0-9 .,;:!?()>/='\"\\n-]{0,200}") {
        let parsed = parse(&raw, &Settings::default(), None);
        prop_assert_eq!(parsed.clean_text, raw.trim());
        prop_assert_eq!(parsed.diagnostics, vec![]);
    }

    #[test]
    fn i6_work_is_linear(raw in text(), settings in settings()) {
        let mut collect = Collect::default();
        let mut scanner = Scanner::new(&settings, None);
        for (at, c) in raw.char_indices() {
            scanner.push(&raw[at..at + c.len_utf8()], &mut collect);
        }
        prop_assert!(scanner.work() <= 120 * (raw.len() as u64 + 10), "{} for {} bytes", scanner.work(), raw.len());
    }

    #[test]
    fn i7_plain_words_are_never_held(words in prop::collection::vec("[a-z]{1,9}[.,]?", 1..30), seed in any::<u64>()) {
        let raw = words.join(" ");
        let mut listener = Listener::default();
        let mut scanner = Scanner::new(&Settings::default(), None);
        let mut read = String::new();
        for chunk in cut(&raw, seed) {
            scanner.push(chunk, &mut listener);
            read += chunk;
            prop_assert_eq!(&listener.shown, read.trim());
        }
    }

    #[test]
    fn i8_no_text_is_too_strange(raw in any::<String>(), settings in settings(), inbound in text()) {
        let parsed = parse(&raw, &settings, Some(&inbound));
        prop_assert_eq!(parsed.ranges.last().map_or(0, |range| range.span.end), raw.len());
    }

    #[test]
    fn echoes_do_not_depend_on_the_cut(raw in text(), inbound in text(), seed in any::<u64>()) {
        let settings = Settings::default();
        let whole = parse(&raw, &settings, Some(&inbound));
        prop_assert_eq!(&in_chunks(&cut(&raw, seed), &settings, Some(&inbound)), &whole);
        let own = parse(&raw, &settings, Some(&raw));
        prop_assert_eq!(own.directives, vec![], "the user's own words are never executed");
        prop_assert_eq!(own.header.is_empty(), true);
    }
}

/// Found by fuzzing: any of several opening tags before one end may be the one that counts.
#[test]
fn what_the_user_wrote_is_not_executed_whatever_stands_around_it() {
    for raw in [
        "<actions><voice>a\n<voice>b</voice><voice>c<voice>d</actions>",
        "<r<voice>x<actions><voice>a<voice>b</voice></actions>",
        "<actions><!-- <voice> --><voice>a<voice>b</actions>",
    ] {
        let read = |inbound| parse(raw, &Settings::default(), inbound);
        assert!(!read(None).directives.is_empty(), "{raw}");
        assert_eq!(read(Some(raw)).directives, [], "{raw}");
        assert!(!read(Some("<voice>a")).directives.is_empty(), "{raw}");
    }
}
