//! Naming secrets: the same stretches as masking, each with what knew it.

use super::any::{patterns, text};
use crate::redact::{ExtraSecret, KnownBy, MASK, Patterns, RedactSettings, SECRETS, SecretPattern};
use proptest::prelude::*;

fn own(pattern: &str) -> ExtraSecret {
    ExtraSecret {
        about: String::new(),
        pattern: SecretPattern::try_from(pattern.to_owned()).unwrap(),
    }
}

#[test]
fn every_row_is_named_in_its_own_example() {
    let all = Patterns::new(&RedactSettings {
        email: true,
        phone: true,
        ..RedactSettings::default()
    });
    for row in SECRETS {
        let found = all.secrets(row.example.0);
        assert_eq!(found.len(), 1, "{}: {found:?}", row.id);
        assert!(
            found[0].by.contains(&KnownBy::Known(row.id)),
            "{}: {found:?}",
            row.id
        );
    }
}

#[test]
fn a_stretch_that_several_patterns_mask_names_them_all() {
    let patterns = Patterns::new(&RedactSettings {
        extra: vec![own("T-[0-9]{4,}"), own("sk-[a-z]{4,}")],
        ..RedactSettings::default()
    });
    let text = "T-12345 and token = sk-abcdefghijklmnopqrstuvwx1";
    let found = patterns.secrets(text);
    let spans: Vec<&str> = found.iter().map(|secret| secret.span.of(text)).collect();
    assert_eq!(spans, ["T-12345", "sk-abcdefghijklmnopqrstuvwx1"]);
    assert_eq!(found[0].by, [KnownBy::Own(0)]);
    assert_eq!(
        found[1].by,
        [KnownBy::Known("named"), KnownBy::Known("sk"), KnownBy::Own(1)]
    );
}

#[test]
fn what_the_allow_list_shows_is_no_secret() {
    let patterns = Patterns::new(&RedactSettings {
        allow: vec!["hunter2".to_owned()],
        ..RedactSettings::default()
    });
    assert_eq!(patterns.secrets("password: hunter2"), []);
}

proptest! {
    #[test]
    fn the_stretches_are_those_that_are_masked(text in text()) {
        let patterns = patterns();
        let mut masked = String::new();
        let mut at = 0;
        for secret in patterns.secrets(&text) {
            prop_assert!(!secret.by.is_empty(), "{secret:?}");
            prop_assert!(secret.span.start < secret.span.end);
            masked.push_str(&text[at..secret.span.start]);
            masked.push_str(MASK);
            at = secret.span.end;
        }
        masked.push_str(&text[at..]);
        prop_assert_eq!(masked, patterns.redact(&text));
    }
}
