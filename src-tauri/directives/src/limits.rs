//! The bounds of the grammar, as one table for documents.

use crate::{
    lex::{
        tag::{MAX_TAG, MAX_VALUE},
        ticks::MAX_SPAN,
    },
    scanner::{MAX_BLOCK, MAX_HEADER, MAX_PAIR},
};

/// One bound of the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitRow {
    /// The bounded thing.
    pub about: &'static str,
    /// Most bytes of UTF-8.
    pub bytes: usize,
    /// The fate of something longer.
    pub beyond: &'static str,
}

/// The bounds, in the order in which they are met.
pub const LIMITS: &[LimitRow] = &[
    LimitRow {
        about: "a quoted value of an attribute",
        bytes: MAX_VALUE,
        beyond: "the tag cannot be read",
    },
    LimitRow {
        about: "a tag",
        bytes: MAX_TAG,
        beyond: "it cannot be read",
    },
    LimitRow {
        about: "a block, from `<actions>` to the end of `</actions>`",
        bytes: MAX_BLOCK,
        beyond: "the directives at its start are taken, the rest is text",
    },
    LimitRow {
        about: "a `voice` or `send-message` outside a block, from its text to the end of its closing tag",
        bytes: MAX_PAIR,
        beyond: "it is text",
    },
    LimitRow {
        about: "what stands between `[[` and `]]`",
        bytes: MAX_HEADER,
        beyond: "it is text",
    },
    LimitRow {
        about: "code within a line, both runs of backticks included",
        bytes: MAX_SPAN,
        beyond: "it is no code",
    },
];
