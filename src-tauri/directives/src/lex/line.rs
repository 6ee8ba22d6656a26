//! Where on its line of the clean text the reader stands.

use super::is_blank;

/// What the line holds so far, as far as it decides whether a fence may open here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    /// Blanks and `>` marks only.
    Lead,
    /// The digits of what may be a list marker.
    Digits(u8),
    /// A complete list marker, which needs a blank.
    Marker,
    /// A list marker and blanks.
    Listed,
    /// White space that is no blank.
    Odd,
    /// Anything else.
    Body,
}

/// The line the reader is on, fed with text and white space, never with what was stripped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    prefix: Prefix,
    white: bool,
}

impl Line {
    pub(crate) const START: Self = Self {
        prefix: Prefix::Lead,
        white: true,
    };

    /// Whether only white space stands on the line so far.
    pub(crate) fn only_white(self) -> bool {
        self.white
    }

    /// Whether a fence may open here.
    pub(crate) fn opens_fence(self) -> bool {
        matches!(self.prefix, Prefix::Lead | Prefix::Listed)
    }

    /// Whether nothing more can be learnt before the next line break.
    pub(crate) fn is_body(self) -> bool {
        self.prefix == Prefix::Body
    }

    pub(crate) fn feed(&mut self, c: char) {
        if c == '\n' {
            *self = Self::START;
            return;
        }
        let blank = c.is_ascii() && is_blank(c as u8);
        self.white &= c.is_whitespace();
        self.prefix = match (self.prefix, c) {
            (Prefix::Lead, '>' | ' ' | '\t') => Prefix::Lead,
            (Prefix::Lead, '0'..='9') => Prefix::Digits(1),
            (Prefix::Digits(n), '0'..='9') if n < 9 => Prefix::Digits(n + 1),
            (Prefix::Lead, '-' | '*' | '+') | (Prefix::Digits(_), '.' | ')') => Prefix::Marker,
            (Prefix::Marker | Prefix::Listed, _) if blank => Prefix::Listed,
            (Prefix::Lead | Prefix::Odd, _) if c.is_whitespace() && self.white => Prefix::Odd,
            _ => Prefix::Body,
        };
    }
}
