//! Values as typed and as written: quotes, lengths of time, sizes, times.

use foldback_wire::Timestamp;
use std::fmt;

/// A time, as typed: what is relative stays so until the filter is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// So many milliseconds before now.
    Ago(u64),
    /// This time.
    At(Timestamp),
}

impl When {
    /// The time meant now.
    pub(super) fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(ms) => Timestamp(now.0.saturating_sub_unsigned(ms)),
            Self::At(at) => at,
        }
    }

    /// `-5m`, `2026-11-21` (its first moment, in UTC) or RFC 3339.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(ago) = text.strip_prefix('-') {
            return duration(ago).map(Self::Ago);
        }
        Timestamp::parse(text)
            .or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")))
            .map(Self::At)
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ago(ms) => {
                f.write_str("-")?;
                write_duration(f, *ms)
            }
            Self::At(at) => at.fmt(f),
        }
    }
}

/// From large to small, as they are written; all but the last are tried in this order.
const DURATIONS: &[(&str, u64)] = &[
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// The first three are those written. Thousands, as in the limits of the configuration.
const SIZES: &[(&str, u64)] = &[
    ("g", 1_000_000_000),
    ("m", 1_000_000),
    ("k", 1_000),
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("ki", 1 << 10),
    ("mi", 1 << 20),
    ("gi", 1 << 30),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
];

/// Milliseconds.
pub(super) fn duration(text: &str) -> Option<u64> {
    measure(text, DURATIONS)
}

/// Bytes.
pub(super) fn size(text: &str) -> Option<u64> {
    measure(text, SIZES)
}

/// A turn's number, as it is shown or without the sign.
pub(super) fn number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    measure(digits, &[("", 1)]).filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))
}

/// A decimal number and a unit, exactly: what would need more than 53 bits is no value.
fn measure(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let (_, one) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.len() > 12 || fraction.contains('.') {
        return None;
    }
    let part = |digits: &str| {
        if digits.is_empty() {
            Some(0)
        } else {
            digits.parse::<u128>().ok()
        }
    };
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let all = part(whole)?.checked_mul(scale)?.checked_add(part(fraction)?)?;
    let value = all.checked_mul(u128::from(*one))? / scale;
    u64::try_from(value).ok().filter(|value| *value < 1 << 53)
}

pub(super) fn write_duration(f: &mut fmt::Formatter<'_>, ms: u64) -> fmt::Result {
    write_measure(f, ms, DURATIONS)
}

pub(super) fn write_size(f: &mut fmt::Formatter<'_>, bytes: u64) -> fmt::Result {
    write_measure(f, bytes, &SIZES[..4])
}

/// In the largest unit that gives a whole number.
fn write_measure(f: &mut fmt::Formatter<'_>, value: u64, units: &[(&str, u64)]) -> fmt::Result {
    match units
        .iter()
        .find(|(_, one)| value > 0 && value.is_multiple_of(*one))
    {
        Some((unit, one)) => write!(f, "{}{unit}", value / one),
        None => write!(f, "0{}", units.last().map_or("", |(unit, _)| unit)),
    }
}

/// Characters that end a value which is not in quotes.
pub(super) fn ends_value(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '|' | '(' | ')')
}

/// Characters that end a bare word.
pub(super) fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')')
}

/// Whether a text would be read as a field's test: a name and an operator. Gives the name's length.
pub(super) fn field_name(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'))?;
    let letter = text.starts_with(|c: char| c.is_ascii_alphabetic());
    (letter && text[end..].starts_with([':', '=', '<', '>'])).then_some(end)
}

/// Whether a text is a word of the grammar.
pub(super) fn is_keyword(text: &str) -> bool {
    ["and", "or", "not"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(text))
}

pub(super) fn write_word(f: &mut fmt::Formatter<'_>, word: &str) -> fmt::Result {
    let special = word.is_empty()
        || word.starts_with(['-', '/', '"'])
        || word.contains(ends_word)
        || is_keyword(word)
        || field_name(word).is_some();
    if special {
        write_quoted(f, word)
    } else {
        f.write_str(word)
    }
}

pub(super) fn write_value(f: &mut fmt::Formatter<'_>, value: &str) -> fmt::Result {
    let special = value.is_empty() || value.starts_with('"') || value.contains(ends_value);
    if special {
        write_quoted(f, value)
    } else {
        f.write_str(value)
    }
}

pub(super) fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A pattern between slashes.
pub(super) fn escape_slashes(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '/' => escaped.push_str("\\/"),
            '\\' => escaped.extend([c].into_iter().chain(chars.next())),
            _ => escaped.push(c),
        }
    }
    escaped
}
