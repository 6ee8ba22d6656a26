//! An object whose `type` is the name of an action that the host has ([`Settings::action_names`](crate::Settings)).
//!
//! Another object is text as soon as it is not written as an action by itself. One that names an action is meant as one
//! where it has a payload, too, however it is written, and the person is not to see it:
//!
//! ```text
//! {"type":"bash","payload":"df -h"}         malformed: the payload is no object
//! {"type":"bash","payload":{},"id":"1"}     malformed: `id` is no key that may follow
//! {"type":"bash","id":"1","payload":{}}     malformed: the payload is not the second key
//! {"type":"bash","payload"                  malformed: it breaks off
//! {"type":"bash","command":"df -h"}         text, known at its end: it has no payload
//! {"type":"bash"}                           text
//! {"type":"bash" and more                   text from `a` on: no JSON
//! ```
//!
//! - `type` is its first key, and the name is written without escapes. Of any other object nothing changes.
//! - It is held until a key `payload` of its own was read, its end, or what cannot stand in JSON; not beyond the bound of a
//!   value. Then it is dropped and reported, or text.
//! - Nothing within one that is text is a value of its own, so that what was read once is not probed again.

use super::alone::PAYLOAD;
use crate::lex::is_tag_space;

/// More bytes than any part of [`PAYLOAD`] has: the key is another one.
const ANOTHER: usize = PAYLOAD.len();

/// The place in such an object while no key `payload` was read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Search {
    /// In the value of a key.
    Value {
        depth: usize,
        string: bool,
        escape: bool,
    },
    /// Behind a comma between two keys.
    Next,
    /// In a key: the number of bytes of [`PAYLOAD`] that it begins with, and whether a backslash comes before.
    Key { read: usize, escape: bool },
}

/// The effect of a byte of the search.
pub(super) enum Searched {
    On(Search),
    /// The end of the key `payload`.
    Payload,
    Text,
}

impl Search {
    /// Behind a key and its value, or before the value.
    const AT_KEYS: Self = Self::Value {
        depth: 1,
        string: false,
        escape: false,
    };

    pub(super) fn after(self, b: u8) -> Searched {
        Searched::On(match self {
            // No line break stands in a string.
            Self::Value { string: true, .. } | Self::Key { .. } if b < b' ' => return Searched::Text,
            Self::Value { string: false, .. } if !may_stand_in_json(b) => return Searched::Text,
            Self::Value {
                depth: 1,
                string: false,
                ..
            } if b == b',' => Self::Next,
            // The object ends without one.
            Self::Value {
                depth: 1,
                string: false,
                ..
            } if matches!(b, b'}' | b']') => return Searched::Text,
            Self::Value {
                depth,
                string,
                escape,
            } => {
                let depth = match b {
                    b'{' | b'[' if !string => depth + 1,
                    b'}' | b']' if !string => depth - 1,
                    _ => depth,
                };
                Self::Value {
                    depth,
                    string: string != (b == b'"' && !escape),
                    escape: b == b'\\' && string && !escape,
                }
            }
            Self::Next if is_tag_space(b) => Self::Next,
            Self::Next if b == b'"' => Self::Key {
                read: 0,
                escape: false,
            },
            Self::Next => return Searched::Text,
            Self::Key { escape: true, .. } => Self::Key {
                read: ANOTHER,
                escape: false,
            },
            Self::Key { read, .. } if PAYLOAD.get(read) == Some(&b) => {
                if read + 1 == PAYLOAD.len() {
                    return Searched::Payload;
                }
                Self::Key {
                    read: read + 1,
                    escape: false,
                }
            }
            Self::Key { .. } if b == b'"' => Self::AT_KEYS,
            Self::Key { .. } => Self::Key {
                read: ANOTHER,
                escape: b == b'\\',
            },
        })
    }
}

/// True of a byte of JSON outside its strings, as far as single bytes tell.
fn may_stand_in_json(b: u8) -> bool {
    is_tag_space(b) || b.is_ascii_alphanumeric() || b"{}[]:,\"+-.".contains(&b)
}
