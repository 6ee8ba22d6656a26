//! What the operator adds and allows.

use crate::redact::{ExtraSecret, Patterns, RedactSettings, SecretPattern, TextRedactor};

fn own(pattern: &str) -> Result<SecretPattern, String> {
    SecretPattern::try_from(pattern.to_owned()).map_err(|error| error.to_string())
}

#[test]
fn own_patterns_are_masked_beside_the_known_ones() {
    let extra = vec![ExtraSecret {
        about: "tickets".into(),
        pattern: own(r"\bACME-(\d{6,})").unwrap(),
    }];
    let patterns = Patterns::new(&RedactSettings {
        extra,
        ..RedactSettings::default()
    });
    assert_eq!(
        patterns.redact("ACME-123456 and password: hunter2"),
        "ACME-[redacted] and password: [redacted]"
    );
    assert_eq!(patterns.redact("ACME-12345"), "ACME-12345");
}

#[test]
fn a_pattern_that_cannot_be_read_or_bounded_says_so() {
    assert!(own("(").unwrap_err().contains("unclosed group"), "{:?}", own("("));
    assert!(
        own("a*b").unwrap_err().contains("write {1,64} instead of + or *"),
        "{:?}",
        own("a*b")
    );
    assert!(own("x{600}").is_err());
    assert!(own("a*").unwrap_err().contains("matches nothing at all"));
    for fine in [
        "x{512}",
        "corp_[a-z]{20,}",
        r"\bkey-\d{4}(-\d{4})*\b?",
        "k(?:a|b){1,64}z",
    ] {
        assert!(own(fine).is_ok(), "{fine}: {:?}", own(fine));
    }
}

#[test]
fn the_known_patterns_keep_the_bound_too() {
    for (id, window) in Patterns::windows() {
        let window = window.unwrap_or_else(|| panic!("{id} has no bound"));
        assert!(window <= 512, "{id}: {window}");
    }
}

#[test]
fn what_the_allow_list_names_is_shown_and_nothing_like_it() {
    let allow = vec!["AKIAIOSFODNN7EXAMPLE".to_owned(), "hunter2".to_owned()];
    let patterns = Patterns::new(&RedactSettings {
        allow,
        ..RedactSettings::default()
    });
    assert_eq!(patterns.redact("AKIAIOSFODNN7EXAMPLE"), "AKIAIOSFODNN7EXAMPLE");
    assert_eq!(patterns.redact("AKIAIOSFODNN7EXAMPLF"), "[redacted]");
    assert_eq!(patterns.redact("password: hunter2"), "password: hunter2");
    assert_eq!(patterns.redact("password: hunter22"), "password: [redacted]");
}

#[test]
fn a_character_is_masked_as_a_whole_whatever_bytes_a_pattern_names() {
    for (pattern, text, expected) in [
        (r"k.(.{2,4})z", "kéab z kéaz", "k[redacted]z k[redacted]z"),
        (r"k(.)", "ké k", "k[redacted] k"),
        (r"(k.)..z", "kéaz", "[redacted]az"),
        (r"k.\B", "ké!", "[redacted]!"),
        (r"\xa9{1,4}k", "ék", "[redacted]"),
    ] {
        let extra = vec![ExtraSecret {
            about: String::new(),
            pattern: own(pattern).unwrap(),
        }];
        let patterns = Patterns::new(&RedactSettings {
            extra,
            ..RedactSettings::default()
        });
        assert_eq!(patterns.redact(text), expected, "{pattern}");
        let mut stream = TextRedactor::new(&patterns);
        let mut out: String = text
            .chars()
            .map(|c| stream.push(c.encode_utf8(&mut [0; 4])))
            .collect();
        out.push_str(&stream.finish());
        assert_eq!(out, expected, "{pattern} in a stream");
    }
}

/// Found by fuzzing: what follows a group without a byte is no part of it.
#[test]
fn an_empty_group_masks_nothing() {
    for (pattern, text, expected) in [
        (r"(ab|)d", "abd d", "[redacted]d d"),
        (r"(ab|){1,9}d", "xd", "xd"),
        (r"()(a)b", "ab", "[redacted]b"),
        (r"(?:(a)b|(ab))c", "abc", "[redacted]c"),
    ] {
        let settings = RedactSettings {
            extra: vec![ExtraSecret {
                about: "own".into(),
                pattern: own(pattern).unwrap(),
            }],
            ..RedactSettings::default()
        };
        assert_eq!(Patterns::new(&settings).redact(text), expected, "{pattern}");
    }
}
