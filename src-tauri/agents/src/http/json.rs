//! JSON as backends write it, read leniently: what is missing is missing, and unknown fields are passed over.

use super::failure::Failure;
use serde::{Deserialize, Deserializer, de};
use std::{fmt, marker::PhantomData};

/// The data of an event as `T`.
pub(crate) fn parse<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(data).map_err(|error| Failure::malformed(&error))
}

/// What kind of event it is: the string in `field`, or nothing. The rest is looked at by its kind only, so that
/// what is new does no harm.
pub(crate) fn kind_of(data: &[u8], field: &str) -> Result<String, Failure> {
    struct Kinds<'a>(&'a str);

    impl<'de> de::Visitor<'de> for Kinds<'_> {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: de::MapAccess<'de>>(self, mut fields: A) -> Result<String, A::Error> {
            let mut kind = None;
            while let Some(name) = fields.next_key::<Label>()? {
                if name.0 == self.0 {
                    kind = fields.next_value::<Option<Label>>()?;
                } else {
                    fields.next_value::<de::IgnoredAny>()?;
                }
            }
            Ok(kind.map(|kind| kind.0).unwrap_or_default())
        }
    }

    let mut read = serde_json::Deserializer::from_slice(data);
    read.deserialize_map(Kinds(field))
        .and_then(|kind| read.end().map(|()| kind))
        .map_err(|error| Failure::malformed(&error))
}

/// An id or a code: a string, or a number for backends that count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) String);

/// Text as bytes: it may hold half a character, which a JSON string read as text would refuse.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Labels;

        impl de::Visitor<'_> for Labels {
            type Value = Label;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a number")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Label, E> {
                Ok(Label(text.to_owned()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Label, E> {
                Ok(Label(number.to_string()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Label, E> {
                Ok(Label(number.to_string()))
            }
        }

        deserializer.deserialize_any(Labels)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;

        impl<'de> de::Visitor<'de> for Texts {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of text parts")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }

            /// `[{"type": "text", "text": "…"}]`; parts of other types have no text.
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut parts: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(part) = parts.next_element::<Part>()? {
                    bytes.extend(part.text.unwrap_or_default().0);
                }
                Ok(Bytes(bytes))
            }
        }

        deserializer.deserialize_bytes(Texts)
    }
}

/// A list of at most `N` elements, counted while it is read: a megabyte of empty objects would otherwise become a
/// hundred megabytes of elements before anybody could look at them. A longer list is an error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AtMost<T, const N: usize>(pub(crate) Vec<T>);

impl<T, const N: usize> Default for AtMost<T, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for AtMost<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements<T, const N: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const N: usize> de::Visitor<'de> for Elements<T, N> {
            type Value = AtMost<T, N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of at most {N} elements")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut read: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = read.next_element()? {
                    if elements.len() == N {
                        return Err(de::Error::custom(format_args!(
                            "a list of more than {N} elements"
                        )));
                    }
                    elements.push(element);
                }
                Ok(AtMost(elements))
            }
        }

        deserializer.deserialize_seq(Elements(PhantomData))
    }
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<Bytes>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_refused_as_soon_as_it_is_too_long() {
        thread_local!(static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
        #[derive(Debug)]
        struct Counted;
        impl<'de> Deserialize<'de> for Counted {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                READ.set(READ.get() + 1);
                de::IgnoredAny::deserialize(deserializer).map(|_| Self)
            }
        }
        let list = |length: usize| format!("[{}]", vec!["{}"; length].join(","));
        let read = |length: usize| {
            READ.set(0);
            let read = parse::<AtMost<Counted, 16>>(list(length).as_bytes());
            (
                read.map(|list| list.0.len()).map_err(|failure| failure.fault),
                READ.get(),
            )
        };
        assert_eq!(read(16), (Ok(16), 16));
        assert_eq!(read(300_000), (Err(foldback_wire::AgentFault::Malformed), 17));
    }

    #[test]
    fn the_kind_is_found_beside_what_is_not_understood() {
        let kind = |json: &[u8]| kind_of(json, "type").map_err(|failure| failure.fault);
        assert_eq!(
            kind(br#"{"a":{"type":"b"},"type":"c","d":"\ud83d"}"#),
            Ok("c".to_owned())
        );
        assert_eq!(kind(b"{\"d\":\"\xF0\",\"type\":\"c\"}"), Ok("c".to_owned()));
        assert_eq!(kind(br#"{"type":null}"#), Ok(String::new()));
        for wrong in [
            b"[]".as_slice(),
            b"{\"type\":",
            b"{} {}",
            b"\"type\"",
            b"{\"type\":{}}",
        ] {
            assert_eq!(kind(wrong), Err(foldback_wire::AgentFault::Malformed));
        }
    }
}
