//! JSON that stands in a prompt.

use foldback_wire::is_invisible;
use std::fmt::Write as _;

/// Escapes, inside JSON strings, what could end the code fence, open a tag or hide text from a reader:
/// still the same JSON. None of these characters occurs in JSON outside strings.
pub(super) fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        let hidden = c.is_control() || is_invisible(c);
        if matches!(c, '<' | '>' | '&' | '`' | '#') || hidden {
            // JSON escapes code units of UTF-16.
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing into a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}
