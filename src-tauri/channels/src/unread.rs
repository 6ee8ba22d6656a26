//! Parts of a platform's data that cannot be read. Each part is read by itself, so that one unfamiliar value loses
//! neither the part beside it nor the message around it; what is lost is reported, and so becomes an event.

use crate::{Signal, SignalSink, Unreadable};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Display;

/// Most bytes of an unreadable part that are reported. The rest of it is only counted.
const SHOWN: usize = 4_096;

impl Unreadable {
    pub(crate) fn new(part: &'static str, error: &impl Display, raw: &[u8]) -> Self {
        let mut shown = String::from_utf8_lossy(&raw[..raw.len().min(SHOWN)]).into_owned();
        shown.truncate(shown.floor_char_boundary(SHOWN));
        Self {
            part,
            error: without_value(&error.to_string()),
            bytes: raw.len() as u64,
            raw: shown,
        }
    }

    /// Reports it. A closed sink ends the run by itself.
    pub(crate) async fn report(self, sink: &SignalSink) {
        let _ = sink.send(Signal::Unreadable(self)).await;
    }
}

/// The message of a serde error without the value that it quotes: `invalid type: string "hi", expected u64` becomes
/// `invalid type: string, expected u64`. A person may have written the value.
fn without_value(error: &str) -> String {
    // The value may hold these words too; what is expected stands behind it and is ours.
    let Some(at) = error
        .rfind(", expected ")
        .or_else(|| error.rfind(", there are no "))
    else {
        return error.to_owned();
    };
    let (found, expected) = error.split_at(at);
    let quote = found.find(['"', '`']).unwrap_or(found.len());
    format!("{}{expected}", found[..quote].trim_end())
}

/// Reads parts, and gathers those that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    failed: Vec<Unreadable>,
}

impl Reader {
    /// Reads a part; `None` for one that is absent or cannot be read.
    pub(crate) fn read<T: DeserializeOwned>(&mut self, part: &'static str, value: &Value) -> Option<T> {
        if value.is_null() {
            return None;
        }
        T::deserialize(value)
            .inspect_err(|error| self.fail(part, error, value))
            .ok()
    }

    /// Reads every item of a list that can be read. An absent list is empty.
    pub(crate) fn read_all<T: DeserializeOwned>(&mut self, part: &'static str, list: &Value) -> Vec<T> {
        match list {
            Value::Null => Vec::new(),
            Value::Array(items) => items.iter().filter_map(|item| self.read(part, item)).collect(),
            other => {
                self.fail(part, &"it is no list", other);
                Vec::new()
            }
        }
    }

    /// Notes that a part cannot be read.
    pub(crate) fn fail(&mut self, part: &'static str, error: &impl Display, value: &Value) {
        self.failed
            .push(Unreadable::new(part, error, value.to_string().as_bytes()));
    }

    /// Adds one that was read elsewhere.
    pub(crate) fn add(&mut self, unreadable: Unreadable) {
        self.failed.push(unreadable);
    }

    /// The parts that could not be read.
    pub(crate) fn into_failed(self) -> Vec<Unreadable> {
        self.failed
    }

    /// Reports the parts that could not be read.
    pub(crate) async fn report(self, sink: &SignalSink) {
        for failed in self.failed {
            failed.report(sink).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_items_that_can_be_read_are_and_the_others_are_told() {
        let mut reader = Reader::default();
        let read: Vec<u8> = reader.read_all("number", &json!([1, "two", 300, 4]));
        assert_eq!(read, [1, 4]);
        assert!(reader.read_all::<u8>("number", &Value::Null).is_empty());
        assert!(reader.read_all::<u8>("number", &json!({})).is_empty());
        let raw: Vec<_> = reader.failed.into_iter().map(|failed| failed.raw).collect();
        assert_eq!(raw, ["\"two\"", "300", "{}"]);
    }

    #[test]
    fn an_error_does_not_quote_what_somebody_wrote() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        enum Named {
            Other,
        }
        let errors = |value: Value| {
            let mut reader = Reader::default();
            assert!(reader.read::<u8>("number", &value).is_none());
            assert!(reader.read::<Named>("name", &value).is_none());
            let failed = reader.failed.into_iter();
            failed.map(|failed| failed.error).collect::<Vec<_>>()
        };
        assert_eq!(
            errors(json!("my \"secret\", expected u8")),
            [
                "invalid type: string, expected u8",
                "unknown variant, expected `other`"
            ]
        );
        assert_eq!(
            errors(json!({"a secret": 1}))[1],
            "unknown variant, expected `other`"
        );
    }

    #[test]
    fn at_most_four_kibibytes_are_shown_and_all_are_counted() {
        let long = Unreadable::new("frame", &"no JSON", "é".repeat(5_000).as_bytes());
        assert_eq!((long.bytes, long.raw.len()), (10_000, 4_096));
        let binary = Unreadable::new("frame", &"no text", &[0xff; 5_000]);
        assert!(binary.raw.len() <= SHOWN && binary.raw.starts_with('\u{fffd}'));
    }
}
