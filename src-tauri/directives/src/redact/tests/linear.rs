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
    "ключ ",
];

static PATTERNS: LazyLock<Arc<Patterns>> = LazyLock::new(|| {
    Patterns::new(&RedactSettings {
        email: true,
        phone: true,
        allow: vec!["password: a".to_owned()],
        ..RedactSettings::default()
    })
});

fn work(text: &str, chunk: usize) -> u64 {
    let mut finder = Finder::new(Arc::clone(&PATTERNS));
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
        let (small, large) = (text(2 << 10), text(16 << 10));
        let per_byte = |text: &str| work(text, 1) as f64 / text.len() as f64;
        let (few, many) = (per_byte(&small), per_byte(&large));
        assert!(
            many <= few * 1.3,
            "{piece:?}: {few:.1} steps a byte, then {many:.1}"
        );
        assert!(many < 400.0, "{piece:?}: {many:.1} steps a byte");
    }
}

#[test]
fn the_cut_does_not_change_the_work() {
    for piece in HOSTILE {
        let text = piece.repeat(1 << 10);
        assert_eq!(work(&text, 1), work(&text, 4_096), "{piece:?}");
    }
}

#[test]
fn prose_costs_little() {
    let text =
        "The answer is plain: nothing in it is a secret, and most of it begins nothing either. ".repeat(500);
    let patterns = Patterns::new(&RedactSettings::default());
    let mut finder = Finder::new(patterns);
    finder.push(&text);
    let per_byte = finder.work() as f64 / text.len() as f64;
    assert!(per_byte < 8.0, "{per_byte:.1} steps a byte");
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
