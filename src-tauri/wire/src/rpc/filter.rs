//! Texts of the filter language: what is wrong with one, and how it could go on.

use crate::Span;
use serde::{Deserialize, Serialize};

/// `filter_check`: is this a filter?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FilterText {
    /// The text.
    pub text: String,
}

/// The mistake in a filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FilterError {
    /// Bytes of the filter.
    pub span: Span,
    /// The mistake in words.
    pub message: String,
    /// The word that was probably meant, to put in place of the span.
    pub suggestion: Option<String>,
}

/// Answer of `filter_check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FilterCheck {
    /// The mistake; `None` when there is none.
    pub error: Option<FilterError>,
}

/// `filter_complete`: what could stand at the cursor?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FilterComplete {
    /// The text.
    pub text: String,
    /// Byte offset of the cursor.
    pub cursor: usize,
}

/// One proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Completion {
    /// Bytes to replace.
    pub span: Span,
    /// The text to put there.
    pub text: String,
    /// Its meaning.
    pub about: String,
}
