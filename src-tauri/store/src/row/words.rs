//! Parts of summaries that several kinds of events share.

use foldback_wire::{Outcome, Span, Timestamp, visible};

/// A text in one line: control characters as their pictures, other invisible ones written out, shortened at `limit`
/// characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let pictures: String = text.chars().take(limit + 1).map(picture).collect();
    let shown = visible(&pictures);
    let mut chars = shown.chars();
    let mut line: String = chars.by_ref().take(limit).collect();
    if chars.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}

/// Unicode has a picture for every C0 control character, and for delete.
fn picture(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(c),
        0x7F => '␡',
        _ => c,
    }
}

/// A number of bytes, with the thousands apart.
pub(super) fn size(bytes: u64) -> String {
    let digits = bytes.to_string();
    let mut apart = String::with_capacity(digits.len() + digits.len() / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    apart + " B"
}

/// A code, and what is to be said about it.
pub(super) fn said(code: impl std::fmt::Display, detail: &str) -> String {
    if detail.is_empty() {
        code.to_string()
    } else {
        format!("{code}: {detail}")
    }
}

pub(super) fn bytes(span: Span) -> String {
    format!("{}..{}", span.start, span.end)
}

pub(super) fn ended(outcome: &Outcome) -> String {
    let message = outcome
        .message
        .as_ref()
        .map(|id| format!(" (message {id})"))
        .unwrap_or_default();
    let instead = outcome
        .replaced_by
        .map(|op| format!("op {op} was done in its place"));
    let detail: Vec<_> = outcome.detail.clone().into_iter().chain(instead).collect();
    said(format_args!("{}{message}", outcome.code), &detail.join("; "))
}

/// Time of day, as the grid shows it.
pub(super) fn clock(at: Timestamp) -> String {
    let at = at.to_string();
    at.split_once('T')
        .map_or(at.clone(), |(_, time)| time.trim_end_matches('Z').to_owned())
}

/// A length of time, in the unit that suits it.
pub(super) fn lasting(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{:02} s", ms / 1_000, ms % 1_000 / 10),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}
