//! Splitting a text into messages: never over the limit in the channel's unit, never inside a grapheme,
//! at the best place there is, with code fences closed and opened again.

use foldback_wire::{LengthUnit, Span};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// How much one message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Most units in a message.
    pub max: usize,
    /// What is counted.
    pub unit: LengthUnit,
}

/// One message of a split text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its bytes in the text.
    pub span: Span,
    /// The line that opens the fence again, if the piece before ended inside one.
    pub prefix: String,
    /// The line that closes the fence, if the piece ends inside one.
    pub suffix: String,
}

impl Piece {
    /// The message's text.
    pub fn text(&self, source: &str) -> String {
        [&self.prefix, self.span.of(source), &self.suffix].concat()
    }

    /// Whether the piece is bytes of the text and nothing else.
    pub const fn is_verbatim(&self) -> bool {
        self.prefix.is_empty() && self.suffix.is_empty()
    }
}

/// Where the splitter stands in a text: everything before `at` has gone out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Splitter {
    at: usize,
    fence: Option<Fence>,
}

/// An open code fence.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fence {
    /// The line that opened it, without its break.
    opener: String,
    /// Blanks and quotation marks before the marker.
    margin: String,
    /// The run of backticks or tildes.
    marker: String,
}

impl Fence {
    fn reopen(&self) -> String {
        format!("{}\n", self.opener)
    }

    fn close(&self) -> String {
        format!("\n{}{}", self.margin, self.marker)
    }
}

impl Splitter {
    /// What is left of `text`, as one message; `None` when nothing is left. May be over the limit.
    pub fn rest(&self, text: &str) -> Option<Piece> {
        let span = Span::new(self.at, text.len());
        let left = span.of(text);
        if left.trim().is_empty() || self.fence.as_ref().is_some_and(|f| closes(left, f)) {
            return None;
        }
        Some(Piece {
            span,
            prefix: self.prefix(),
            suffix: String::new(),
        })
    }

    /// The next full message, if what is left does not fit into one. What was answered stays right however
    /// the text goes on, so that a live text can be split before it is complete.
    pub fn next_full(&mut self, text: &str, limit: Limit, fences: bool) -> Option<Piece> {
        loop {
            let rest = &text[self.at..];
            let mut prefix = self.prefix();
            let room = limit.max.saturating_sub(limit.unit.measure(&prefix));
            if fits(rest, room, limit.unit) {
                return None;
            }
            let first = first_grapheme(rest, limit.unit);
            let cut = if first > room && first <= limit.max {
                prefix.clear();
                self.cut_plainly(rest, limit.max, limit, fences)
            } else {
                self.cut(rest, room, first, limit, fences)
            };
            let span = Span::new(self.at, self.at + cut.end);
            let empty = span.of(text).trim().is_empty();
            self.at += cut.next;
            self.fence = cut.fence;
            if !empty {
                return Some(Piece {
                    span,
                    prefix,
                    suffix: cut.suffix,
                });
            }
        }
    }

    fn prefix(&self) -> String {
        self.fence.as_ref().map_or_else(String::new, Fence::reopen)
    }

    /// A cut that repairs nothing: a whole grapheme is worth more than a closed fence.
    fn cut_plainly(&self, rest: &str, room: usize, limit: Limit, fences: bool) -> Cut {
        let (end, next) = best_break(rest, window(rest, room, limit.unit));
        Cut {
            end,
            next,
            suffix: String::new(),
            fence: self.fence_at(&rest[..end], fences, limit),
        }
    }

    fn cut(&self, rest: &str, room: usize, first: usize, limit: Limit, fences: bool) -> Cut {
        let unit = limit.unit;
        let mut reserved = 0;
        loop {
            if first > room - reserved && first <= limit.max {
                return self.cut_plainly(rest, room, limit, fences);
            }
            let window = window(rest, room - reserved, unit);
            let (mut end, mut next) = best_break(rest, window);
            let Some(open) = self.fence_at(&rest[..end], fences, limit) else {
                return Cut {
                    end,
                    next,
                    suffix: String::new(),
                    fence: None,
                };
            };
            // A fence that opened just before the cut goes whole into the next message.
            if let Some(at) = opener_start(&rest[..end], &open) {
                let kept = boundary_from(rest, rest[..at].trim_end().len());
                if kept > 0 {
                    return Cut {
                        end: kept,
                        next: at,
                        suffix: String::new(),
                        fence: None,
                    };
                }
                // It is all there is: cut its first line rather than send an empty fence.
                (end, next) = (window, window);
            }
            let needed = unit.measure(&open.close());
            if needed <= reserved {
                return close(rest, end, next, open);
            }
            // Room for the closing line; a shorter piece may end in another fence, hence the loop.
            reserved = needed;
        }
    }

