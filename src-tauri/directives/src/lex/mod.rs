//! The lexical layer: the raw bytes and the small machines that read them without ever reading twice.

pub(crate) mod attribute;
pub(crate) mod decode;
pub(crate) mod line;
pub(crate) mod search;
pub(crate) mod tag;
pub(crate) mod ticks;

use std::cell::Cell;

use crate::Span;

/// The part of the raw message that is still needed, addressed by offsets into the whole message.
#[derive(Debug, Default)]
pub(crate) struct Source {
    base: usize,
    text: String,
    /// Whether the message has ended.
    pub(crate) ended: bool,
    last_angle: Option<usize>,
    work: Cell<u64>,
}

impl Source {
    pub(crate) fn push(&mut self, chunk: &str) {
        self.text.push_str(chunk);
    }

    /// One past the last byte that has arrived.
    pub(crate) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at - self.base).copied()
    }

    pub(crate) fn bytes(&self, start: usize, end: usize) -> &[u8] {
        &self.text.as_bytes()[start - self.base..end - self.base]
    }

    pub(crate) fn str(&self, span: Span) -> &str {
        &self.text[span.start - self.base..span.end - self.base]
    }

    /// The character at `at`, which lies on a character boundary.
    pub(crate) fn char(&self, at: usize) -> Option<char> {
        self.text[at - self.base..].chars().next()
    }

    /// At most `bytes` before `from`, as far as they are kept.
    pub(crate) fn back(&self, from: usize, bytes: usize) -> usize {
        let at = from.saturating_sub(self.base + bytes);
        self.base + self.text.floor_char_boundary(at)
    }

    /// Counts `bytes` as examined.
    pub(crate) fn spend(&self, bytes: usize) {
        if cfg!(debug_assertions) {
            self.work.set(self.work.get() + bytes as u64);
        }
    }

    /// Counts what was examined of another text.
    pub(crate) fn spend_like(&self, other: &Self) {
        self.work.set(self.work.get() + other.work.get());
    }

    /// How many bytes are kept.
    pub(crate) fn kept(&self) -> usize {
        self.text.len()
    }

    /// The last `>` that has arrived, found once the message has ended.
    pub(crate) fn last_angle(&self) -> Option<usize> {
        self.last_angle
    }

    /// Ends the message.
    pub(crate) fn end_message(&mut self) {
        self.ended = true;
        self.last_angle = memchr::memrchr(b'>', self.text.as_bytes()).map(|at| self.base + at);
        self.spend(self.text.len());
    }

    pub(crate) fn work(&self) -> u64 {
        self.work.get()
    }

    /// Gives back memory before `keep`. Moves the rest only when at least half goes, so that the moves cost
    /// no more than the bytes themselves.
    pub(crate) fn forget(&mut self, keep: usize) {
        let gone = keep - self.base;
        if gone == self.text.len() {
            self.text.clear();
        } else if gone > self.text.len() / 2 {
            self.spend(self.text.len() - gone);
            self.text.drain(..gone);
        } else {
            return;
        }
        self.base = keep;
    }

    /// Whether `word` stands at `at` in any ASCII case: `None` when the bytes so far agree but end too early.
    #[inline]
    pub(crate) fn stands(&self, at: usize, end: usize, word: &str) -> Option<bool> {
        let there = self.bytes(at, end.min(at + word.len()).max(at));
        self.spend(there.len().min(word.len()));
        if !same_word(there, &word.as_bytes()[..there.len()]) {
            return Some(false);
        }
        (there.len() == word.len()).then_some(true)
    }
}

/// White space inside tags.
pub(crate) const fn is_tag_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

pub(crate) const fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

/// Whether nothing but blanks stands between two line breaks, of which `first` and `second` are the LFs.
pub(crate) fn is_blank_line(source: &Source, first: usize, second: usize) -> bool {
    let between = source.bytes(first + 1, second);
    let between = between.strip_suffix(b"\r").unwrap_or(between);
    let blanks = between.iter().take_while(|b| is_blank(**b)).count();
    source.spend(blanks + 1);
    blanks == between.len()
}

pub(crate) const fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

pub(crate) const fn is_name(b: u8) -> bool {
    NAME[b as usize]
}

/// Names are most of what tags consist of, so their bytes are looked up.
pub(crate) static NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        table[b] = is_name_start(byte) || byte.is_ascii_digit() || matches!(byte, b'.' | b':' | b'-');
        b += 1;
    }
    table
};

/// Whether two words are the same in any ASCII case. Most differ in length or are written as they should be,
/// which is quicker to see.
#[inline]
pub(crate) fn same_word(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && (a == b || a.eq_ignore_ascii_case(b))
}

/// `text` without white space at its edges, and how much of it was at the start.
#[inline]
pub(crate) fn trimmed(text: &str) -> (usize, &str) {
    if let [first, .., last] = text.as_bytes()
        && first.is_ascii_graphic()
        && last.is_ascii_graphic()
    {
        return (0, text);
    }
    trimmed_edges(text)
}

fn trimmed_edges(text: &str) -> (usize, &str) {
    let start = white_len(text);
    let body = &text[start..];
    let Some(last) = body.bytes().rposition(|b| !is_tag_space(b)) else {
        return (start, "");
    };
    match body.as_bytes()[last] {
        b if b.is_ascii_graphic() => (start, &body[..=last]),
        _ => (start, body.trim_end()),
    }
}

/// The length of the white space at the start of `text`.
#[inline]
pub(crate) fn white_len(text: &str) -> usize {
    match text.bytes().position(|b| !is_tag_space(b)) {
        Some(first) if text.as_bytes()[first].is_ascii_graphic() => first,
        Some(_) => text.len() - text.trim_start().len(),
        None => text.len(),
    }
}

/// Where the first of three bytes stands. Values and deltas are short, where a plain look is quicker than a
/// call.
#[inline]
pub(crate) fn first_of(a: u8, b: u8, c: u8, bytes: &[u8]) -> Option<usize> {
    if bytes.len() < 16 {
        return bytes.iter().position(|at| *at == a || *at == b || *at == c);
    }
    memchr::memchr3(a, b, c, bytes)
}
