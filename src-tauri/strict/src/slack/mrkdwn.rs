//! <https://docs.slack.dev/messaging/formatting-message-text>

use super::rules::{ESCAPE, SPECIAL};
use crate::Rule;

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
        rest = if let Some(inner) = special.strip_prefix('<') {
            let (inner, after) = inner.split_once('>').ok_or(ESCAPE)?;
            let what = inner.split_once('|').map_or(inner, |(what, _)| what);
            match what.chars().next() {
                Some('@' | '!') => calls.push(what.to_owned()),
                Some('#') => {}
                _ if what.contains(':') && !what.contains([' ', '<']) => {}
                _ => return Err(SPECIAL),
            }
            after
        } else {
            let mut known = ["&amp;", "&lt;", "&gt;"].iter();
            known
                .find_map(|entity| special.strip_prefix(entity))
                .ok_or(ESCAPE)?
        };
    }
    Ok(calls)
}

/// Whether `>` after this begins a line, which makes it a quotation.
fn quotes(before: &str) -> bool {
    let line = before.trim_end_matches(['>', ' ']);
    line.is_empty() || line.ends_with('\n')
}
