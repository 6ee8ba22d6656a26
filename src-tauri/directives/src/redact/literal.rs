//! Patterns for texts that are known: what is never masked, and credentials that always are.

use super::compile::is_word;
use std::fmt::Write as _;

/// The kind of secret that a credential known by its value is.
pub const CREDENTIAL: &str = "credential";
/// Shorter credentials are no patterns: as part of ordinary words they would be masked everywhere. In bytes.
const SHORTEST: usize = 8;
/// Longest part of a credential that is looked for as one, in bytes: less than what of a text may wait.
const LONGEST: usize = 256;

/// Patterns for a credential, wherever it stands and also as part of a word. A long one is looked for part by part:
/// masks without a byte between them are one.
pub(super) fn parts(credential: &str) -> impl Iterator<Item = String> {
    let bytes = credential.as_bytes();
    let count = bytes.len().div_ceil(LONGEST).max(1);
    let is_long_enough = bytes.len() >= SHORTEST;
    let parts = bytes.chunks(bytes.len().div_ceil(count).max(1));
    parts.filter(move |_| is_long_enough).map(exactly)
}

/// A pattern for this text and nothing else, not as part of a longer word.
pub(super) fn literally(text: &str) -> String {
    let boundary = |byte: Option<&u8>| match byte {
        Some(byte) if is_word(*byte) => r"\b",
        _ => "",
    };
    let bytes = text.as_bytes();
    boundary(bytes.first()).to_owned() + &exactly(bytes) + boundary(bytes.last())
}

fn exactly(bytes: &[u8]) -> String {
    let mut pattern = String::with_capacity(bytes.len() * 4);
    for byte in bytes {
        // Writing into a string cannot fail.
        let _ = write!(pattern, r"\x{byte:02x}");
    }
    pattern
}
