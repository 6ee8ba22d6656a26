//! Work is counted: it grows with the text and with nothing else, also on hostile input and byte by byte.

use crate::{
    Collect, Scanner, Settings,
    redact::{Patterns, Reader, RedactSettings, find::Finder},
};
use std::sync::{Arc, LazyLock};

const HOSTILE: &[&str] = &[
    "sk-",
    "eyJ-",
    "eyJa.eyJ",
    "password=",
    "password: a",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nA: b\n",
    "https://a:",
    "12345678:",
    "Bearer ",
    "#*",
    "tokentoken=",
    "M.",
    "AKIA",
    "a1",
    "+1 2",
    "a@b.",
    "Authorization: Basic ",
    "password=\"a",
    "password=\"a\\\"",
    "password='1,",
    "password: a.",
    "password: 1:",
    "token>a",
    "token|a1",
    "--token a",
    "curl -u a:",
    "curl -u ",
    "https://a:b@",
    "AccountKey=",
    "ключ ",
];

fn settings() -> RedactSettings {
    RedactSettings {
        email: true,
        phone: true,
        allow: vec!["password: a".to_owned()],
        ..RedactSettings::default()
    }
}

static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::new(&settings()));
static FORGETFUL: LazyLock<Arc<Patterns>> = LazyLock::new(|| Patterns::with_room(&settings(), 1));

fn work(patterns: &Arc<Patterns>, text: &str, chunk: usize) -> u64 {
    let mut finder = Finder::new(Arc::clone(patterns));
    let mut rest = text;
    while !rest.is_empty() {
        let end = (chunk.min(rest.len())..=rest.len())
            .find(|at| rest.is_char_boundary(*at))
            .unwrap();
        finder.push(&rest[..end]);
        while finder.next().is_some() {}
        rest = &rest[end..];
    }
    finder.finish();
    finder.work()
}

#[test]
fn work_per_byte_does_not_grow() {
    for piece in HOSTILE {
        let text = |bytes: usize| piece.repeat(bytes / piece.len() + 1);
        let (small, large) = (text(1 << 10), text(8 << 10));
        for patterns in [&FORGETFUL, &PATTERNS] {
            let per_byte = |text: &str| work(patterns, text, 1) as f64 / text.len() as f64;
            let (few, many) = (per_byte(&small), per_byte(&large));
            assert!(
                many <= few * 1.3,
                "{piece:?}: {few:.1} steps a byte, then {many:.1}"
            );
            assert!(many < 400.0, "{piece:?}: {many:.1} steps a byte");
        }
    }
}

#[test]
fn the_cut_does_not_change_the_work() {
    for piece in HOSTILE {
        let text = piece.repeat(1 << 7);
        for patterns in [&FORGETFUL, &PATTERNS] {
            // From the second time on every step that is remembered costs less.
            work(patterns, &text, 1);
            let (one, many) = (work(patterns, &text, 1), work(patterns, &text, 512));
            assert_eq!(one, many, "{piece:?}");
        }
    }
}

#[test]
fn prose_costs_little() {
    let text =
        "The answer is plain: nothing in it is a secret, and most of it begins nothing either. ".repeat(500);
    let patterns = Patterns::new(&RedactSettings::default());
    let mut finder = Finder::new(Arc::clone(&patterns));
    finder.push(&text);
    let per_byte = finder.work() as f64 / text.len() as f64;
    assert!(per_byte < 1.2, "{per_byte:.2} steps a byte");
    let mut finder = Finder::new(patterns);
    finder.push(&text);
    assert_eq!(
        finder.work(),
        text.len() as u64,
        "what was read once costs a look into a table"
    );
}

#[test]
fn what_waits_is_bounded() {
    for piece in HOSTILE {
        let mut reader = Reader::new(Scanner::new(&Settings::default(), None), Some(&PATTERNS));
        let mut sink = Collect::default();
        let text = piece.repeat(3_000 / piece.len());
        for (at, c) in text.char_indices() {
            reader.push(&text[at..at + c.len_utf8()], &mut sink);
            let waits = reader.redaction_from().map_or(0, |from| at + c.len_utf8() - from);
            assert!(waits <= 600, "{piece:?}: {waits} bytes wait");
        }
        reader.finish(&mut sink);
    }
}

#[test]
fn what_is_remembered_is_bounded_and_renewed() {
    let patterns = Patterns::with_room(&settings(), 60);
    let per_byte = |text: &str| {
        let mut finder = Finder::new(Arc::clone(&patterns));
        finder.push(text);
        assert!(patterns.memo().len() <= 60);
        finder.work() as f64 / text.len() as f64
    };
    let first = patterns.memo();
    let text = "Nothing is here. ".repeat(40);
    per_byte(&text);
    assert!(per_byte(&text) < 2.0, "it is remembered");
    for piece in HOSTILE {
        per_byte(&piece.repeat(100));
    }
    assert!(
        !Arc::ptr_eq(&first, &patterns.memo()),
        "it was full, and is another"
    );
    per_byte(&text.repeat(4));
    assert!(per_byte(&text) < 2.0, "it is remembered again");
}
