//! <https://docs.slack.dev/messaging/formatting-message-text>

use super::rules::{ESCAPE, SPECIAL};
use crate::strict::Rule;

/// Whom a text calls, or the rule it breaks.
pub(super) fn calls(text: &str) -> Result<Vec<String>, Rule> {
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>']) {
        let special = &rest[at..];
        let before = &text[..text.len() - special.len()];
        if special.starts_with('>') && quotes(before) {
            rest = &special[1..];
            continue;
        }
        rest = if special.starts_with('<') {
            let (inner, after) = special[1..].split_once('>').ok_or(ESCAPE)?;
            let what = inner.split_once('|').map_or(inner, |(what, _)| what);
            match what.chars().next() {
                Some('@' | '!') => calls.push(what.to_owned()),
                Some('#') => {}
                _ if what.contains(':') && !what.contains([' ', '<']) => {}
                _ => return Err(SPECIAL),
            }
            after
        } else {
            let entity = ["&amp;", "&lt;", "&gt;"]
                .iter()
                .find(|entity| special.starts_with(**entity));
            &special[entity.ok_or(ESCAPE)?.len()..]
        };
    }
    Ok(calls)
}

/// Whether `>` after this begins a line, which makes it a quotation.
fn quotes(before: &str) -> bool {
    before.trim_end_matches(['>', ' ']).is_empty() || before.trim_end_matches(['>', ' ']).ends_with('\n')
}
