//! Errors as backends write them.

use serde::{Deserialize, Deserializer};

/// An error as backends write it: an object with some of these fields, or just a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    pub(crate) message: String,
    pub(crate) kind: String,
    pub(crate) code: String,
}

impl<'de> Deserialize<'de> for ErrorBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Errors are short and rare: read what there is and pick.
        let mut value = serde_json::Value::deserialize(deserializer)?;
        // Letta wraps its own into what FastAPI servers call `detail`.
        if let Some(detail) = value.get_mut("detail").filter(|detail| detail.is_object()) {
            value = detail.take();
        }
        let field = |name: &str| value.get(name).map(label).unwrap_or_default();
        Ok(Self {
            message: words(&value),
            // Letta calls it `error_type`.
            kind: Some(field("type"))
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| field("error_type")),
            code: field("code"),
        })
    }
}

/// A string or a number as text; nothing of what is neither.
fn label(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The sentence in an error: the error itself, or what it calls `message`, `detail` (`FastAPI`) or `error`. `LiteLLM`
/// 1.61 has an object in the place of the message.
fn words(error: &serde_json::Value) -> String {
    let inner = ["message", "detail", "error"]
        .into_iter()
        .filter_map(|name| error.get(name))
        .map(words);
    let mut candidates = std::iter::once(label(error)).chain(inner);
    candidates.find(|text| !text.is_empty()).unwrap_or_default()
}

/// The error in a refusal's body: `{"error": …}`, a bare error object, or the text itself.
pub(crate) fn error_in(body: &[u8]) -> ErrorBody {
    #[derive(Deserialize)]
    struct Wrapped {
        error: ErrorBody,
    }
    serde_json::from_slice::<Wrapped>(body)
        .map(|wrapped| wrapped.error)
        .or_else(|_| serde_json::from_slice(body))
        .unwrap_or_else(|_| ErrorBody {
            message: String::from_utf8_lossy(body).trim().to_owned(),
            ..ErrorBody::default()
        })
}
