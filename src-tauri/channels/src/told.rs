//! Parts of a platform's data that are told beside a message, read leniently: what is not there is not told.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;

/// Reads a field without which a message is a message all the same: one that holds something else counts as absent. Ids and
/// texts are never read so.
pub(crate) fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

/// A text that is not empty.
pub(crate) fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// An id, which is a text or a whole number.
pub(crate) fn id(value: &Value) -> Option<String> {
    text(value).or_else(|| value.as_i64().map(|number| number.to_string()))
}

/// A number as it is written.
pub(crate) fn decimal(value: &Value) -> Option<String> {
    value.as_number().map(ToString::to_string)
}
