//! The place where a text may be cut: between graphemes, at the best place there is.

use foldback_wire::LengthUnit;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

pub(super) fn fits(text: &str, room: usize, unit: LengthUnit) -> bool {
    // Every unit counts a character at most as its bytes: most texts need no counting. A long rest is counted
    // only until it is too long, so that splitting stays linear.
    let mut left = room;
    text.len() <= room
        || text.chars().all(|c| match left.checked_sub(unit.of_char(c)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
}

/// The length of the first grapheme of a text.
pub(super) fn first_grapheme(text: &str, unit: LengthUnit) -> usize {
    text.graphemes(true).next().map_or(0, |first| unit.measure(first))
}

/// True where no grapheme goes on over this place.
fn is_boundary(text: &str, at: usize) -> bool {
    // Given the whole text it never asks for more of it.
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0) != Ok(false)
}

/// The first place from `at` on between two graphemes.
pub(super) fn boundary_from(text: &str, at: usize) -> usize {
    let places = text[at..].char_indices().map(|(i, _)| at + i);
    places
        .chain([text.len()])
        .find(|at| is_boundary(text, *at))
        .unwrap_or(text.len())
}

/// The last place up to `at` between two graphemes.
fn boundary_until(text: &str, at: usize) -> usize {
    let places = text[..at].char_indices().rev().map(|(i, _)| i);
    [at].into_iter()
        .chain(places)
        .find(|at| is_boundary(text, *at))
        .unwrap_or(0)
}

/// The end of the longest run of whole graphemes that fits. A single grapheme that is too long for a whole
/// message is cut between its characters: the platform's limit cannot be argued with.
pub(super) fn window(text: &str, room: usize, unit: LengthUnit) -> usize {
    let mut used = 0;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += unit.measure(grapheme);
        if used > room {
            break;
        }
        end = at + grapheme.len();
    }
    if end > 0 {
        return end;
    }
    used = 0;
    for (at, c) in text.char_indices() {
        used += unit.of_char(c);
        if used > room && at > 0 {
            return at;
        }
    }
    text.len()
}

/// The place at which to break in the first `window` bytes: where the piece ends, and where the next one begins. White
/// space can be a part of a grapheme (with an accent on it), and stays with it.
pub(super) fn best_break(rest: &str, window: usize) -> (usize, usize) {
    let (end, next) = best_place(&rest[..window], &rest[window..]);
    if end == window && next == window {
        // Perhaps in the middle of a grapheme, which is too long for a whole message.
        return (end, next);
    }
    let end = boundary_from(rest, end);
    (end, boundary_until(rest, next).max(end))
}

/// The best place to break in `window`: after a paragraph, a line, a sentence, a word, else at its end.
/// All but a word must leave at least a third of the window, else a short first line makes a tiny message.
fn best_place(window: &str, after: &str) -> (usize, usize) {
    let least = window.len() / 3;
    let at = |end: usize| end >= least && end > 0;
    let paragraph = window.rfind("\n\n").filter(|i| at(*i));
    let line = || {
        let whole = after.starts_with('\n').then_some(window.len());
        whole.or_else(|| window.rfind('\n')).filter(|i| at(*i))
    };
    if let Some(end) = paragraph.or_else(line) {
        let breaks = window[end..].len() - window[end..].trim_start_matches(['\n', '\r']).len();
        let more = if end + breaks == window.len() {
            breaks_of(after)
        } else {
            0
        };
        return (window[..end].trim_end().len(), end + breaks + more);
    }
    let blank = |c: char| c == ' ' || c == '\t' || c == '\n';
    if after.starts_with(blank) && window.ends_with(['.', '!', '?', '…']) {
        return (window.len(), window.len() + blanks_of(after));
    }
    let sentence = [". ", "! ", "? ", "… "].iter().filter_map(|mark| {
        let i = window.rfind(mark)?;
        let end = i + mark.len() - 1;
        at(end).then_some(end)
    });
    if let Some(end) = sentence.max() {
        return (end, end + blanks_of(&window[end..]));
    }
    if after.starts_with(blank) {
        return (window.len(), window.len() + blanks_of(after));
    }
    if let Some(end) = window.rfind(blank).filter(|i| !window[..*i].trim().is_empty()) {
        return (window[..end].trim_end().len(), end + blanks_of(&window[end..]));
    }
    (window.len(), window.len())
}

fn blanks_of(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

fn breaks_of(text: &str) -> usize {
    text.len() - text.trim_start_matches(['\n', '\r']).len()
}
