//! Attribute values as text: backslash quotes, then HTML references, once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Source, first_of};

/// The named references of HTML (WHATWG, "Named character references"): name, then code points, sorted.
const NAMED: &str = include_str!("references.txt");

/// The references that nearly all are.
const COMMON: [(&str, &str); 5] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
];

/// The text of a raw value; `source` counts what was examined.
pub(crate) fn decode<'a>(source: &Source, raw: &'a str) -> Cow<'a, str> {
    let (mut text, mut rest) = (String::new(), raw);
    while let Some(at) = first_of(b'\\', b'&', b'&', rest.as_bytes()) {
        source.spend(at + 1);
        text.reserve(rest.len());
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        // No reference holds a quote, so one pass does for both.
        let read = match rest.as_bytes() {
            [b'\\', b'"' | b'\'', ..] => {
                text.push_str(&rest[1..2]);
                2
            }
            [b'&', ..] => reference(source, rest, &mut text).unwrap_or(0),
            _ => 0,
        };
        if read == 0 {
            text.push_str(&rest[..1]);
        }
        rest = &rest[read.max(1)..];
    }
    source.spend(rest.len());
    if rest.len() == raw.len() {
        return Cow::Borrowed(raw);
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Decodes the reference at the start of `text`; its length.
fn reference(source: &Source, text: &str, decoded: &mut String) -> Option<usize> {
    if let Some(number) = text.strip_prefix("&#") {
        let (meaning, len) = numbered(source, number)?;
        decoded.push(meaning);
        return Some(2 + len);
    }
    // A name ends where no letter or digit stands, so that none is read twice.
    let name = text[1..].bytes().take_while(u8::is_ascii_alphanumeric).count();
    source.spend(name + 1);
    let end = 1 + name;
    if text.as_bytes().get(end) != Some(&b';') {
        return None;
    }
    named(&text[1..end], decoded)?;
    Some(end + 1)
}

/// What the numeric reference stands for whose number begins `text`, and how far it goes, `;` included. It
/// has any number of digits: no other reference begins within them, so that none is read twice.
fn numbered(source: &Source, text: &str) -> Option<(char, usize)> {
    let (digits, radix) = match text.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let len = digits.find(|c: char| !c.is_digit(radix));
    source.spend(len.unwrap_or(digits.len()) + 1);
    let len = len?;
    if len == 0 || !digits[len..].starts_with(';') {
        return None;
    }
    let code = u32::from_str_radix(&digits[..len], radix);
    let meaning = code.ok().filter(|code| *code != 0).and_then(char::from_u32);
    let read = text.len() - digits.len() + len + 1;
    Some((meaning.unwrap_or(char::REPLACEMENT_CHARACTER), read))
}

/// Writes what a named reference stands for.
fn named(name: &str, decoded: &mut String) -> Option<()> {
    static TABLE: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| NAMED.lines().filter_map(|line| line.split_once(' ')).collect());
    if let Some((_, text)) = COMMON.iter().find(|(common, _)| *common == name) {
        decoded.push_str(text);
        return Some(());
    }
    for point in TABLE.get(name)?.split(' ') {
        decoded.push(u32::from_str_radix(point, 16).ok().and_then(char::from_u32)?);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::NAMED;
    use crate::lex::Source;

    fn decode(raw: &str) -> String {
        super::decode(&Source::default(), raw).into_owned()
    }

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
        assert_eq!(
            decode(&format!("&#{};&#{}65;", "9".repeat(99), "0".repeat(99))),
            "\u{FFFD}A"
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
                .is_some_and(|(name, _)| super::named(name, &mut String::new()).is_some())
        }));
    }
}
