//! The invariants I1 to I8 over texts that mix fragments of every dialect with code, Unicode and noise.

use foldback_directives::{Code, Collect, Dialect, Scanner, Settings, parse};
use proptest::prelude::*;

use crate::{
    checks::{Listener, listen, nothing_is_lost, nothing_is_retracted, nothing_leaks, partition},
    common::{cut, in_chunks, vectors},
    texts::{VECTORS, parts, settings, text},
};

/// `PROPTEST_CASES` asks for more.
fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases.max(500),
        ..default
    }
}

/// Most examinations of one byte, or for one chunk.
const MOST_WORK: u64 = 120;

fn work_is_linear(raw: &str, settings: &Settings) {
    let mut collect = Collect::default();
    let mut scanner = Scanner::new(settings, None);
    for c in raw.split_inclusive(|_| true) {
        scanner.push(c, &mut collect);
    }
    let most = MOST_WORK * (raw.len() as u64 + 10);
    assert!(
        scanner.work() <= most,
        "{} examinations for {} bytes",
        scanner.work(),
        raw.len()
    );
}

/// I1 to I6 for one text.
fn everything_holds(raw: &str, settings: &Settings, inbound: Option<&str>, seed: u64) {
    let whole = parse(raw, settings, inbound);
    partition(raw, &whole);
    nothing_leaks(&whole, settings);
    nothing_is_lost(raw, &whole);
    let one: Vec<&str> = raw.split_inclusive(|_| true).collect();
    for chunks in [one, cut(raw, seed)] {
        let (parsed, released) = listen(&chunks, settings, inbound);
        assert_eq!(parsed, whole, "{chunks:?}");
        nothing_is_retracted(&parsed, &released);
    }
    work_is_linear(raw, settings);
}

