//! One action by itself: `{"type":"bash","payload":{"command":"df -h"}}`.
//!
//! Much else begins with `{"type"`: JSON Schemas, events, examples of an interface that a person asked for. An action
//! is told apart by the order of its keys, so that all else is text as early as that is known:
//!
//! ```text
//! {"type":"object","properties":{}}       text from `pr` on: the second key is not `payload`
//! {"type":1,"payload":{}}                 text from `1` on: no string
//! {"type":"text","payload":"hi"}          text from `"hi` on: no object
//! {"type":"bash","payload":{},"meta":{}}  an action: `meta` is a key that may follow
//! {"type":"push","payload":{},"ref":"x"}  text from `r` on: `ref` is none
//! {"type":"bash","payload":{"a":}}        malformed: dropped and reported, as `actions` is
//! ```
//!
//! - The first key is `type`, with a string; the second is `payload`, with an object. Behind them stand any of
//!   [`LATER`], which mean nothing here; of any other key, a second `type` or `payload` too, the value is text.
//! - From the `{` of the payload on, what is no JSON or does not end is a malformed action. Up to there it is text.
//! - It may stand where `actions` may. No other line is asked about: as an item of a list whose items have lines of
//!   their own, without a fence, each acts.
//! - Nothing within a value that a later key made text is a value of its own: what was read once is not probed again,
//!   also where many stand in one another.

use crate::lex::is_tag_space;

/// The second key, with the quote that ends it.
pub(super) const PAYLOAD: &[u8] = b"payload\"";

/// The keys that may follow, each with the quote that ends it.
const LATER: [&[u8]; 5] = [
    b"interface\"",
    b"description\"",
    b"meta\"",
    b"safe\"",
    b"metadata\"",
];

/// The place in `{"type":"…","payload":{`, from the colon behind `type` on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Head {
    /// The string of `type` is to begin.
    Quote,
    /// In that string; `true` behind a backslash.
    Name(bool),
    Comma,
    /// The second key is to begin.
    KeyQuote,
    /// The number of bytes of [`PAYLOAD`] have been read.
    Key(usize),
    Colon,
    /// The payload is to begin.
    Brace,
}

/// The effect of a byte of the head.
pub(super) enum Headed {
    On(Head),
    /// The `{` of the payload: this is an action.
    Payload,
    Text,
}

impl Head {
    pub(super) fn after(self, b: u8) -> Headed {
        Headed::On(match self {
            // No line break stands in a string, so that no other value begins in it.
            Self::Name(_) if b < b' ' => return Headed::Text,
            Self::Name(true) => Self::Name(false),
            Self::Name(false) if b == b'"' => Self::Comma,
            Self::Name(false) => Self::Name(b == b'\\'),
            Self::Key(read) if PAYLOAD[read] != b => return Headed::Text,
            Self::Key(read) if read + 1 == PAYLOAD.len() => Self::Colon,
            Self::Key(read) => Self::Key(read + 1),
            Self::Quote | Self::Comma | Self::KeyQuote | Self::Colon | Self::Brace if is_tag_space(b) => self,
            Self::Quote if b == b'"' => Self::Name(false),
            Self::Comma if b == b',' => Self::KeyQuote,
            Self::KeyQuote if b == b'"' => Self::Key(0),
            Self::Colon if b == b':' => Self::Brace,
            Self::Brace if b == b'{' => return Headed::Payload,
            Self::Quote | Self::Comma | Self::KeyQuote | Self::Colon | Self::Brace => return Headed::Text,
        })
    }
}

/// A key behind the payload: which of [`LATER`] it may be, and how many of its bytes have been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Later {
    may_be: [bool; LATER.len()],
    read: usize,
}

impl Later {
    /// No byte has been read.
    pub(super) const START: Self = Self {
        may_be: [true; LATER.len()],
        read: 0,
    };

    /// The key with one more byte; `None` where it is none that may follow.
    pub(super) fn after(mut self, b: u8) -> Option<Self> {
        for (may_be, key) in self.may_be.iter_mut().zip(LATER) {
            *may_be &= key.get(self.read) == Some(&b);
        }
        self.read += 1;
        self.may_be.contains(&true).then_some(self)
    }

    /// True where all of a key has been read, with its quote.
    pub(super) fn is_whole(&self) -> bool {
        let mut keys = self.may_be.iter().zip(LATER);
        keys.any(|(may_be, key)| *may_be && key.len() == self.read)
    }
}
