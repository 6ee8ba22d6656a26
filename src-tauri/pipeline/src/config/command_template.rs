//! Texts of commands of the configuration, with names in double braces that a message fills in: `{{args}}`, `{{1}}`,
//! `{{sender}}`.

use super::template_names::{CommandName, TemplatePart, TemplateText, check_template, command_parts};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// Most characters of a name of a person.
const SENDER: usize = 64;

/// A text with names in double braces: `{{args}}`, `{{1}}` to `{{9}}`, `{{sender}}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct CommandTemplate(String);

impl CommandTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// In words, where it is too long or holds a name that is none.
    pub fn parse(written: &str) -> Result<Self, String> {
        check_template(TemplateText::CustomCommand, written)?;
        Ok(Self(written.to_owned()))
    }

    /// True where it is the same for every message, and not empty.
    pub(crate) fn is_plain(&self) -> bool {
        !self.0.trim().is_empty() && self.parts().all(|part| matches!(part, TemplatePart::Words(_)))
    }

    /// True where there is a place for the words of a message.
    pub(crate) fn takes_words(&self) -> bool {
        self.parts().any(|part| {
            matches!(
                part,
                TemplatePart::Name(CommandName::Arguments | CommandName::Argument(_))
            )
        })
    }

    /// The text with every name filled in. What is filled in is not read again.
    pub(crate) fn fill(&self, words: &str, sender: &str) -> String {
        let value = |name| match name {
            CommandName::Argument(at) => words.split_whitespace().nth(at).unwrap_or_default().to_owned(),
            CommandName::Sender => {
                let visible = sender.chars().filter(|c| !c.is_control());
                visible.take(SENDER).collect()
            }
            CommandName::Arguments => words.to_owned(),
        };
        let parts = self.parts().map(|part| match part {
            TemplatePart::Words(text) => text.to_owned(),
            TemplatePart::Name(name) => value(name),
        });
        parts.collect()
    }

    fn parts(&self) -> impl Iterator<Item = TemplatePart<'_, CommandName>> {
        command_parts(&self.0)
    }
}

impl<'de> Deserialize<'de> for CommandTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        Self::parse(&written).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_once_and_other_braces_are_text() {
        let fill = |written: &str| {
            CommandTemplate::parse(written)
                .unwrap()
                .fill("a  b {{2}}", "Al\nice")
        };
        assert_eq!(fill("{{1}}-{{ 3 }}-{{9}}|{{args}}"), "a-{{2}}-|a  b {{2}}");
        assert_eq!(
            fill("{{sender}} {args} {{ }} {{a b}} {{"),
            "Alice {args} {{ }} {{a b}} {{"
        );
        for wrong in ["{{0}}", "{{10}}", "{{user}}"] {
            assert!(CommandTemplate::parse(wrong).is_err(), "{wrong}");
        }
        assert!(CommandTemplate::parse("ls").unwrap().is_plain());
        assert!(!CommandTemplate::parse("{{sender}}").unwrap().takes_words());
    }
}
