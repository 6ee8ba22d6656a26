//! Texts of the configuration with names in braces, which a turn fills in: `{model}` or `{{model}}`. A name that is not in
//! the table is an error of the configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// Longest template, in characters: it stands before an answer.
const LONGEST: usize = 200;
/// Most characters of a value.
const VALUE: usize = 64;

/// The names that a template may have, each with what it stands for.
const NAMES: [(TemplateName, &str); 4] = [
    (TemplateName::Model, "model"),
    (TemplateName::Provider, "provider"),
    (TemplateName::Identity, "identity"),
    (TemplateName::Think, "think"),
];

/// A name that a turn fills in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TemplateName {
    /// The model that answers.
    Model,
    /// The backend that answers.
    Provider,
    /// The agent's name, of `agent.name`.
    Identity,
    /// The level at which it was asked to think; `default` where nobody asked for one.
    Think,
}

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
        if written.chars().count() > LONGEST {
            return Err(format!("it has more than {LONGEST} characters"));
        }
        let template = Self(written.to_owned());
        let unknown = template.parts().find_map(|part| match part {
            Part::Unknown(name) => Some(name),
            Part::Text(_) | Part::Name(_) => None,
        });
        let Some(unknown) = unknown else {
            return Ok(template);
        };
        let known: Vec<_> = NAMES.iter().map(|(_, name)| format!("{{{name}}}")).collect();
        Err(format!(
            "{{{unknown}}} is no name of a template; there are {}",
            known.join(", ")
        ))
    }

    /// True where it says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }

    /// The text with every name filled in, in one line where the values are.
    pub(crate) fn fill(&self, value: impl Fn(TemplateName) -> String) -> String {
        let parts = self.parts().map(|part| match part {
            Part::Text(text) | Part::Unknown(text) => text.to_owned(),
            Part::Name(name) => {
                let value = value(name);
                let visible = value.chars().filter(|c| !c.is_control());
                visible.take(VALUE).collect()
            }
        });
        parts.collect()
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        pieces(&self.0, Braces::OneOrTwo).map(|piece| match piece {
            Piece::Text(text) => Part::Text(text),
            Piece::Name(name) => {
                let known = NAMES.iter().find(|(_, known)| *known == name);
                known.map_or(Part::Unknown(name), |(name, _)| Part::Name(*name))
            }
        })
    }
}

enum Part<'a> {
    Text(&'a str),
    Name(TemplateName),
    Unknown(&'a str),
}

/// Pairs of braces around a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Braces {
    OneOrTwo,
    Two,
}

/// Piece of a text that has names in braces.
pub(super) enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// A text cut at its names. Braces around anything but a word are text.
pub(super) fn pieces(text: &str, braces: Braces) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = name_at(rest, braces) {
            rest = after;
            return Some(Piece::Name(name));
        }
        let brace = rest.char_indices().skip(1).find(|(_, c)| *c == '{');
        let (text, after) = rest.split_at(brace.map_or(rest.len(), |(at, _)| at));
        rest = after;
        Some(Piece::Text(text))
    })
}

/// The name in braces at the start of a text, and the text behind it.
fn name_at(text: &str, braces: Braces) -> Option<(&str, &str)> {
    let (inner, close) = match text.strip_prefix("{{") {
        Some(inner) => (inner, "}}"),
        None if braces == Braces::OneOrTwo => (text.strip_prefix('{')?, "}"),
        None => return None,
    };
    let (name, after) = inner.split_once(close)?;
    let name = name.trim();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!name.is_empty() && name.chars().all(is_word)).then_some((name, after))
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
