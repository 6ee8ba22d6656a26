//! The invariants I1 to I8 over texts that mix fragments of every dialect with code, Unicode and noise.

use foldback_directives::{
    Bare, Collect, Dialect, Fate, Hold, Parsed, Placement, RangeReason, Scanner, Settings, Sink, Span, Step,
    TrailingSilence, parse,
};
use proptest::prelude::*;

use crate::common::{cut, in_chunks};

const FRAGMENTS: &[&str] = &[
    "<actions>",
    "</actions>",
    "<actions/>",
    "</actions >",
    "<ACTIONS a=b>",
    "<act",
    "<actions",
    "</act",
    "<react emoji=\"a\"/>",
    "<react emoji='b' message=1 />",
    "<react emoji=a>",
    "</react>",
    "<react",
    "<react emoji=",
    "<react emoji=\"",
    "<react emoji=\\\"x\\\"/>",
    "<react emoji=“x”/>",
    "<react emoji=“",
    "<react/>",
    "<send-file path=\"a.png\"/>",
    "<send-file path='a.ogg' caption=\"x > y\" kind=q cleanup/>",
    "<send-file",
    "<voice>",
    "</voice>",
    "<voice>hi</voice>",
    "<voice",
    "<send-message channel=c chat=1>",
    "</send-message>",
    "<send-message channel=c chat=1 text=x/>",
    "<no-reply/>",
    "<no-reply>",
    "</no-reply>",
    "<no-",
    "<no-reply",
    "NO_REPLY",
    "NO_REP",
    "LY",
    "**NO_REPLY**",
    "_NO_REPLY_",
    "NO_REPLY.",
    "HEARTBEAT_OK",
    "HEARTBEAT_OK.",
    "HEART",
    "[[",
    "]]",
    "[[reply_to:42]]",
    "[[reply-to:7]]",
    "[[ephemeral:true]]",
    "[[note:x]]",
    "[[Note]]",
    "[",
    "[[a:",
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "```sh\n",
    "\n```\n",
    "> ",
    "- ",
    "1. ",
    "\n",
    "\r\n",
    "\n\n",
    "\r",
    " ",
    "  ",
    "\t",
    "\u{3000}",
    "\u{feff}",
    "\u{200b}",
    "\u{85}",
    "a",
    "b c",
    "word",
    "Ünïcödé",
    "👍",
    "é",
    "<",
    ">",
    "/",
    "=",
    "\"",
    "'",
    "\\",
    "&quot;",
    "&#0;",
    "&amp;lt;",
    "<b>",
    "</b>",
    "<div class=\"x\">",
    "<poll q=1>",
    "</poll>",
    "<1>",
    "a < b",
    "<think>",
    "</think>",
    "<think/>",
    "<thinking>",
    "<think",
    "<final>",
    "</final>",
    "<tool_call>",
    "</tool_call>",
    "<tool_calls a=“",
    "<system-reminder>",
    "<|im_end|>",
    "<|im",
    "<|",
    "|>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!",
    "{",
    "}",
    "{\"actions\":[]}",
    "{\"actions\":[{\"type\":\"bash\",\"payload\":{\"a\":\"}\"}}]}",
    "{\"actions\":",
    "{\"system_message\":1}",
    "{\"a\":1}",
    "\"",
    ":",
    "- x",
    "[x](y)",
    "**",
    "_",
    ".",
];

fn text() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        20 => prop::sample::select(FRAGMENTS).prop_map(str::to_owned),
        1 => "[ -~]{0,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(fragment, 0..24).prop_map(|parts| parts.concat())
}

fn settings() -> impl Strategy<Value = Settings> {
    let dialects = prop_oneof![
        3 => Just(Settings::default().dialects),
        3 => Just(Dialect::ALL.to_vec()),
        1 => prop::sample::subsequence(Dialect::ALL.to_vec(), 0..=5),
    ];
    let placement = prop::sample::select(Placement::ALL);
    let bare = prop::sample::select(Bare::ALL);
    let trailing = prop::sample::select(TrailingSilence::ALL);
    let all_clear = prop_oneof![3 => Just(None), 1 => Just(Some("a|word.*".to_owned()))];
    let rest = (any::<bool>(), all_clear);
    (dialects, placement, bare, trailing, rest).prop_map(|(dialects, placement, bare, trailing, rest)| {
        Settings {
            dialects,
            placement,
            bare,
            trailing_silence: trailing,
            heartbeat: rest.0,
            all_clear: rest.1,
            ..Settings::default()
        }
    })
}

