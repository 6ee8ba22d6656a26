//! Redaction of text that is no assistant message: whole, in pieces, and length for length.

use super::{MASK, Patterns, find::Finder};
use crate::Span;
use std::{borrow::Cow, sync::Arc};

impl Patterns {
    /// The text with every secret masked.
    pub fn redact<'a>(self: &Arc<Self>, text: &'a str) -> Cow<'a, str> {
        let mut finder = Finder::new(Arc::clone(self));
        finder.push(text);
        finder.finish();
        let mut out = String::new();
        let mut done = 0;
        loop {
            let start = finder.decided();
            let Some(stretch) = finder.next() else { break };
            if stretch.secret {
                // What follows a secret without a byte between is part of it.
                if start > done || done == 0 {
                    out.push_str(&text[done..start]);
                    out.push_str(MASK);
                }
                done = stretch.end;
            }
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }

    /// Whether a secret stands in the text.
    pub fn finds(self: &Arc<Self>, text: &str) -> bool {
        matches!(self.redact(text), Cow::Owned(_))
    }
}

/// Masks secrets in a text that comes in pieces. What may be the beginning of one waits.
#[derive(Debug, Clone)]
pub struct TextRedactor {
    finder: Finder,
    /// What is not decided.
    rest: String,
    in_mask: bool,
}

impl TextRedactor {
    /// For one text.
    pub fn new(patterns: &Arc<Patterns>) -> Self {
        Self {
            finder: Finder::new(Arc::clone(patterns)),
            rest: String::new(),
            in_mask: false,
        }
    }

    /// Reads on; answers what is decided.
    pub fn push(&mut self, text: &str) -> String {
        self.rest.push_str(text);
        self.finder.push(text);
        self.decided()
    }

    /// Nothing follows; answers the rest.
    pub fn finish(mut self) -> String {
        self.finder.finish();
        self.decided()
    }

    fn decided(&mut self) -> String {
        let from = self.finder.decided();
        let mut at = from;
        let mut out = String::new();
        while let Some(stretch) = self.finder.next() {
            if !stretch.secret {
                out.push_str(&self.rest[at - from..stretch.end - from]);
            } else if !self.in_mask {
                out.push_str(MASK);
            }
            self.in_mask = stretch.secret;
            at = stretch.end;
        }
        self.rest.drain(..at - from);
        out
    }
}

/// Masks secrets in raw text length for length, so that byte offsets into it stay true: `#` and then `*` for
/// each further byte. Five bytes and more of that are known again (the secret `masked`), so that what is read
/// from a masked text shows the same as what was read from the text itself.
#[derive(Debug, Clone)]
pub struct RawRedactor {
    finder: Finder,
    /// Secrets not yet taken, by their bytes, in no order.
    secrets: Vec<Span>,
    /// Text not yet taken.
    rest: String,
    taken: usize,
    in_mask: bool,
}

impl RawRedactor {
    /// For the raw text of one assistant message.
    pub fn new(patterns: &Arc<Patterns>) -> Self {
        Self {
            finder: Finder::new(Arc::clone(patterns)),
            secrets: Vec::new(),
            rest: String::new(),
            taken: 0,
            in_mask: false,
        }
    }

    /// Reads on.
    pub fn push(&mut self, text: &str) {
        self.rest.push_str(text);
        self.finder.push(text);
        self.look();
    }

    /// Nothing follows.
    pub fn finish(&mut self) {
        self.finder.finish();
        self.look();
    }

    /// Masks bytes besides: part of a secret that is one only when what lies between is gone.
    pub fn mask(&mut self, span: Span) {
        self.secrets.push(span);
    }

    /// How many bytes are decided.
    pub const fn decided(&self) -> usize {
        self.finder.decided()
    }

    /// Takes the masked text up to this byte, whether it is decided or not; a character is taken whole.
    pub fn take_to(&mut self, end: usize) -> (Span, String) {
        let mut length = end.saturating_sub(self.taken).min(self.rest.len());
        while !self.rest.is_char_boundary(length) {
            length += 1;
        }
        let span = Span::new(self.taken, self.taken + length);
        let rest = self.rest.split_off(length);
        let text = std::mem::replace(&mut self.rest, rest);
        self.taken = span.end;
        self.secrets.sort_unstable();
        let mut out = String::with_capacity(length);
        let mut at = span.start;
        for secret in &self.secrets {
            let (from, to) = (secret.start.max(at), secret.end.min(span.end));
            if from >= to {
                continue;
            }
            if from > at {
                out.push_str(&text[at - span.start..from - span.start]);
                self.in_mask = false;
            }
            out.extend((from..to).map(|_| {
                if std::mem::replace(&mut self.in_mask, true) {
                    '*'
                } else {
                    '#'
                }
            }));
            at = to;
        }
        if at < span.end {
            out.push_str(&text[at - span.start..]);
            self.in_mask = false;
        }
        self.secrets.retain(|secret| secret.end > span.end);
        (span, out)
    }

    fn look(&mut self) {
        loop {
            let start = self.finder.decided();
            let Some(stretch) = self.finder.next() else { return };
            if stretch.secret {
                self.secrets.push(Span::new(start, stretch.end));
            }
        }
    }
}
