//! The places in a JSON value, with the fence that it may stand in.

use super::alone::{Head, Later};
use super::named::Search;

/// A place: those of the fence come first and last.
#[derive(Debug, Clone, Copy)]
pub(super) enum State {
    Marks,
    Info,
    Lead,
    Brace,
    /// Which of [`KEYS`], and how many of its bytes have been read.
    Key(usize, usize),
    FirstKey,
    Colon(usize),
    /// Of an action by itself, up to its payload.
    Head(Head),
    /// Of an action by itself: behind a comma that follows its payload.
    Next,
    Later(Later),
    /// Of an object that names an action, and is not written as one: up to its payload.
    Search(Search),
    Value {
        depth: usize,
        string: bool,
        escape: bool,
    },
    After,
    Close(usize),
    Rest,
}

/// The first keys that matter, with the quote that ends them; they differ in their first letter.
pub(super) const KEYS: [&[u8]; 3] = [b"actions\"", b"system_message\"", b"type\""];
pub(super) const ACTIONS: usize = 0;
pub(super) const TYPE: usize = 2;

/// Within the value, but in none of its strings and lists.
pub(super) const AT_ITS_KEYS: State = State::Value {
    depth: 1,
    string: false,
    escape: false,
};

impl State {
    /// As a place in a value that is known to be actions, without regard to what its keys are.
    pub(super) fn within(self) -> Option<Self> {
        match self {
            Self::Value { .. } => Some(self),
            Self::Next => Some(AT_ITS_KEYS),
            Self::Later(_) => Some(Self::Value {
                depth: 1,
                string: true,
                escape: false,
            }),
            _ => None,
        }
    }
}

/// The state after `b` within the value.
pub(super) fn inside(b: u8, depth: usize, string: bool, escape: bool) -> State {
    match b {
        _ if escape => State::Value {
            depth,
            string,
            escape: false,
        },
        b'\\' if string => State::Value {
            depth,
            string,
            escape: true,
        },
        b'"' => State::Value {
            depth,
            string: !string,
            escape: false,
        },
        b'{' | b'[' if !string => State::Value {
            depth: depth + 1,
            string,
            escape,
        },
        b'}' | b']' if !string && depth == 1 => State::After,
        b'}' | b']' if !string => State::Value {
            depth: depth - 1,
            string,
            escape,
        },
        _ => State::Value {
            depth,
            string,
            escape,
        },
    }
}