#[test]
fn everything_holds_for_every_vector() {
    // What was shown is kept after each chunk: too much for texts that are long because of a bound.
    const LONGEST: usize = 20_000;
    for vector in ["output.jsonl", "own.jsonl"].into_iter().flat_map(vectors) {
        if vector.input.len() <= LONGEST {
            everything_holds(&vector.input, &vector.settings, vector.inbound.as_deref(), 1);
        }
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
        nothing_leaks(&parse(&raw, &settings, None), &settings);
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
        work_is_linear(&raw, &settings);
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
    fn everything_holds_where_vectors_meet(
        raw in parts(),
        settings in prop::sample::select(VECTORS.1.as_slice()),
        seed in any::<u64>(),
    ) {
        everything_holds(&raw, &settings, None, seed);
    }

    #[test]
    fn echoes_do_not_depend_on_the_cut(
        raw in text(),
        inbound in text(),
        settings in settings(),
        seed in any::<u64>(),
    ) {
        let whole = parse(&raw, &settings, Some(&inbound));
        prop_assert_eq!(&in_chunks(&cut(&raw, seed), &settings, Some(&inbound)), &whole);
        let settings = Settings { allow_echo: false, ..settings };
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

/// Found by a review: what cannot be completed waits for its end also in a block that is too large.
#[test]
fn no_cut_changes_a_block_near_its_bound() {
    let settings = Settings::default();
    for rest in [
        "<react emoji=\"x\" = secret=\"abc\" />\nHello",
        "<react </actions>hi",
        "<!-- x --><react emoji=a /></actions>hi",
        "<voice>a</voice></actions>hi",
    ] {
        for len in 65_440..65_550 {
            let start = format!("<actions>{}", " ".repeat(len));
            let chunks: Vec<&str> = std::iter::once(start.as_str())
                .chain(rest.split_inclusive(|_| true))
                .collect();
            let whole = parse(&chunks.concat(), &settings, None);
            assert_eq!(in_chunks(&chunks, &settings, None), whole, "{len} {rest}");
        }
    }
}

/// Found by a review: after a `HEARTBEAT_OK` that is taken out the text begins again, code and all.
#[test]
fn no_cut_changes_what_follows_an_acknowledgement() {
    for (text, clean) in [
        ("HEARTBEAT_OK \r```<react emoji=x/>", "```"),
        ("HEARTBEAT_OK\u{85}\u{85}```<final", "```"),
        ("HEARTBEAT_OK\r\r```<|e ", "```<|e"),
        ("HEARTBEAT_OK \n```\n<react emoji=x/>", "```\n<react emoji=x/>"),
        ("``` ```HEARTBEAT_OK", "``` ```HEARTBEAT_OK"),
        ("` `HEARTBEAT_OK", "` `HEARTBEAT_OK"),
        ("``\u{85}``HEARTBEAT_OK ", "``\u{85}``HEARTBEAT_OK"),
        ("HEARTBEAT_OK` [[x:]]\n", ""),
        ("HEARTBEAT_OK` {\"actions\":\n", "{\"actions\":"),
    ] {
        let settings = Settings {
            heartbeat: true,
            ..Settings::default()
        };
        let whole = parse(text, &settings, None);
        let one: Vec<&str> = text.split_inclusive(|_| true).collect();
        assert_eq!(in_chunks(&one, &settings, None), whole, "{text:?}");
        assert_eq!(whole.clean_text, clean, "{text:?}");
    }
}

/// Found by fuzzing: a bound in the middle of a character ends before it.
#[test]
fn a_value_that_is_too_large_ends_between_characters() {
    let settings = Settings {
        dialects: vec![Dialect::Json],
        ..Settings::default()
    };
    for len in 65_515..65_525 {
        let raw = format!("{{\"actions\":[{}ée\"]}}", "x".repeat(len));
        let parsed = parse(&raw, &settings, None);
        partition(&raw, &parsed);
        for found in &parsed.diagnostics {
            assert!(
                raw.get(found.span.start..found.span.end).is_some(),
                "{len}: {found:?}"
            );
        }
        let cut = [&raw[..65_000], &raw[65_000..65_500]].into_iter();
        let chunks: Vec<&str> = cut.chain(raw[65_500..].split_inclusive(|_| true)).collect();
        assert_eq!(in_chunks(&chunks, &settings, None), parsed, "{len}");
    }
}

/// Found by fuzzing: a value whose first key did not come was held beyond its bound.
#[test]
fn a_first_key_comes_within_the_bound_or_it_is_text() {
    let settings = Settings {
        dialects: vec![Dialect::Json],
        ..Settings::default()
    };
    for fence in ["", "~~~\n"] {
        for len in 65_520..65_540 {
            let raw = format!("{fence}{{{}\"actions\":[1]}}", " ".repeat(len));
            let whole = parse(&raw, &settings, None);
            // The brace, the blanks, the key with its quotes and the colon.
            let is_text = 1 + len + 10 > 65_536;
            assert_eq!(whole.diagnostics.is_empty(), is_text, "{len}");
            let (head, tail) = raw.split_at(fence.len() + 65_500);
            let chunks: Vec<&str> = [head].into_iter().chain(tail.split_inclusive(|_| true)).collect();
            assert_eq!(listen(&chunks, &settings, None).0, whole, "{len}");
        }
        // Behind the value white space may go on as long as it likes.
        let raw = format!("{fence}{{\"actions\":[]}}{}x", " ".repeat(70_000));
        let (head, tail) = raw.split_at(69_990);
        let chunks: Vec<&str> = [head].into_iter().chain(tail.split_inclusive(|_| true)).collect();
        listen(&chunks, &settings, None);
    }
}

/// Found by a review: values nested more than 128 deep were dropped, and a fence with more than 64 bytes behind
/// its marks was shown.
#[test]
fn json_actions_have_no_bound_but_the_page_s() {
    let settings = Settings {
        dialects: vec![Dialect::Json],
        ..Settings::default()
    };
    let read = |raw: &str| {
        let whole = parse(raw, &settings, None);
        partition(raw, &whole);
        let (head, tail) = raw.split_at(raw.len().saturating_sub(200));
        let chunks: Vec<&str> = [head].into_iter().chain(tail.split_inclusive(|_| true)).collect();
        assert_eq!(listen(&chunks, &settings, None).0, whole);
        whole
    };
    for depth in [1, 127, 128, 7_000] {
        let value = |inner: &str, close: &str| {
            let (open, close) = (r#"{"a":["#.repeat(depth), close.repeat(depth));
            read(&format!(
                r#"{{"actions":[{{"type":"x","payload":{open}{inner}{close}}}]}}"#
            ))
        };
        let whole = value("1", "]}");
        assert_eq!(whole.actions.len(), 1, "{depth}");
        assert_eq!(whole.diagnostics, [], "{depth}");
        for (inner, close) in [("1", "}]"), ("1,", "]}"), ("1 2", "]}"), ("{\"b\"}", "]}")] {
            let broken = value(inner, close);
            assert_eq!(broken.actions, [], "{depth} {inner} {close}");
            assert_eq!(broken.diagnostics.len(), 1, "{depth} {inner} {close}");
        }
    }
    for mark in ["`", "~"] {
        for (info, taken) in [(70, true), (65_532, true), (65_533, false)] {
            let fence = mark.repeat(3);
            let raw = format!("{fence}{}\n{{\"actions\":[]}}\n{fence}", "x".repeat(info));
            assert_eq!(read(&raw).clean_text.is_empty(), taken, "{mark} {info}");
        }
    }
}

/// The head of an action by itself is as long as it likes within the bound; behind it, it is text.
#[test]
fn an_action_by_itself_has_the_bound_of_a_value() {
    let settings = Settings {
        dialects: vec![Dialect::Json],
        ..Settings::default()
    };
    let read = |raw: &str| {
        let (head, tail) = raw.split_at(65_500);
        let chunks: Vec<&str> = [head].into_iter().chain(tail.split_inclusive(|_| true)).collect();
        let whole = parse(raw, &settings, None);
        partition(raw, &whole);
        assert_eq!(listen(&chunks, &settings, None).0, whole);
        whole
    };
    for len in 65_500..65_540 {
        let blanks = " ".repeat(len);
        // Up to the payload's brace the head has 23 bytes beside them.
        let late = read(&format!("{{{blanks}\"type\":\"a\",\"payload\":{{\"b\":1}}}}"));
        let is_text = 23 + len > 65_536;
        assert_eq!(late.clean_text.is_empty(), !is_text, "{len}");
        // Another key makes it text where it is told within the bound; else it is dropped as too large.
        let key = read(&format!("{{\"type\":\"a\",\"payload\":{{}},{blanks}\"meté\":1}}"));
        let is_told = 25 + len + 6 <= 65_536;
        assert_eq!(key.clean_text.is_empty(), !is_told, "{len}");
        assert_eq!(key.diagnostics.is_empty(), is_told, "{len}");
    }
}

/// An object that names an action has the bound of a value, too: without a payload up to there it is text.
#[test]
fn an_object_that_names_an_action_has_the_bound_of_a_value() {
    let settings = Settings {
        dialects: vec![Dialect::Json],
        action_names: vec!["a".to_owned()],
        ..Settings::default()
    };
    for len in 65_490..65_530 {
        let raw = format!("{{\"type\":\"a\",\"b\":\"{}\",\"payload\":1}}", "x".repeat(len));
        let (head, tail) = raw.split_at(65_480);
        let chunks: Vec<&str> = [head].into_iter().chain(tail.split_inclusive(|_| true)).collect();
        let whole = parse(&raw, &settings, None);
        partition(&raw, &whole);
        assert_eq!(listen(&chunks, &settings, None).0, whole);
        // Up to the end of the key `payload` it has 28 bytes beside them.
        let is_text = 28 + len > 65_536;
        assert_eq!(whole.clean_text.is_empty(), !is_text, "{len}");
        assert_eq!(whole.diagnostics.is_empty(), is_text, "{len}");
    }
}

/// Found by fuzzing: a closing tag that is too long was reported, one with something else in it was not.
#[test]
fn a_closing_tag_that_is_too_long_is_no_tag() {
    for (len, codes) in [
        (8_184, vec![Code::UnclosedDirective]),
        (8_185, vec![]),
        (70_000, vec![]),
    ] {
        let raw = format!("</voice{}", " ".repeat(len));
        let parsed = parse(&raw, &Settings::default(), None);
        let found: Vec<Code> = parsed.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(found, codes, "{len}");
    }
    // From its `<` to its `>` it may have 8,192 bytes, also where it closes something.
    for (start, name, end) in [
        ("<actions><react emoji=\"x\"/>", "</actions", ">ok"),
        ("<actions><voice>hi", "</voice", "></actions>"),
    ] {
        let shown = |len: usize| {
            let blanks = " ".repeat(len - name.len() - 1);
            parse(&format!("{start}{name}{blanks}{end}"), &Settings::default(), None)
        };
        let (fits, too_long) = (shown(8_192), shown(8_193));
        assert_eq!(fits.diagnostics, [], "{name}");
        assert_ne!(too_long.diagnostics, [], "{name}");
    }
}
