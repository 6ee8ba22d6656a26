//! Scaffolding that models leak: the table of elements, and how they are read.

use crate::closed::closed_set;

closed_set! {
    /// How a scaffolding element is read.
    pub enum GuardKind {
        Reasoning = "reasoning": "At a line start; its content goes to the reasoning lane.",
        Unwrap = "unwrap": "At a line start; its tags are removed, its content stays.",
        Strip = "strip": "Anywhere; stripped with its content.",
    }
}

/// One scaffolding element: a row of the guard's table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
pub struct GuardRow {
    /// The tag's name, lower case.
    pub name: String,
    /// How it is read.
    pub kind: GuardKind,
}

/// The built-in elements.
pub const GUARD: &[(&str, GuardKind)] = &[
    ("think", GuardKind::Reasoning),
    ("thinking", GuardKind::Reasoning),
    ("thought", GuardKind::Reasoning),
    ("reasoning", GuardKind::Reasoning),
    ("final", GuardKind::Unwrap),
    ("tool_call", GuardKind::Strip),
    ("tool_calls", GuardKind::Strip),
    ("function_call", GuardKind::Strip),
    ("function_calls", GuardKind::Strip),
    ("tool_result", GuardKind::Strip),
    ("system-reminder", GuardKind::Strip),
];

impl GuardRow {
    /// Reads `NAME` or `NAME:KIND`; without a kind it is stripped with its content.
    ///
    /// # Errors
    /// When the kind is none, or the name is not ASCII letters, digits, `_`, `.`, `:` and `-` after a letter
    /// or `_`; in words.
    pub fn parse(row: &str) -> Result<Self, String> {
        let (name, kind) = row.rsplit_once(':').unwrap_or((row, GuardKind::Strip.code()));
        let kind = GuardKind::from_code(kind.trim())
            .ok_or_else(|| format!("{row:?}: expected NAME:reasoning, NAME:unwrap or NAME:strip"))?;
        let name = name.trim().to_ascii_lowercase();
        let rest = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'-');
        match name.as_bytes() {
            [first, tail @ ..]
                if (first.is_ascii_alphabetic() || *first == b'_') && tail.iter().all(|b| rest(*b)) =>
            {
                Ok(Self { name, kind })
            }
            _ => Err(format!("{name:?} is no tag name")),
        }
    }
}
