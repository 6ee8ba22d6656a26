//! Attribute values as text: backslash quotes, then HTML references, once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The named references of HTML (WHATWG, "Named character references"): name, then code points, sorted.
const NAMED: &str = include_str!("references.txt");

/// Longest reference that is looked at, `&` and `;` included.
const MAX_REFERENCE: usize = 36;

/// The text of a raw value.
pub(crate) fn decode(raw: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\\', b'&', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let quoted = raw.replace("\\\"", "\"").replace("\\'", "'");
    let mut text = String::with_capacity(quoted.len());
    let mut rest = quoted.as_str();
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((decoded, len)) = reference(rest) {
            text.push_str(&decoded);
            rest = &rest[len..];
        } else {
            text.push('&');
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The reference at the start of `text`, and its length.
fn reference(text: &str) -> Option<(String, usize)> {
    let end = text.bytes().take(MAX_REFERENCE).position(|b| b == b';')?;
    let name = &text[1..end];
    let decoded = match name.strip_prefix('#') {
        None => named(name)?,
        Some(number) => {
            let (digits, radix) = match number.strip_prefix(['x', 'X']) {
                Some(hex) => (hex, 16),
                None => (number, 10),
            };
            if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
                return None;
            }
            let code = u32::from_str_radix(digits, radix).ok().filter(|code| *code != 0);
            code.and_then(char::from_u32)
                .unwrap_or(char::REPLACEMENT_CHARACTER)
                .to_string()
        }
    };
    Some((decoded, end + 1))
}

/// What a named reference stands for.
fn named(name: &str) -> Option<String> {
    static TABLE: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| NAMED.lines().filter_map(|line| line.split_once(' ')).collect());
    let points = TABLE.get(name)?.split(' ');
    points
        .map(|point| u32::from_str_radix(point, 16).ok().and_then(char::from_u32))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{NAMED, decode};

    #[test]
    fn references_are_decoded_once_and_only_when_ended() {
        assert_eq!(
            decode("&amp;lt; &lt &copy;&#65;&#x41; &NotEqualTilde;"),
            "&lt; &lt ©AA ≂̸"
        );
        assert_eq!(
            decode("&#0;&#xD800;&#x110000;&#99999999999;"),
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
        );
        assert_eq!(decode("&;&#;&#x;&nothing;&#+5;"), "&;&#;&#x;&nothing;&#+5;");
    }

    #[test]
    fn backslash_quotes_come_before_references() {
        assert_eq!(decode(r#"say \"a\" \'b\' \n &quot;"#), r#"say "a" 'b' \n ""#);
    }

    #[test]
    fn the_table_is_whole() {
        assert!(NAMED.lines().all(|line| {
            line.split_once(' ')
                .is_some_and(|(name, _)| super::named(name).is_some())
        }));
    }
}
