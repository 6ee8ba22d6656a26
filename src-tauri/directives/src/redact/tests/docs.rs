//! The document shows the table of secrets as it is.

use crate::redact::{SECRETS, WORDS};
use std::fmt::Write as _;

fn section(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/redaction.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, rest) = text.split_once(&format!("<!-- {name} -->\n")).unwrap();
    rest.split_once(&format!("<!-- /{name} -->"))
        .unwrap()
        .0
        .to_owned()
}

#[test]
fn the_secrets_and_the_words_are_listed() {
    let mut table = String::from("| secret | what it is | such as | shown |\n|---|---|---|---|\n");
    for row in SECRETS {
        let (id, about) = (row.id, row.about);
        let about = if row.optional {
            format!("{about} (only when switched on)")
        } else {
            about.to_owned()
        };
        let [text, shown] = [row.example.0, row.example.1].map(|text| text.replace('\n', "⏎"));
        writeln!(table, "| `{id}` | {about} | `{text}` | `{shown}` |").unwrap();
    }
    assert_eq!(
        section("secrets"),
        table,
        "docs/redaction.md differs; this is right:\n{table}"
    );
    let words: Vec<String> = WORDS.iter().map(|word| format!("`{word}`")).collect();
    let words = words.join(", ") + "\n";
    assert_eq!(
        section("words"),
        words,
        "docs/redaction.md differs; this is right:\n{words}"
    );
}
