//! The text of an answer that its chat did not get, read from the clean text of its assistant messages: from the first
//! message in the chat that did not arrive to the last one, or to the end where the file with the rest did not either.

use super::is_rest;
use foldback_wire::{
    Body, CleanPlace,
    rpc::{LedgerEntry, TurnDetail},
};

/// The text that these dead letters of an answer were to bring, with what lies between them. Assistant messages stay apart
/// by an empty line. What was put around the first and the last one stays: a code fence that goes on, its end, the ellipsis
/// of an answer that was cut off. `None` where they are no part of an answer.
pub(super) fn text_of(letters: &[&LedgerEntry], lost: &TurnDetail) -> Option<String> {
    let to_the_end = letters.iter().any(|letter| is_rest(letter));
    let mut places = letters.iter().filter_map(|letter| place_of(letter));
    let (first, last) = (places.next(), places.next_back());
    let (number, start) = match first {
        Some(place) => (place.message, place.span.start),
        None if to_the_end => behind(&lost.ledger),
        None => return None,
    };
    let last = last.or(first).filter(|_| !to_the_end);
    let shows_narration = lost
        .messages
        .iter()
        .any(|message| message.narration && has_place(&lost.ledger, message.message));
    let mut texts = Vec::new();
    for message in &lost.messages {
        let is_behind = last.is_some_and(|last| message.message > last.message);
        if message.message < number || is_behind || message.narration && !shows_narration {
            continue;
        }
        let start = if message.message == number { start } else { 0 };
        let end = last.filter(|last| last.message == message.message);
        let end = end.map_or(message.clean.len(), |last| last.span.end);
        let text = message.clean.get(start..end)?.trim_matches('\n').trim_end();
        if message.suppressed.is_none() && !text.is_empty() {
            texts.push(text);
        }
    }
    let first = letters.iter().find(|letter| place_of(letter).is_some());
    let before = first.and_then(|letter| repairs_of(letter, lost));
    let behind = letters.last().and_then(|letter| repairs_of(letter, lost));
    let (before, behind) = (before.map_or("", |(at, _)| at), behind.map_or("", |(_, at)| at));
    Some([before, &texts.join("\n\n"), behind].concat())
}

/// What stands before and behind the clean text in a message that was to show it.
fn repairs_of<'a>(letter: &'a LedgerEntry, lost: &TurnDetail) -> Option<(&'a str, &'a str)> {
    let CleanPlace { message, span } = place_of(letter)?;
    let message = lost.messages.iter().find(|detail| detail.message == message)?;
    letter
        .text
        .as_deref()?
        .split_once(message.clean.get(span.start..span.end)?)
}

/// The bytes of the clean text that an operation was to show; `None` for a live frame, and for what a directive says.
fn place_of(entry: &LedgerEntry) -> Option<CleanPlace> {
    let intent = &entry.intent;
    let body = intent
        .body
        .as_ref()
        .filter(|_| intent.directive.is_none() && !intent.live);
    body.and_then(Body::place)
}

fn has_place(ledger: &[LedgerEntry], message: u32) -> bool {
    ledger
        .iter()
        .filter_map(place_of)
        .any(|place| place.message == message)
}

/// The place behind all that messages were intended for: the assistant message, and the byte of its clean text.
fn behind(ledger: &[LedgerEntry]) -> (u32, usize) {
    let ends = ledger.iter().filter_map(place_of);
    let ends = ends.map(|place| (place.message, place.span.end));
    ends.max().unwrap_or_default()
}
