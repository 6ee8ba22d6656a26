//! JSON as other programs write it: with escapes that no standard knows and halves of characters.

use crate::DamageReason;
use foldback_wire::Timestamp;
use serde_json::Value;

/// Reads a value; also one with `\x1F` escapes (Telegram) or with halves of surrogate pairs (JavaScript), which are
/// repaired. The second part says whether that was so.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Value, bool), DamageReason> {
    if std::str::from_utf8(bytes).is_err() {
        return Err(DamageReason::NotUtf8);
    }
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok((value, false)),
        Err(error) => {
            let cut_off = error.is_eof();
            let Some(repaired) = repair(bytes) else {
                return Err(if cut_off {
                    DamageReason::CutOff
                } else {
                    DamageReason::NotJson
                });
            };
            serde_json::from_slice(&repaired)
                .map(|value| (value, true))
                .map_err(|error| {
                    if error.is_eof() {
                        DamageReason::CutOff
                    } else {
                        DamageReason::NotJson
                    }
                })
        }
    }
}

/// The bytes with valid escapes; `None` where nothing is to be repaired.
fn repair(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = Vec::with_capacity(bytes.len());
    let mut changed = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte != b'\\' {
            repaired.push(*byte);
            at += 1;
            continue;
        }
        let rest = &bytes[at + 1..];
        match rest.first() {
            Some(b'x')
                if rest
                    .get(1..3)
                    .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
            {
                repaired.extend_from_slice(b"\\u00");
                repaired.extend_from_slice(&rest[1..3]);
                changed = true;
                at += 4;
            }
            Some(b'u') => {
                let unit = unit(rest);
                let pair = rest.get(5) == Some(&b'\\')
                    && rest
                        .get(6..)
                        .and_then(unit_of)
                        .is_some_and(|low| (0xdc00..0xe000).contains(&low));
                match unit {
                    Some(high) if (0xd800..0xdc00).contains(&high) && pair => {
                        repaired.extend_from_slice(&bytes[at..at + 12]);
                        at += 12;
                    }
                    Some(half) if (0xd800..0xe000).contains(&half) => {
                        repaired.extend_from_slice(b"\\ufffd");
                        changed = true;
                        at += 6;
                    }
                    _ => {
                        repaired.extend_from_slice(b"\\u");
                        at += 2;
                    }
                }
            }
            Some(other) => {
                repaired.extend_from_slice(&[b'\\', *other]);
                at += 2;
            }
            None => {
                repaired.push(b'\\');
                at += 1;
            }
        }
    }
    changed.then_some(repaired)
}

/// The code unit of `uXXXX`.
fn unit(escape: &[u8]) -> Option<u32> {
    let digits = escape
        .get(1..5)
        .filter(|hex| hex.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn unit_of(escape: &[u8]) -> Option<u32> {
    (escape.first() == Some(&b'u')).then(|| unit(escape)).flatten()
}

/// The text of a field.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// The text of a field that is a text or a number, as ids are.
pub(crate) fn id(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Elements of a field that is a list; none where it is not.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// True where a field is `true`.
pub(crate) fn flag(value: &Value, key: &str) -> bool {
    value.get(key) == Some(&Value::Bool(true))
}

/// The time of a field: RFC 3339, or a number of seconds or milliseconds since 1970.
pub(crate) fn time(value: &Value, key: &str) -> Option<Timestamp> {
    /// Smallest number that is taken for milliseconds: as seconds it would be the year 5138.
    const MILLISECONDS: f64 = 1e11;
    match value.get(key)? {
        Value::String(text) => Timestamp::parse(text),
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| (0.0..1e14).contains(number))?;
            let ms = if number >= MILLISECONDS {
                number
            } else {
                number * 1_000.0
            };
            Some(Timestamp(ms as i64))
        }
        _ => None,
    }
}

/// A value as text: a string as it is, everything else as JSON.
pub(crate) fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A value as JSON text; none where it is null.
pub(crate) fn json_text(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| words(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_that_no_standard_knows_are_repaired() {
        for (text, expected, repaired) in [
            (r#""a\x1Fb""#, "a\u{1f}b", true),
            (r#""\ud83d!""#, "\u{fffd}!", true),
            (r#""\ude00\ud83d\ude00""#, "\u{fffd}😀", true),
            (r#""\ud83d\ude00""#, "😀", false),
            (r#""\\x1F""#, "\\x1F", false),
        ] {
            let (value, was) = parse(text.as_bytes()).unwrap();
            assert_eq!((value.as_str().unwrap(), was), (expected, repaired), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (text, reason) in [
            (&b"{\"a\":"[..], DamageReason::CutOff),
            (b"{a}", DamageReason::NotJson),
            (b"\"\xff\"", DamageReason::NotUtf8),
            (b"\"\\xzz\\", DamageReason::NotJson),
        ] {
            assert_eq!(parse(text).err(), Some(reason), "{}", text.escape_ascii());
        }
    }
}
