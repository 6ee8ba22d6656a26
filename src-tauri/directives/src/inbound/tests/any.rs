//! What holds for every message.

use proptest::prelude::*;

use super::super::cut::without;
use super::super::read::{Reader, is_blank};
use super::super::{Settings, parse as parse_with};
use super::parse;
use crate::Span;

const FRAGMENTS: &[&str] = &[
    "/think",
    "/t",
    "/THINKING:",
    "/v",
    "/verbose",
    "/reason",
    "/elev",
    "/exec",
    "/status",
    "/model",
    "/queue",
    "/opus",
    "/tmp",
    "high",
    "on",
    "1",
    "full",
    "host=gateway",
    "node=",
    "ask:off",
    "host=moon",
    "collect",
    "debounce:1m30s",
    "debounce:0",
    "cap:5",
    "cap:0",
    "drop:old",
    "reset",
    "a/b@c",
    "--session",
    "bogus",
    "word",
    ",",
    ".",
    ":",
    "/",
    "`",
    "``",
    "```",
    "~~~",
    "```\n",
    "\n```\n",
    "> ",
    "- ",
    " ",
    "  ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "é",
    "\u{a0}",
    "\u{2028}",
    "\u{FEFF}",
    "日本",
];

fn message() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        6 => prop::sample::select(FRAGMENTS).prop_map(str::to_owned),
        3 => Just(" ".to_owned()),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(fragment, 0..40).prop_map(|parts| parts.concat())
}

fn settings() -> Settings {
    Settings {
        aliases: vec!["opus".to_owned()],
        ..Settings::authorized()
    }
}

/// The spans that are taken from a message.
fn spans(text: &str, settings: &Settings) -> Vec<Span> {
    let mut reader = Reader::new(text, settings);
    reader.read();
    let found = reader.found.iter().filter(|found| !found.asks());
    found.map(|found| found.span).collect()
}

/// Whether `got` is `text` after each span went with nothing, with one blank beside it, or with the line on
/// which only directives stand; and blank lines at the edges, where a line went there.
fn only_lost_what_may_go(text: &str, spans: &[Span], got: &str) -> bool {
    let in_span = |at: usize| spans.iter().any(|span| (span.start..span.end).contains(&at));
    // What is no white space stays, all of it and in order.
    let solid: String = text
        .char_indices()
        .filter(|(at, c)| !in_span(*at) && !c.is_whitespace())
        .map(|(_, c)| c)
        .collect();
    let kept: String = got.chars().filter(|c| !c.is_whitespace()).collect();
    // Of what is white space and on a line with text, one blank a directive goes at most.
    let blanks = |text: &str| text.chars().filter(|c| is_blank(*c)).count();
    let mut lost = 0;
    let mut at = 0;
    let mut lines = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let touched = spans
            .iter()
            .filter(|s| s.start < range.end && range.start < s.end)
            .count();
        let rest: String = line
            .char_indices()
            .filter(|(i, _)| !in_span(range.start + i))
            .map(|(_, c)| c)
            .collect();
        if rest.trim().is_empty() {
            lost += blanks(&rest);
            lines += 1;
        } else {
            lost += touched;
        }
    }
    let outside: String = text
        .char_indices()
        .filter(|(at, _)| !in_span(*at))
        .map(|(_, c)| c)
        .collect();
    let breaks = |text: &str| text.matches('\n').count();
    solid == kept
        && blanks(got) + lost >= blanks(&outside)
        && blanks(got) <= blanks(&outside)
        && breaks(got) + lines >= breaks(&outside)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_directives_and_what_sets_them_off_go(text in message()) {
        let settings = settings();
        let inbound = parse_with(&text, &settings);
        if inbound.directive_only {
            prop_assert_eq!(inbound.cleaned, "");
            return Ok(());
        }
        let spans = spans(&text, &settings);
        prop_assert_eq!(&inbound.cleaned, &without(&text, &spans));
        prop_assert!(only_lost_what_may_go(&text, &spans, &inbound.cleaned), "{:?}", inbound.cleaned);
        if spans.is_empty() {
            prop_assert_eq!(&inbound.cleaned, &text);
        }
    }

    #[test]
    fn findings_lie_in_the_text_and_in_order(text in message()) {
        let inbound = parse_with(&text, &settings());
        let order: Vec<_> = inbound.diagnostics.iter().map(|f| (f.span.start, f.code)).collect();
        prop_assert!(order.is_sorted());
        for finding in &inbound.diagnostics {
            prop_assert!(!finding.span.of(&text).is_empty());
        }
    }

    #[test]
    fn the_text_of_who_may_not_stays_as_it_is(text in message()) {
        let inbound = parse_with(&text, &Settings { authorized: false, ..settings() });
        prop_assert_eq!(&inbound.cleaned, &text);
        prop_assert_eq!(inbound.directives, super::super::Directives::default());
        prop_assert!(inbound.diagnostics.len() <= 1 && !inbound.directive_only);
    }

    #[test]
    fn work_grows_with_the_text(text in message()) {
        prop_assert!(work(&text) <= MOST * (text.len() as u64 + 1), "{}", work(&text));
    }
}

/// Most examinations of one byte.
const MOST: u64 = 16;

fn work(text: &str) -> u64 {
    let settings = settings();
    let mut reader = Reader::new(text, &settings);
    reader.read();
    reader.work()
}

#[test]
fn hostile_messages_cost_no_more_than_others() {
    let n = 20_000;
    let backticks: String = (1..400).map(|n| "`".repeat(n) + " /t ").collect();
    for text in [
        "/t ".repeat(n),
        "/t x ".repeat(n),
        "/t high ".repeat(n),
        "/think".repeat(n),
        "/".repeat(n),
        " /".repeat(n),
        format!("/t{}", " ".repeat(n)),
        format!("/t {}", "x".repeat(n)),
        format!("/t {}", ",".repeat(n)),
        format!("/t : {}", "/t : ".repeat(n)),
        format!("/exec {}", "host=node ".repeat(n)),
        format!("{}host=moon", "/exec host=node ".repeat(n)),
        format!("/queue {}", "collect ".repeat(n)),
        "/queue cap:".repeat(n),
        "/t\n\n".repeat(n),
        "``` \n/t high\n".repeat(n),
        "` /t high ".repeat(n),
        "~~~\n~~~~\n/t high\n".repeat(n),
        backticks,
    ] {
        let per_byte = work(&text) / text.len() as u64;
        assert!(
            per_byte <= MOST,
            "{per_byte} examinations a byte: {}",
            &text[..20.min(text.len())]
        );
        // Taking them out is part of it; a quadratic way would not end.
        let inbound = parse(&text);
        assert!(inbound.cleaned.len() <= text.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is code to the reader of users' messages is code to the scanner of agents' messages.
    #[test]
    fn code_is_what_it_is_for_the_scanner(
        parts in prop::collection::vec(prop::sample::select(vec![
            "`", "``", "```", "~~~", "~~~~", "\n", "\r\n", " ", "> ", "- ", "1. ", "word", "w <react emoji=\"a\"/>",
        ]), 0..30)
    ) {
        let text = parts.concat();
        let settings = Settings::default();
        let reader = Reader::new(&text, &settings);
        let outside: Vec<usize> = reader
            .plain()
            .into_iter()
            .flat_map(|part| part.of(&text).match_indices("<react").map(move |(at, _)| part.start + at))
            .collect();
        let scanned = crate::parse(&text, &crate::Settings::default(), None);
        let executed: Vec<usize> = scanned.directives.iter().map(|d| d.span().start).collect();
        prop_assert_eq!(outside, executed);
    }
}
