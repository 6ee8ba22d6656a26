//! Platforms as a person writes them, in a configuration or a fixture: one that has no row is a mistake there.

use super::{ROWS, from_code};
use foldback_wire::Platform;
use serde::{Deserialize, Deserializer, de::Error as _};
use std::borrow::Cow;

/// A platform that has a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownPlatform(pub Platform);

impl<'de> Deserialize<'de> for KnownPlatform {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = Cow::<str>::deserialize(deserializer)?;
        from_code(&code).map(Self).ok_or_else(|| {
            // In the words of the parsers, to which a suggestion is added.
            let known: Vec<_> = ROWS.iter().map(|row| format!("`{}`", row.platform)).collect();
            let known = known.join(", ");
            D::Error::custom(format_args!("unknown variant `{code}`, expected one of {known}"))
        })
    }
}

impl schemars::JsonSchema for KnownPlatform {
    fn schema_name() -> Cow<'static, str> {
        "KnownPlatform".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let each: Vec<_> = ROWS
            .iter()
            .map(|row| serde_json::json!({ "const": row.platform.code(), "description": row.about }))
            .collect();
        schemars::json_schema!({ "description": "A platform.", "oneOf": each })
    }
}

/// Reads a platform that has a row.
///
/// # Errors
/// Names the known ones for any other.
pub fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Platform, D::Error> {
    KnownPlatform::deserialize(deserializer).map(|known| known.0)
}

/// Reads a platform that has a row, where there may be none.
///
/// # Errors
/// Those of [`one`].
pub fn option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Platform>, D::Error> {
    Ok(Option::<KnownPlatform>::deserialize(deserializer)?.map(|known| known.0))
}

/// Reads platforms that have rows.
///
/// # Errors
/// Those of [`one`].
pub fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Platform>, D::Error> {
    let known = Vec::<KnownPlatform>::deserialize(deserializer)?;
    Ok(known.into_iter().map(|known| known.0).collect())
}
