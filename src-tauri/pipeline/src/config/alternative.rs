//! The backends that step in for a backend that cannot answer.

use super::Backend;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::IntoDeserializer as _};
use std::fmt;

/// A backend, or another model of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^(script|openai|anthropic|acp|letta)(/.+)?$"))]
pub struct Alternative {
    /// The backend.
    pub backend: Backend,
    /// The model, where it is another one than the backend's own.
    pub model: Option<String>,
}

impl TryFrom<String> for Alternative {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        // The names of models have slashes too.
        let (backend, model) = match text.split_once('/') {
            Some((backend, model)) => (backend, Some(model)),
            None => (text.as_str(), None),
        };
        let wrong =
            || format!("{text:?} is no backend; write it like \"anthropic\" or \"openai/gpt-5-mini\"");
        let name: serde::de::value::StrDeserializer<'_, serde::de::value::Error> =
            backend.into_deserializer();
        let backend = Backend::deserialize(name).map_err(|_| wrong())?;
        let has_models = matches!(backend, Backend::Openai | Backend::Anthropic | Backend::Letta);
        match model {
            Some("") => Err(wrong()),
            Some(_) if !has_models => Err(format!(
                "{text:?}: {} has no models to choose from",
                backend.code()
            )),
            model => Ok(Self {
                backend,
                model: model.map(str::to_owned),
            }),
        }
    }
}

impl From<Alternative> for String {
    fn from(alternative: Alternative) -> Self {
        alternative.to_string()
    }
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.backend.code())?;
        self.model.iter().try_for_each(|model| write!(f, "/{model}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_a_backend_with_or_without_a_model() {
        for text in [
            "anthropic",
            "openai/gpt-5-mini",
            "openai/qwen/qwen3-8b:free",
            "acp",
            "letta/agent-1",
        ] {
            let read = Alternative::try_from(text.to_owned()).expect(text);
            assert_eq!(String::from(read), text);
        }
        let model = |text: &str| Alternative::try_from(text.to_owned()).expect(text).model;
        assert_eq!(model("openai/qwen/qwen3"), Some("qwen/qwen3".to_owned()));
        for (wrong, words) in [
            ("claude", "is no backend"),
            ("", "is no backend"),
            ("openai/", "is no backend"),
            ("Openai", "is no backend"),
            ("acp/x", "has no models"),
        ] {
            let error = Alternative::try_from(wrong.to_owned()).expect_err(wrong);
            assert!(error.contains(words), "{error}");
        }
    }
}
