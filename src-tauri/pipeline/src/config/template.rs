//! The words before an answer, with names in braces that a turn fills in: `{model}` or `{{model}}`.

use super::template_names::{PrefixName, TemplatePart, TemplateText, check_template, prefix_parts};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// Most characters of a value.
const VALUE: usize = 64;

/// A text with names in braces: `{model}`, `{provider}`, `{identity}`, `{think}`, in one pair of braces or in two.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Template(String);

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// In words, where it is too long or holds a name that is none.
    pub fn parse(written: &str) -> Result<Self, String> {
        check_template(TemplateText::ResponsePrefix, written)?;
        Ok(Self(written.to_owned()))
    }

    /// True where it says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }

    /// The text with every name filled in, in one line where the values are.
    pub(crate) fn fill(&self, value: impl Fn(PrefixName) -> String) -> String {
        let parts = prefix_parts(&self.0).map(|part| match part {
            TemplatePart::Words(text) => text.to_owned(),
            TemplatePart::Name(name) => {
                let value = value(name);
                let visible = value.chars().filter(|c| !c.is_control());
                visible.take(VALUE).collect()
            }
        });
        parts.collect()
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    fn filled(written: &str) -> String {
        let template = Template::parse(written).unwrap();
        template.fill(|name| format!("<{name:?}>"))
    }

    #[test]
    fn names_in_one_or_two_braces_are_filled_in_and_other_braces_are_text() {
        assert_eq!(
            filled("[{model} {{ provider }}/{identity}] ({think})"),
            "[<Model> <Provider>/<Identity>] (<Think>)"
        );
        assert_eq!(filled("{ } {a b} {"), "{ } {a b} {");
        assert_eq!(filled("{{model}"), "{<Model>");
        let long = Template::parse("{model}").unwrap();
        assert_eq!(long.fill(|_| "a\n".repeat(99)), "a".repeat(64));
    }

    #[test]
    fn an_unknown_name_is_refused_with_its_line() {
        for name in ["{modell}", "{{user}}", "{1}"] {
            let text = format!("[channels.slack]\nresponse_prefix = \"[{name}]\"\n");
            let error = parse(&text, std::path::Path::new("foldback.toml")).unwrap_err();
            let error = error.to_string();
            assert!(
                error.starts_with("foldback.toml:2:19: channels.slack.response_prefix: "),
                "{error}"
            );
            assert!(
                error.ends_with("there are {model}, {provider}, {identity}, {think}"),
                "{error}"
            );
        }
    }
}
