//! Forms of ids that several platforms share.

use foldback_wire::Timestamp;

/// Whether a text is 1 to `most` digits.
pub(super) fn is_digits(text: &str, most: usize) -> bool {
    !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit())
}

/// The digits of a phone number, without its plus: <https://www.itu.int/rec/T-REC-E.164> allows at most 15.
pub(super) fn is_phone_digits(digits: &str) -> bool {
    (7..=15).contains(&digits.len()) && is_digits(digits, 15) && !digits.starts_with('0')
}

/// Whether a text is a phone number with its plus, as Signal writes them.
pub fn is_phone_number(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(is_phone_digits)
}

/// Milliseconds since 1970; 0 before it.
pub(super) fn millis(at: Timestamp) -> u64 {
    u64::try_from(at.0).unwrap_or(0)
}
