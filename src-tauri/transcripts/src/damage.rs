//! Places of a file that cannot be read.

use serde::{Serialize, Serializer};

/// A place that cannot be read; what stands there is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The line it begins on, from 1.
    pub line: u64,
    /// The byte it begins at, from 0.
    pub offset: u64,
    /// What is wrong with it.
    pub reason: DamageReason,
}

/// What is wrong with a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DamageReason {
    /// The file ends in the middle of it.
    CutOff,
    /// It is longer than the limit.
    TooLong,
    /// It is not UTF-8.
    NotUtf8,
    /// It is not JSON.
    NotJson,
    /// It is JSON of another kind than an object.
    NotAnObject,
    /// A field that its kind needs is missing or of another kind.
    MissingField,
}

impl DamageReason {
    /// The public name.
    pub const fn code(self) -> &'static str {
        match self {
            Self::CutOff => "cut_off",
            Self::TooLong => "too_long",
            Self::NotUtf8 => "not_utf8",
            Self::NotJson => "not_json",
            Self::NotAnObject => "not_an_object",
            Self::MissingField => "missing_field",
        }
    }

    /// One sentence for a person.
    pub const fn about(self) -> &'static str {
        match self {
            Self::CutOff => "The file ends in the middle of it.",
            Self::TooLong => "It is longer than the limit (--max-line).",
            Self::NotUtf8 => "It is not UTF-8.",
            Self::NotJson => "It is not JSON.",
            Self::NotAnObject => "It is not a JSON object.",
            Self::MissingField => "It lacks a field that its kind needs.",
        }
    }
}

impl Serialize for DamageReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
