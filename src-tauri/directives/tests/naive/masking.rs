//! What must hold for redaction, whatever the text, its settings and its cut; the fuzz target `redact` and the
//! replay of its corpus call it.
//!
//! The first byte chooses the settings, the rest is text. 0xFE, which is in no UTF-8, stands between a pattern
//! of the operator's and the text; 0xFF cuts the text into chunks.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use foldback_directives::{
    Collect, Hold, RangeReason, Scanner, Settings, Sink, Step, parse,
    redact::{ExtraSecret, Patterns, RawRedactor, Reader, RedactSettings, SecretPattern, TextRedactor},
};

use crate::secrets::{Naive, length_for_length, shown};

/// Longest text that is read naively and in every beginning of it.
const CLOSELY: usize = 400;

struct Case {
    both: Arc<Both>,
    /// Whether all patterns are those of the table.
    known: bool,
    chunks: Vec<String>,
}

/// The patterns of some settings, both ways.
struct Both {
    patterns: Arc<Patterns>,
    naive: Naive,
}

impl Both {
    fn new(choice: u8, own: Option<SecretPattern>) -> Self {
        let bit = |bit: u8| choice & (1 << bit) != 0;
        let allow: &[&str] = if bit(2) {
            &["AKIAIOSFODNN7EXAMPLE", "hunter2", "é-"]
        } else {
            &[]
        };
        let known = bit(3).then(|| pattern(r"\bACME-(\d{6,})")).flatten();
        let odd = bit(4).then(|| pattern("k.(.{2,4})z")).flatten();
        let extra = [known, odd, own].into_iter().flatten();
        let settings = RedactSettings {
            email: bit(0),
            phone: bit(1),
            allow: allow.iter().map(|text| (*text).to_owned()).collect(),
            extra: extra
                .map(|pattern| ExtraSecret {
                    about: String::new(),
                    pattern,
                })
                .collect(),
            ..RedactSettings::default()
        };
        Self {
            patterns: Patterns::new(&settings),
            naive: Naive::new(&settings),
        }
    }

    /// Those without a pattern of the fuzzer's are made once.
    fn of(choice: u8) -> Arc<Self> {
        static MADE: OnceLock<Mutex<HashMap<u8, Arc<Both>>>> = OnceLock::new();
        let choice = choice & 0x1f;
        let mut made = MADE
            .get_or_init(Mutex::default)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            made.entry(choice)
                .or_insert_with(|| Arc::new(Self::new(choice, None))),
        )
    }
}

fn pattern(pattern: &str) -> Option<SecretPattern> {
    SecretPattern::try_from(pattern.to_owned()).ok()
}

impl Case {
    fn read(bytes: &[u8]) -> Self {
        let (choice, text) = bytes.split_at(bytes.len().min(1));
        let choice = choice.first().copied().unwrap_or_default();
        let (own, text) = match text.iter().position(|byte| *byte == 0xFE) {
            Some(at) => (
                std::str::from_utf8(&text[..at]).ok().and_then(pattern),
                &text[at + 1..],
            ),
            None => (None, text),
        };
        let known = own.is_none() && choice & 0x18 == 0;
        let both = match own {
            Some(own) => Arc::new(Both::new(choice, Some(own))),
            None => Both::of(choice),
        };
        let chunk = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            both,
            known,
            chunks: text.split(|byte| *byte == 0xFF).map(chunk).collect(),
        }
    }
}

/// Redaction of a text whole, in the fuzzer's chunks, and one character at a time.
pub(crate) fn redact(bytes: &[u8]) {
    let case = Case::read(bytes);
    let Both { patterns, naive } = &*case.both;
    let text = case.chunks.concat();
    let whole = patterns.redact(&text);
    let mut at_once = RawRedactor::new(patterns);
    at_once.push(&text);
    at_once.finish();
    let masked = at_once.take_to(text.len()).1;
    if text.len() <= CLOSELY {
        let secret = naive.masked(&text);
        assert_eq!(whole, shown(&text, &secret), "as the patterns say, for {text:?}");
        assert_eq!(masked, length_for_length(&text, &secret), "for {text:?}");
    }
    if case.known {
        assert_eq!(patterns.redact(&whole), whole, "what is shown holds no secret");
    }
    // The journal's form is known again from five bytes on, where nothing else looks like it.
    let masks = || {
        masked
            .split(|c| !matches!(c, '#' | '*'))
            .filter(|mask| !mask.is_empty())
    };
    if !text.contains(['*', '#']) && masks().all(|mask| mask.len() >= 5) {
        assert_eq!(
            Patterns::masked().redact(&masked),
            whole,
            "{masked:?} shows the same"
        );
    }
    let chunks: Vec<&str> = case.chunks.iter().map(String::as_str).collect();
    let one: Vec<&str> = text.split_inclusive(|_| true).collect();
    for chunks in [chunks, one] {
        stream(patterns, &text, &chunks, &whole);
        raw(patterns, &chunks, &masked);
        answer(patterns, &text, &chunks);
    }
}

