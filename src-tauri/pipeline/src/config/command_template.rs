//! Texts of commands of the configuration, with names in double braces that a message fills in: `{{args}}`, `{{1}}`,
//! `{{sender}}`. A name that is none is an error of the configuration.

use super::template::{Braces, Piece, pieces};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// Longest template, in characters.
const LONGEST: usize = 8_000;
/// Most characters of a name of a person.
const SENDER: usize = 64;

/// A text with names in double braces: `{{args}}`, `{{1}}` to `{{9}}`, `{{sender}}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct CommandTemplate(String);

enum Part<'a> {
    Text(&'a str),
    Words,
    Word(usize),
    Sender,
    Unknown(&'a str),
}

impl CommandTemplate {
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
            _ => None,
        });
        match unknown {
            None => Ok(template),
            Some(name) => Err(format!(
                "{{{{{name}}}}} is no name of a command; there are {{{{args}}}}, {{{{sender}}}}, {{{{1}}}} to {{{{9}}}}"
            )),
        }
    }

    /// True where it is the same for every message, and not empty.
    pub(crate) fn is_plain(&self) -> bool {
        !self.0.trim().is_empty() && self.parts().all(|part| matches!(part, Part::Text(_)))
    }

    /// True where there is a place for the words of a message.
    pub(crate) fn takes_words(&self) -> bool {
        self.parts()
            .any(|part| matches!(part, Part::Words | Part::Word(_)))
    }

    /// The text with every name filled in. What is filled in is not read again.
    pub(crate) fn fill(&self, words: &str, sender: &str) -> String {
        let parts = self.parts().map(|part| match part {
            Part::Text(text) | Part::Unknown(text) => text.to_owned(),
            Part::Words => words.to_owned(),
            Part::Word(number) => words
                .split_whitespace()
                .nth(number - 1)
                .unwrap_or_default()
                .to_owned(),
            Part::Sender => {
                let visible = sender.chars().filter(|c| !c.is_control());
                visible.take(SENDER).collect()
            }
        });
        parts.collect()
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        pieces(&self.0, Braces::Two).map(|piece| match piece {
            Piece::Text(text) => Part::Text(text),
            Piece::Name(name) => part_of(name),
        })
    }
}

fn part_of(name: &str) -> Part<'_> {
    match name {
        "args" => Part::Words,
        "sender" => Part::Sender,
        number => match number.parse() {
            Ok(number @ 1..=9) => Part::Word(number),
            _ => Part::Unknown(name),
        },
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
