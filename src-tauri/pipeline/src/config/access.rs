//! Settings that say who may talk on a channel.

use crate::id::{ANYBODY, flaw};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{borrow::Cow, fmt};

/// The people who may write to the bot directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DmPolicy {
    /// Everybody on the list `allow_from`; an unknown sender gets a code, and an operator lets them in.
    Pairing,
    /// Everybody on the list `allow_from`.
    #[default]
    Allowlist,
    /// Everybody.
    Open,
    /// Nobody.
    Disabled,
}

/// The people who may write to the bot in groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupPolicy {
    /// Everybody on the list `group_allow_from`.
    #[default]
    Allowlist,
    /// Everybody.
    Open,
    /// Nobody.
    Disabled,
}

/// Words that count as a mention of the bot: a regular expression, in capitals or not.
#[derive(Debug, Clone)]
pub struct MentionPattern(Regex);

/// Longest compiled pattern in bytes; a list of names is far below.
const PATTERN_SIZE: usize = 1 << 18;

impl MentionPattern {
    /// The pattern of this text, or why it cannot be one.
    pub fn new(text: &str) -> Result<Self, String> {
        let compiled = RegexBuilder::new(text)
            .case_insensitive(true)
            .size_limit(PATTERN_SIZE)
            .build();
        let pattern = compiled.map_err(|error| {
            let error = error.to_string();
            let last = error.lines().last().unwrap_or(&error);
            format!(
                "this is no regular expression: {}",
                last.trim_start_matches("error: ")
            )
        })?;
        if pattern.is_match("") {
            return Err("this matches every text; require_mention = false says so plainly".to_owned());
        }
        Ok(Self(pattern))
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// True where a text names the bot. Signs without width, which keyboards put into names, do not count.
    pub(crate) fn names(&self, text: &str) -> bool {
        let wide = |sign: &char| {
            !matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
                | '\u{feff}')
        };
        if text.chars().all(|sign| wide(&sign)) {
            return self.0.is_match(text);
        }
        self.0.is_match(&text.chars().filter(wide).collect::<String>())
    }
}

impl PartialEq for MentionPattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for MentionPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MentionPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(PatternReader)
    }
}

/// Reads a pattern where it stands: its own place in a list is what an error names.
struct PatternReader;

impl de::Visitor<'_> for PatternReader {
    type Value = MentionPattern;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a regular expression in quotes")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<MentionPattern, E> {
        MentionPattern::new(text).map_err(E::custom)
    }
}

impl JsonSchema for MentionPattern {
    fn schema_name() -> Cow<'static, str> {
        "MentionPattern".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "regex", "examples": ["\\bfoldback\\b"]})
    }
}

/// A line of an allow list: an id, `provider:id`, or `*` for an id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListEntry<'a> {
    pub(crate) provider: Option<&'a str>,
    pub(crate) id: &'a str,
}

impl<'a> ListEntry<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        match text.split_once(':') {
            // Groups on Signal are `group:` and more.
            Some((provider, id)) if provider != "group" => Self {
                provider: Some(provider),
                id,
            },
            _ => Self {
                provider: None,
                id: text,
            },
        }
    }

    /// The mistake in it, if there is one.
    fn flaw(self) -> Option<String> {
        let id = (self.id != ANYBODY).then(|| flaw(self.id)).flatten();
        self.provider.and_then(flaw).or(id)
    }
}

/// Whether an entry names an id: `*`, the id, or either of a provider that is the channel's `own`.
pub(crate) fn names_id(entry: ListEntry<'_>, id: &str, own: impl Fn(&str) -> bool) -> bool {
    entry.provider.is_none_or(own) && (entry.id == ANYBODY || entry.id == id)
}

/// An entry as it is read: text that can be one, or a whole number, which TOML keeps exactly.
struct Written(String);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl Reader {
    fn entry<E: de::Error>(text: &str) -> Result<Written, E> {
        match ListEntry::of(text).flaw() {
            None => Ok(Written(text.to_owned())),
            Some(flaw) => Err(E::custom(flaw)),
        }
    }
}

impl de::Visitor<'_> for Reader {
    type Value = Written;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id in quotes, such as \"42\", \"telegram:42\" or \"*\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Written, E> {
        Self::entry(text)
    }

    fn visit_i64<E: de::Error>(self, id: i64) -> Result<Written, E> {
        Self::entry(&id.to_string())
    }

    fn visit_u64<E: de::Error>(self, id: u64) -> Result<Written, E> {
        Self::entry(&id.to_string())
    }

    fn visit_i128<E: de::Error>(self, id: i128) -> Result<Written, E> {
        Self::entry(&id.to_string())
    }

    fn visit_u128<E: de::Error>(self, id: u128) -> Result<Written, E> {
        Self::entry(&id.to_string())
    }

    fn visit_f64<E: de::Error>(self, id: f64) -> Result<Written, E> {
        Err(E::custom(format_args!(
            "{id:?} is a float, which cannot hold every id; write the id in quotes"
        )))
    }
}

/// Reads a list of ids.
pub(super) fn ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let written = Vec::<Written>::deserialize(deserializer)?;
    Ok(written.into_iter().map(|Written(id)| id).collect())
}

/// Reads a list of ids that need not be there.
pub(super) fn some_ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let written = Option::<Vec<Written>>::deserialize(deserializer)?;
    Ok(written.map(|written| written.into_iter().map(|Written(id)| id).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_on_signal_have_ids_with_a_colon() {
        for (text, provider) in [("group:AAAA=", None), ("signal:group:AAAA=", Some("signal"))] {
            let entry = ListEntry::of(text);
            assert_eq!((entry.provider, entry.id), (provider, "group:AAAA="));
        }
    }

    #[test]
    fn a_pattern_names_the_bot_in_capitals_or_not_and_through_signs_without_width() {
        let pattern = MentionPattern::new(r"\bfold(back)?\b").unwrap();
        assert!(pattern.names("hey FoldBack, hi") && pattern.names("fo\u{200b}ld?"));
        assert!(!pattern.names("blindfolded"));
    }
}