/// What was shown stays, and it would have been right had the text ended there.
fn stream(patterns: &Arc<Patterns>, text: &str, chunks: &[&str], whole: &str) {
    let mut stream = TextRedactor::new(patterns);
    let mut shown = String::new();
    let mut read = 0;
    for chunk in chunks {
        read += chunk.len();
        shown.push_str(&stream.push(chunk));
        assert!(whole.starts_with(&shown), "{shown:?} was shown of {whole:?}");
        if text.len() <= CLOSELY {
            let so_far = patterns.redact(&text[..read]);
            assert!(so_far.starts_with(&shown), "{shown:?} was shown of {so_far:?}");
        }
    }
    shown.push_str(&stream.finish());
    assert_eq!(shown, whole);
}

/// Raw text is masked length for length, whatever the cut.
fn raw(patterns: &Arc<Patterns>, chunks: &[&str], expected: &str) {
    let mut raw = RawRedactor::new(patterns);
    let mut masked = String::new();
    for chunk in chunks {
        raw.push(chunk);
        masked.push_str(&raw.take_to(raw.decided()).1);
    }
    raw.finish();
    masked.push_str(&raw.take_to(usize::MAX).1);
    assert_eq!(masked, expected);
}

/// Collects an answer, and looks that what was shown stays and is what its beginning says.
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

/// An answer: the scanner, and redaction after it.
fn answer(patterns: &Arc<Patterns>, text: &str, chunks: &[&str]) {
    let settings = Settings::default();
    let mut reader = Reader::new(Scanner::new(&settings, None), Some(patterns));
    let mut watch = Watch::default();
    let (mut frames, mut read) = (Vec::new(), 0);
    for chunk in chunks {
        reader.push(chunk, &mut watch);
        read += chunk.len();
        watch.look(read);
        frames.push(watch.collect.clean_text().len());
    }
    reader.finish(&mut watch);
    assert_eq!(watch.at, text.len(), "every byte has a range");
    let shown = watch.collect.clean_text().to_owned();
    let parsed = watch.collect.into_parsed();
    let mut again = Reader::new(Scanner::new(&settings, None), Some(patterns));
    let mut at_once = Collect::default();
    again.push(text, &mut at_once);
    again.finish(&mut at_once);
    assert_eq!(parsed, at_once.into_parsed(), "the cut does not matter");
    let joined = |reason: &Option<RangeReason>| *reason == Some(RangeReason::JoinedSpace);
    if !parsed.ranges.iter().any(|range| joined(&range.reason)) {
        let plain = parse(text, &settings, None);
        let expected = patterns.redact(&plain.clean_text);
        assert_eq!(parsed.clean_text, expected, "the clean text is masked");
        for frame in frames {
            assert!(expected.starts_with(&shown[..frame]), "{expected:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    /// What secrets are made of, and what cuts them.
    const PIECES: &[&str] = &[
        "sk-",
        "proj-",
        "ghp_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "AKIA",
        "IOSFODNN7EXAMPLE",
        "eyJ",
        "hbGciOiJI",
        "AIza",
        "GOCSPX-",
        "npm_",
        "hf_",
        "SG.",
        "sk_live_",
        "whsec_",
        "abcdefghijklmnopqrst",
        "0123456789",
        "1234567:",
        "MTAx",
        ".",
        "password",
        "secret_access_key",
        "API-Key",
        "token",
        ": ",
        "=",
        "\"",
        "'",
        "`",
        "hunter2",
        "Bearer ",
        "Authorization: Basic ",
        "--",
        " | ",
        "curl -u ",
        "</",
        ">",
        ",",
        "(",
        "[",
        "\\\"",
        "config.key",
        "2024-01-01",
        "1000:",
        "AccountKey=",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "\n",
        "\\n",
        "MIIEvQIBADANBgkqhkiG",
        "https://",
        "hooks.slack.com/services/",
        "a:b@",
        "@example.org",
        "+49 30 1234567",
        "ACME-",
        "kéab",
        "z",
        " ",
        "é",
        "é-",
        "👍",
        "<react emoji=\"eyes\"/>",
        "<actions>",
        "</actions>",
        "```\n",
        "NO_REPLY",
        "#****",
        "#",
        "*",
        "[[reply_to:1]]",
        "<think>",
        "\u{200b}",
        "-",
        "_",
        "/",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn redaction_is_what_its_patterns_say_in_every_cut(
            choice in 0_u8..32,
            pieces in vec((select(PIECES), prop::bool::weighted(0.3)), 0..16),
        ) {
            let mut bytes = vec![choice];
            for (piece, cut) in pieces {
                let half = piece.floor_char_boundary(piece.len() / 2);
                bytes.extend(&piece.as_bytes()[..half]);
                bytes.extend(cut.then_some(0xFF));
                bytes.extend(&piece.as_bytes()[half..]);
            }
            super::redact(&bytes);
        }
    }
}
