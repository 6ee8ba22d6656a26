//! The tokens of silence against a second, naive reading of the page: three regular expressions over the
//! whole text.

use std::sync::LazyLock;

use foldback_directives::{Settings, Suppression, parse};
use proptest::prelude::*;
use regex::Regex;

/// The whole-text, the first-token and the last-token rule. Edge characters are neither alphanumeric, `_`
/// nor white space.
static RULES: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let edge = r"[^\p{Alphabetic}\p{N}_\s]{0,4}";
    let other = r"[^\p{Alphabetic}\p{N}]{0,16}";
    [
        format!(r"\A{other}NO_REPLY(?:\s+NO_REPLY)*{other}\z"),
        format!(r"\A{edge}NO_REPLY(?:[^\p{{Alphabetic}}\p{{N}}_]|\z)"),
        format!(r"(?:\s+{edge}NO_REPLY{edge})+\z"),
    ]
    .map(|pattern| Regex::new(&pattern).expect("a pattern"))
});

fn expected(raw: &str) -> (String, Option<Suppression>) {
    let [whole, first, last] = &*RULES;
    let text = raw.trim();
    if whole.is_match(text) || first.is_match(text) {
        return (String::new(), Some(Suppression::SilentToken));
    }
    let end = last.find(text).map_or(text.len(), |found| found.start());
    (text[..end].to_owned(), None)
}

const PARTS: &[&str] = &[
    "NO_REPLY", "NO_REPLY", "NO_REPLY", "NO_REPL", "NO_", "Y", "_", "*", "**", ".", "!", "- ", " ", " ",
    "\n", "a", "N", "é", "—", "....", "        ", "7",
];

proptest! {
    #[test]
    fn tokens_are_read_as_three_patterns_say(parts in prop::collection::vec(prop::sample::select(PARTS), 0..9)) {
        let raw = parts.concat();
        let parsed = parse(&raw, &Settings::default(), None);
        prop_assert_eq!((parsed.clean_text, parsed.suppressed), expected(&raw), "{:?}", raw);
    }
}
