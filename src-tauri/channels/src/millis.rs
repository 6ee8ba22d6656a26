//! Optional durations as whole milliseconds in JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Duration;

#[expect(clippy::ref_option, reason = "the signature that serde asks for")]
pub(crate) fn serialize<S: Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    duration
        .map(|d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
        .serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_millis))
}
