//! What an argument takes, and what was read.

use super::words::Word;

/// The longest duration: a hundred years. It keeps sums of durations far from the edge of the type.
const MAX_MS: f64 = 100.0 * 365.0 * 86_400_000.0;

/// What an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One of these words.
    Words(&'static [Word]),
    /// Any text without white space.
    Id,
    /// Milliseconds, or numbers with units `ms s m h d` one after another; decimals allowed.
    Duration,
    /// A whole number from 1 on.
    Count,
    /// `[provider/]model[@profile]`.
    Model,
}

impl Kind {
    /// Reads `text` as one of these, if it is one.
    pub(super) fn read(self, text: &str) -> Option<Value<'_>> {
        match self {
            Self::Words(words) => words.iter().position(|word| word.is(text)).map(Value::Word),
            Self::Id => (!text.is_empty()).then_some(Value::Text(text)),
            Self::Duration => duration(text).map(Value::Number),
            Self::Count => count(text).map(Value::Number),
            Self::Model => model(text).map(|(model, profile)| Value::Model(model, profile)),
        }
    }

    /// What it takes, in words for a person who wrote something else.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Words(words) => words
                .iter()
                .map(|word| word.canonical)
                .collect::<Vec<_>>()
                .join(", "),
            Self::Id => "an id".to_owned(),
            Self::Duration => "a duration such as 500, 2s or 1m30s".to_owned(),
            Self::Count => "a whole number from 1 on".to_owned(),
            Self::Model => "[provider/]model[@profile], an alias or a number".to_owned(),
        }
    }
}

/// One value that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'t> {
    /// An index into the words of its kind.
    Word(usize),
    Text(&'t str),
    Number(u64),
    Model(&'t str, Option<&'t str>),
    /// A flag stands there.
    Set,
}

impl<'t> Value<'t> {
    /// The value of a closed set whose words were read.
    pub(super) fn word<T: Copy>(self, all: &[T]) -> Option<T> {
        match self {
            Self::Word(index) => all.get(index).copied(),
            _ => None,
        }
    }

    pub(super) const fn text(self) -> &'t str {
        match self {
            Self::Text(text) | Self::Model(text, _) => text,
            _ => "",
        }
    }

    pub(super) const fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            _ => 0,
        }
    }

    pub(super) const fn model(self) -> (&'t str, Option<&'t str>) {
        match self {
            Self::Model(_, profile) => (self.text(), profile),
            _ => (self.text(), None),
        }
    }
}

fn count(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    // More than this many messages never wait; the limit keeps the number a number everywhere.
    text.parse()
        .ok()
        .filter(|n| digits && (1..=u64::from(u32::MAX)).contains(n))
}

/// Milliseconds. A bare number counts milliseconds; otherwise every number has a unit.
fn duration(text: &str) -> Option<u64> {
    let mut sum = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        if !number.starts_with(|c: char| c.is_ascii_digit()) || number.ends_with('.') {
            return None;
        }
        let number: f64 = number.parse().ok()?;
        let letters = tail
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" if rest.len() == text.len() => 1.0,
            "ms" => 1.0,
            "s" => 1_000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        sum += number * factor;
        rest = tail;
    }
    (!text.is_empty() && sum <= MAX_MS).then(|| sum.round() as u64)
}

/// The model, and the profile after the last `@`, unless a `/` follows that: then it belongs to the model.
fn model(text: &str) -> Option<(&str, Option<&str>)> {
    let (model, profile) = match text.rsplit_once('@') {
        Some((model, profile)) if !profile.contains('/') => (model, Some(profile)),
        _ => (text, None),
    };
    let segment = |part: &str| {
        part.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.:@-".contains(&b))
            && part.bytes().any(|b| b.is_ascii_alphanumeric())
    };
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    (starts && model.split('/').all(segment) && profile.is_none_or(segment)).then_some((model, profile))
}
