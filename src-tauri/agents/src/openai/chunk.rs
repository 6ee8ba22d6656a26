//! The JSON of a chat completion, streamed or whole, read leniently: what is missing is missing, and unknown
//! fields are passed over.

use serde::{Deserialize, Deserializer, de};
use std::fmt;

/// A chunk of a stream, or a whole answer.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Chunk {
    #[serde(default)]
    pub(crate) id: Option<Label>,
    #[serde(default)]
    pub(crate) choices: Option<Vec<Choice>>,
    #[serde(default)]
    pub(crate) usage: Option<Tokens>,
    #[serde(default)]
    pub(crate) error: Option<ErrorBody>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    #[serde(default)]
    pub(crate) index: Option<u64>,
    /// In a stream.
    #[serde(default)]
    pub(crate) delta: Option<Delta>,
    /// In a whole answer.
    #[serde(default)]
    pub(crate) message: Option<Delta>,
    #[serde(default)]
    pub(crate) finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Delta {
    #[serde(default)]
    pub(crate) content: Option<Bytes>,
    /// As `DeepSeek`, vLLM and others name it.
    #[serde(default)]
    pub(crate) reasoning_content: Option<Bytes>,
    /// As `OpenRouter`, Ollama and others name it.
    #[serde(default)]
    pub(crate) reasoning: Option<Bytes>,
    #[serde(default)]
    pub(crate) refusal: Option<Bytes>,
    #[serde(default)]
    pub(crate) tool_calls: Option<Vec<ToolDelta>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ToolDelta {
    #[serde(default)]
    pub(crate) index: Option<u64>,
    #[serde(default)]
    pub(crate) id: Option<Label>,
    #[serde(default)]
    pub(crate) function: Option<FunctionDelta>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct FunctionDelta {
    #[serde(default)]
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) arguments: Option<Bytes>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Tokens {
    #[serde(default)]
    pub(crate) prompt_tokens: u64,
    #[serde(default)]
    pub(crate) completion_tokens: u64,
}

/// An error as backends write it: an object with some of these fields, or just a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    pub(crate) message: String,
    pub(crate) kind: String,
    pub(crate) code: String,
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

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<Bytes>,
}

impl<'de> Deserialize<'de> for ErrorBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Errors are short and rare: read what there is and pick.
        let value = serde_json::Value::deserialize(deserializer)?;
        let field = |name: &str| match value.get(name) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(serde_json::Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        Ok(match &value {
            serde_json::Value::String(text) => Self {
                message: text.clone(),
                ..Self::default()
            },
            _ => Self {
                // FastAPI servers call it `detail`.
                message: Some(field("message"))
                    .filter(|text| !text.is_empty())
                    .unwrap_or_else(|| field("detail")),
                kind: field("type"),
                code: field("code"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(json: &[u8]) -> Chunk {
        serde_json::from_slice(json).expect("a chunk")
    }

    fn content(json: &[u8]) -> Vec<u8> {
        let choices = chunk(json).choices.expect("choices");
        let delta = choices.into_iter().next().and_then(|choice| choice.delta);
        delta.and_then(|delta| delta.content).expect("content").0
    }

    #[test]
    fn text_may_hold_half_a_character() {
        assert_eq!(
            content(br#"{"choices":[{"delta":{"content":"a\ud83d"}}]}"#),
            b"a\xED\xA0\xBD"
        );
        assert_eq!(
            content(b"{\"choices\":[{\"delta\":{\"content\":\"\xF0\x9F\"}}]}"),
            b"\xF0\x9F"
        );
        assert_eq!(
            content(r#"{"choices":[{"delta":{"content":"é\n\u00e9"}}]}"#.as_bytes()),
            "é\né".as_bytes()
        );
    }

    #[test]
    fn text_may_come_in_parts() {
        let json = br#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"image"},{"text":"b"}]}}]}"#;
        assert_eq!(content(json), b"ab");
    }

    #[test]
    fn what_is_missing_or_null_is_missing() {
        let nulls = chunk(br#"{"id":null,"choices":null,"usage":null,"error":null,"new":{"deep":[1]}}"#);
        assert!(nulls.id.is_none() && nulls.choices.is_none() && nulls.error.is_none());
        let empty = chunk(br#"{"id":0,"choices":[{"delta":{"content":null,"tool_calls":null}}]}"#);
        assert_eq!(empty.id, Some(Label("0".to_owned())));
    }

    #[test]
    fn an_error_is_an_object_or_a_sentence() {
        let error = |json: &[u8]| chunk(json).error.expect("an error");
        assert_eq!(error(br#"{"error":"down"}"#).message, "down");
        let full = error(br#"{"error":{"message":"m","type":"t","code":502,"param":null}}"#);
        assert_eq!(
            (full.message.as_str(), full.kind.as_str(), full.code.as_str()),
            ("m", "t", "502")
        );
    }
}
