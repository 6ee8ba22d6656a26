//! Properties over any text: the cut does not matter, nothing is lost, nothing is retracted.

use crate::{
    Collect, Hold, Parsed, RangeReason, Scanner, Settings, Sink, Step,
    redact::{Patterns, RawRedactor, Reader, RedactSettings, TextRedactor, find::Finder},
};
use proptest::{prelude::*, sample::select};
use std::sync::{Arc, LazyLock};

const PIECES: &[&str] = &[
    "sk-",
    "abcdefghijklmnopqrst",
    "1234567890",
    "ghp_",
    "AKIA",
    "IOSFODNN7EXAMPLE",
    "eyJ",
    "hbGciOiJI",
    ".",
    "password",
    ": ",
    "=",
    "\"",
    "hunter2",
    "Bearer ",
    "--",
    " | ",
    "curl -u ",
    "</",
    ">",
    "(",
    "\\\"",
    "config.key",
    "2024-01-01",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "\n",
    "MIIEvQIBADANBgkqhkiG",
    "https://",
    "a:b@",
    "@example.org",
    "+49 30 1234567",
    " ",
    "é",
    "👍",
    "<react emoji=\"eyes\"/>",
    "<actions>",
    "</actions>",
    "`",
    "```\n",
    "NO_REPLY",
    "#****",
    "#",
    "[[reply_to:1]]",
    "<think>",
    "\u{200b}",
    "xoxb-",
    "-",
    "_",
];

pub(super) fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

fn settings() -> RedactSettings {
    RedactSettings {
        email: true,
        phone: true,
        allow: vec!["AKIAIOSFODNN7EXAMPLE".to_owned(), "hunter2".to_owned()],
        ..RedactSettings::default()
    }
}

static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::new(&settings()));

pub(super) fn patterns() -> Arc<Patterns> {
    Arc::clone(&PATTERNS)
}

fn pieces<'a>(text: &'a str, sizes: &[usize]) -> Vec<&'a str> {
    let mut rest = text;
    let mut out = Vec::new();
    let mut sizes = sizes.iter().copied().cycle();
    while !rest.is_empty() {
        let size = sizes.next().unwrap_or(1).min(rest.len());
        let end = (size..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap();
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

/// Collects, and looks that the ranges follow each other and that what was shown stays.
#[derive(Default)]
struct Watch {
    collect: Collect,
    at: usize,
    hold: Option<Hold>,
}

impl Watch {
    /// What is held begins behind the ranges, and ends where reading has come to: within its bound.
    fn look(&self, read: usize) {
        if let Some(hold) = self.hold {
            assert!(hold.span.start >= self.at, "{hold:?}");
            assert_eq!(hold.span.end, read, "{hold:?}");
            assert!(hold.until.is_none_or(|until| read <= until), "{hold:?}");
        }
        let shown = self.collect.clean_text();
        assert_eq!(shown, shown.trim_end(), "no preview ends in white space");
    }
}

impl Sink for Watch {
    fn step(&mut self, step: Step<'_>) {
        if let Step::Show { span, .. } | Step::Mask { span, .. } | Step::Hide { span, .. } = &step {
            assert_eq!(span.start, self.at, "the ranges follow each other");
            self.at = span.end;
        }
        if let Step::Hold(hold) = &step {
            self.hold = hold.copied();
        }
        self.collect.step(step);
    }
}

fn read(chunks: &[&str], patterns: &Arc<Patterns>) -> Parsed {
    let mut reader = Reader::new(Scanner::new(&Settings::default(), None), Some(patterns));
    let mut watch = Watch::default();
    let mut read = 0;
    for chunk in chunks {
        reader.push(chunk, &mut watch);
        read += chunk.len();
        watch.look(read);
    }
    reader.finish(&mut watch);
    assert_eq!(watch.at, chunks.concat().len(), "every byte has a range");
    watch.collect.into_parsed()
}

/// Every step is worked out anew, as long ago.
static FORGETFUL: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::with_room(&settings(), 1));
/// What is remembered is thrown away all the time.
static SHORT: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::with_room(&settings(), 20));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn remembered_steps_make_no_difference(raw in text(), sizes in prop::collection::vec(1_usize..9, 1..6)) {
        prop_assert_eq!(patterns().redact(&raw), FORGETFUL.redact(&raw));
        for patterns in [patterns(), Arc::clone(&SHORT)] {
            let mut finder = Finder::new(patterns);
            let mut other = Finder::new(Arc::clone(&FORGETFUL));
            for chunk in pieces(&raw, &sizes) {
                finder.push(chunk);
                other.push(chunk);
                prop_assert_eq!(finder.held(), other.held());
                while let Some(stretch) = other.next() {
                    prop_assert_eq!(finder.next(), Some(stretch));
                }
                prop_assert_eq!(finder.next(), None);
            }
        }
    }

    #[test]
    fn the_cut_does_not_matter(raw in text(), sizes in prop::collection::vec(1_usize..9, 1..6)) {
        let patterns = patterns();
        let whole = read(&[&raw], &patterns);
        prop_assert_eq!(&read(&pieces(&raw, &sizes), &patterns), &whole);
        prop_assert_eq!(&read(&pieces(&raw, &[1]), &patterns), &whole);
    }

    #[test]
    fn shown_is_what_redacting_the_clean_text_gives(raw in text()) {
        let patterns = patterns();
        let plain = crate::parse(&raw, &Settings::default(), None);
        let redacted = read(&[&raw], &patterns);
        // White space that was joined is masked whole or not at all.
        prop_assume!(redacted.ranges.iter().all(|r| r.reason != Some(RangeReason::JoinedSpace)));
        prop_assert_eq!(redacted.clean_text, patterns.redact(&plain.clean_text));
    }

    #[test]
    fn text_in_pieces_is_as_the_whole(raw in text(), sizes in prop::collection::vec(1_usize..9, 1..6)) {
        let patterns = patterns();
        let mut stream = TextRedactor::new(&patterns);
        let mut out: String = pieces(&raw, &sizes).into_iter().map(|piece| stream.push(piece)).collect();
        out.push_str(&stream.finish());
        prop_assert_eq!(out, patterns.redact(&raw));
    }

    #[test]
    fn masked_raw_text_keeps_its_length_for_every_cut(raw in text(), sizes in prop::collection::vec(1_usize..9, 1..6)) {
        let patterns = patterns();
        let mut mask = RawRedactor::new(&patterns);
        let mut out = String::new();
        for piece in pieces(&raw, &sizes) {
            mask.push(piece);
            out.push_str(&mask.take_to(mask.decided()).1);
        }
        mask.finish();
        out.push_str(&mask.take_to(raw.len()).1);
        prop_assert_eq!(out.len(), raw.len());
        let mut whole = RawRedactor::new(&patterns);
        whole.push(&raw);
        whole.finish();
        prop_assert_eq!(&whole.take_to(raw.len()).1, &out);
    }
}