    /// The fence that is open at the end of `text`, if there is room to repair it.
    fn fence_at(&self, text: &str, fences: bool, limit: Limit) -> Option<Fence> {
        if !fences {
            return None;
        }
        let mut open = self.fence.clone();
        for line in text.split_inclusive('\n') {
            open = match open {
                Some(fence) if closes(line, &fence) => None,
                Some(fence) => Some(fence),
                None => opens(line),
            };
        }
        // A fence line so long that repeating it would leave little room is not repeated.
        let cost = |f: &Fence| limit.unit.measure(&f.reopen()) + limit.unit.measure(&f.close());
        open.filter(|f| cost(f) <= limit.max / 2)
    }
}

struct Cut {
    /// Where the piece ends.
    end: usize,
    /// Where the next one begins.
    next: usize,
    suffix: String,
    fence: Option<Fence>,
}

/// Ends a piece inside a fence. When only the closing line is left of the fence it goes along.
fn close(rest: &str, end: usize, next: usize, open: Fence) -> Cut {
    let suffix = open.close();
    let line = rest[next..].split_inclusive('\n').next().unwrap_or_default();
    if line.ends_with('\n') && closes(line, &open) {
        return Cut {
            end,
            next: next + line.len(),
            suffix,
            fence: None,
        };
    }
    Cut {
        end,
        next,
        suffix,
        fence: Some(open),
    }
}

fn fits(text: &str, room: usize, unit: LengthUnit) -> bool {
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

/// How much the first grapheme of a text takes.
fn first_grapheme(text: &str, unit: LengthUnit) -> usize {
    text.graphemes(true).next().map_or(0, |first| unit.measure(first))
}

/// Whether no grapheme goes on over this place.
fn is_boundary(text: &str, at: usize) -> bool {
    // Given the whole text it never asks for more of it.
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0) != Ok(false)
}

/// The first place from `at` on between two graphemes.
fn boundary_from(text: &str, at: usize) -> usize {
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
fn window(text: &str, room: usize, unit: LengthUnit) -> usize {
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

/// Where to break in the first `window` bytes: where the piece ends, and where the next one begins. White space
/// can be a part of a grapheme (with an accent on it), and stays with it.
fn best_break(rest: &str, window: usize) -> (usize, usize) {
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

/// The fence a line opens: three or more backticks (with no further one on the line) or tildes, after
/// blanks, quotation marks and at most one list marker.
fn opens(line: &str) -> Option<Fence> {
    let line = line.trim_end_matches(['\n', '\r']);
    let margin_len = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    let (margin, body) = line.split_at(margin_len);
    let body = after_list_marker(body);
    let mark = body.chars().next().filter(|c| *c == '`' || *c == '~')?;
    let marker: String = body.chars().take_while(|c| *c == mark).collect();
    let info = &body[marker.len()..];
    if marker.len() < 3 || (mark == '`' && info.contains('`')) {
        return None;
    }
    Some(Fence {
        opener: format!("{margin}{marker}{info}"),
        margin: margin.to_owned(),
        marker,
    })
}

fn after_list_marker(body: &str) -> &str {
    let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marker = if digits > 0 { digits + 1 } else { 1 };
    let is_marker = match body.as_bytes().get(marker - 1) {
        Some(b'.' | b')') => digits > 0,
        Some(b'-' | b'*' | b'+') => digits == 0,
        _ => false,
    };
    match body.get(marker..) {
        Some(rest) if is_marker && rest.starts_with([' ', '\t']) => rest.trim_start_matches([' ', '\t']),
        _ => body,
    }
}

fn closes(line: &str, fence: &Fence) -> bool {
    let body = line.trim_start_matches([' ', '\t', '>']).trim_end();
    body.len() >= fence.marker.len()
        && body.starts_with(&fence.marker)
        && body.chars().all(|c| fence.marker.starts_with(c))
}

/// Where the open fence's line begins, if nothing but that line lies between it and the end of `text`.
fn opener_start(text: &str, fence: &Fence) -> Option<usize> {
    let text = text.trim_end();
    let start = text.rfind('\n').map_or(0, |i| i + 1);
    let line = opens(&text[start..])?;
    (line.marker == fence.marker && line.opener == fence.opener).then_some(start)
}

/// All messages of a complete text.
pub fn split(text: &str, limit: Limit) -> Vec<Piece> {
    let mut splitter = Splitter::default();
    let mut pieces: Vec<Piece> = std::iter::from_fn(|| splitter.next_full(text, limit, true)).collect();
    pieces.extend(splitter.rest(text));
    pieces
}

#[cfg(test)]
mod tests;