/// A sink that checks while it listens.
#[derive(Default)]
struct Listener {
    collect: Collect,
    shown: String,
    /// One past the last byte that was reported.
    reported: usize,
    header_after_text: bool,
    hold: Option<Hold>,
}

impl Sink for Listener {
    fn step(&mut self, step: Step<'_>) {
        match &step {
            Step::Show { span, text, .. } => {
                assert_eq!(span.start, self.reported, "ranges come in order");
                self.reported = span.end;
                self.shown.push_str(text);
            }
            Step::Hide { span, .. } => {
                assert_eq!(span.start, self.reported, "ranges come in order");
                self.reported = span.end;
            }
            Step::Header(_) => self.header_after_text |= !self.shown.is_empty(),
            Step::Hold(hold) => self.hold = hold.copied(),
            _ => {}
        }
        self.collect.step(step);
    }
}

fn listen(chunks: &[&str], settings: &Settings) -> (Parsed, Vec<String>) {
    let mut listener = Listener::default();
    let mut scanner = Scanner::new(settings, None);
    let (mut released, mut read) = (Vec::new(), 0);
    for chunk in chunks {
        scanner.push(chunk, &mut listener);
        read += chunk.len();
        released.push(listener.shown.clone());
        if let Some(hold) = listener.hold {
            assert_eq!(hold.span.end, read, "a hold ends where reading has come to");
            assert!(
                hold.span.start >= listener.reported,
                "what is held was not decided"
            );
            assert!(!hold.why().is_empty() && !hold.release().is_empty());
        }
    }
    scanner.finish(&mut listener);
    assert_eq!(listener.hold, None, "nothing is held after the end");
    assert!(
        !listener.header_after_text,
        "the header is known before the first text"
    );
    (listener.collect.into_parsed(), released)
}

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
        let parsed = parse(&raw, &settings, None);
        let (mut at, mut shown) = (0, String::new());
        for range in &parsed.ranges {
            prop_assert_eq!(range.span.start, at);
            prop_assert!(!range.span.is_empty());
            prop_assert_eq!(range.fate == Fate::Show || range.reason.is_some(), true);
            at = range.span.end;
            if range.fate == Fate::Show {
                shown += range.shown_as.as_deref().unwrap_or(range.span.of(&raw));
            }
        }
        prop_assert_eq!(at, raw.len());
        prop_assert_eq!(&shown, &parsed.clean_text);
        prop_assert_eq!(shown.trim(), &shown);
        if parsed.suppressed.is_some() {
            prop_assert!(shown.is_empty());
        }
    }

    #[test]
    fn i3_what_was_shown_stays(raw in text(), settings in settings(), seed in any::<u64>()) {
        let (parsed, released) = listen(&cut(&raw, seed), &settings);
        for shown in released {
            prop_assert!(parsed.clean_text.starts_with(&shown), "{shown:?} was shown, then {:?}", parsed.clean_text);
        }
    }

    #[test]
    fn i4_no_directive_is_ever_shown(raw in text(), settings in settings()) {
        let parsed = parse(&raw, &settings, None);
        let shown: Vec<Span> = parsed.ranges.iter().filter(|r| r.fate == Fate::Show).map(|r| r.span).collect();
        for directive in &parsed.directives {
            prop_assert!(shown.iter().all(|span| !span.overlaps(directive.span())));
        }
    }

    #[test]
    fn i5_text_is_dropped_only_for_a_reason(raw in text(), settings in settings()) {
        let parsed = parse(&raw, &settings, None);
        for range in parsed.ranges.iter().filter(|r| r.fate == Fate::Drop) {
            let words = range.span.of(&raw).trim();
            match range.reason {
                Some(RangeReason::Trim | RangeReason::JoinedSpace) => prop_assert_eq!(words, ""),
                Some(RangeReason::TextInBlock) => {
                    prop_assert!(parsed.diagnostics.iter().any(|d| d.code.code() == "text-in-block"));
                }
                Some(RangeReason::JsonActions) => {}
                _ => prop_assert!(parsed.suppressed.is_some(), "{:?} dropped as {:?}", words, range.reason),
            }
        }
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
