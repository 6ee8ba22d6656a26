//! Sizes and spans of time, written as people write them.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{fmt, str::FromStr, time::Duration};

/// A number of bytes: `50MB` (50,000,000), `16KiB` (16,384), or plain digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSize(pub u64);

/// A span of time: `1500ms`, `6s`, `10m`, `2h`, `90d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval(pub Duration);

const SIZES: &[(&str, u64)] = &[
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("kB", 1_000),
    ("B", 1),
    ("", 1),
];

const SPANS: &[(&str, u64)] = &[
    ("ms", 1),
    ("s", 1_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];

/// Digits and a unit of `units`, multiplied.
fn quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let digits = text.len()
        - text
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')
            .len();
    let number: u64 = text[..digits].replace('_', "").parse().ok()?;
    let (_, factor) = units
        .iter()
        .find(|(unit, _)| *unit == text[digits..].trim_start())?;
    number.checked_mul(*factor)
}

/// The largest unit that divides `value`, with the quotient.
fn shortest(value: u64, units: &[(&'static str, u64)]) -> String {
    let fits = units
        .iter()
        .filter(|(unit, f)| !unit.is_empty() && value.is_multiple_of(*f) && value >= *f);
    match fits.max_by_key(|(_, f)| *f) {
        Some((unit, factor)) => format!("{}{unit}", value / factor),
        None => format!(
            "{value}{}",
            units.iter().find(|(_, f)| *f == 1).map_or("", |(unit, _)| unit)
        ),
    }
}

impl Interval {
    /// So many milliseconds.
    pub const fn millis(n: u64) -> Self {
        Self(Duration::from_millis(n))
    }

    /// So many seconds.
    pub const fn seconds(n: u64) -> Self {
        Self(Duration::from_secs(n))
    }

    /// So many minutes.
    pub const fn minutes(n: u64) -> Self {
        Self(Duration::from_secs(n * 60))
    }

    /// So many days of 24 hours.
    pub const fn days(n: u64) -> Self {
        Self(Duration::from_hours(n * 24))
    }
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a size; write it like \"50MB\" or \"16KiB\"");
        quantity(text, SIZES).map(Self).ok_or_else(wrong)
    }
}

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a span of time; write it like \"1500ms\", \"6s\" or \"10m\"");
        quantity(text, SPANS)
            .map(|ms| Self(Duration::from_millis(ms)))
            .ok_or_else(wrong)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shortest(self.0, &SIZES[3..8]))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shortest(
            u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX),
            SPANS,
        ))
    }
}

macro_rules! as_text {
    ($name:ident, $example:literal, $pattern:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "pattern": $pattern, "examples": [$example]})
            }
        }
    };
}

pub(super) use as_text;

as_text!(ByteSize, "50MB", "^[0-9_]+ ?([kKMG]B|[KMG]iB|B)?$");
as_text!(Interval, "1500ms", "^[0-9_]+ ?(ms|s|m|h|d)$");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!("50MB".parse(), Ok(ByteSize(50_000_000)));
        assert_eq!("16 KiB".parse(), Ok(ByteSize(16_384)));
        assert_eq!("1_000".parse(), Ok(ByteSize(1_000)));
        assert_eq!(ByteSize(50_000_000).to_string(), "50MB");
        assert_eq!(ByteSize(1_234).to_string(), "1234B");
        assert!("fifty".parse::<ByteSize>().is_err());
        assert!("99999999999GB".parse::<ByteSize>().is_err());
    }

    #[test]
    fn spans() {
        assert_eq!("10m".parse(), Ok(Interval::minutes(10)));
        assert_eq!("1500ms".parse(), Ok(Interval::millis(1_500)));
        assert_eq!("90d".parse(), Ok(Interval::days(90)));
        assert_eq!(Interval::days(90).to_string(), "90d");
        assert_eq!(Interval::seconds(6).to_string(), "6s");
        assert_eq!(Interval::millis(1_500).to_string(), "1500ms");
        assert_eq!(Interval::millis(0).to_string(), "0ms");
        assert!("10".parse::<Interval>().is_err());
    }
}
