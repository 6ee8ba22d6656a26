//! The names that texts of the configuration may have in braces: one table of what each stands for and of the texts that
//! know it. A name that a text does not know is an error of the configuration.
//!
//! Two kinds of text have names: the words before an answer (`response_prefix`: `{model}` or `{{model}}`), which a turn
//! fills in, and commands of the configuration (`{{args}}`; one pair of braces is text there), which a message fills in.

use super::template_pieces::{Braces, Piece, pieces};

/// A text of the configuration that has names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateText {
    /// The words before an answer.
    ResponsePrefix,
    /// The prompt of a command, or a part of its program.
    CustomCommand,
}

impl TemplateText {
    /// Pairs of braces that stand around a name.
    const fn braces(self) -> Braces {
        match self {
            Self::ResponsePrefix => Braces::OneOrTwo,
            Self::CustomCommand => Braces::Two,
        }
    }

    /// The keys whose texts these are.
    pub const fn keys(self) -> &'static str {
        match self {
            Self::ResponsePrefix => "response_prefix",
            Self::CustomCommand => "prompt and run of a command",
        }
    }

    /// A name in the braces that such a text has around it.
    pub fn spelling(self, name: &str) -> String {
        match self.braces() {
            Braces::OneOrTwo => format!("{{{name}}}"),
            Braces::Two => format!("{{{{{name}}}}}"),
        }
    }

    /// Most characters of such a text.
    const fn longest(self) -> usize {
        match self {
            // It stands before every answer.
            Self::ResponsePrefix => 200,
            Self::CustomCommand => 8_000,
        }
    }
}

/// A name that a turn fills in, in the words before its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrefixName {
    /// The model that answers.
    Model,
    /// The backend that answers.
    Provider,
    /// The agent's name, of `agent.name`.
    Identity,
    /// The level at which it was asked to think; `default` where none was asked for.
    Think,
}

/// A name that a message fills in, in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandName {
    /// All that stands behind the command.
    Arguments,
    /// One word of that, from 0.
    Argument(usize),
    /// The name of who wrote it.
    Sender,
}

#[derive(Debug, Clone, Copy)]
enum Meaning {
    Prefix(PrefixName),
    Command(CommandName),
    /// A series of names, by its place in the series.
    CommandSeries(fn(usize) -> CommandName),
}

/// Names that stand for one thing.
#[derive(Debug, Clone, Copy)]
pub struct TemplateNameRow {
    /// One name, or those of a series in their order.
    pub names: &'static [&'static str],
    /// What they stand for.
    pub about: &'static str,
    meaning: Meaning,
}

/// Every name that a text of the configuration may have.
pub const TEMPLATE_NAMES: [TemplateNameRow; 7] = [
    TemplateNameRow {
        names: &["model"],
        about: "the model that answers, also where another one stepped in; the backend where it names none",
        meaning: Meaning::Prefix(PrefixName::Model),
    },
    TemplateNameRow {
        names: &["provider"],
        about: "the backend that answers",
        meaning: Meaning::Prefix(PrefixName::Provider),
    },
    TemplateNameRow {
        names: &["identity"],
        about: "`agent.name`; `Foldback` when absent",
        meaning: Meaning::Prefix(PrefixName::Identity),
    },
    TemplateNameRow {
        names: &["think"],
        about: "the level at which the agent was asked to think; `default` where none was asked for",
        meaning: Meaning::Prefix(PrefixName::Think),
    },
    TemplateNameRow {
        names: &["args"],
        about: "all that stands behind the command",
        meaning: Meaning::Command(CommandName::Arguments),
    },
    TemplateNameRow {
        names: &["sender"],
        about: "the name of who wrote the command",
        meaning: Meaning::Command(CommandName::Sender),
    },
    TemplateNameRow {
        names: &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        about: "the first word behind the command, up to the ninth",
        meaning: Meaning::CommandSeries(CommandName::Argument),
    },
];

impl TemplateNameRow {
    /// The text that knows them.
    pub const fn text(&self) -> TemplateText {
        match self.meaning {
            Meaning::Prefix(_) => TemplateText::ResponsePrefix,
            Meaning::Command(_) | Meaning::CommandSeries(_) => TemplateText::CustomCommand,
        }
    }

    /// The names in their braces: `{model}`, `{{1}} to {{9}}`.
    pub fn spelling(&self) -> String {
        let spelled = |name: Option<&&str>| self.text().spelling(name.copied().unwrap_or_default());
        match self.names {
            [_, .., _] => format!(
                "{} to {}",
                spelled(self.names.first()),
                spelled(self.names.last())
            ),
            _ => spelled(self.names.first()),
        }
    }

    fn prefix_name(&self, written: &str) -> Option<PrefixName> {
        match self.meaning {
            Meaning::Prefix(name) => self.names.contains(&written).then_some(name),
            Meaning::Command(_) | Meaning::CommandSeries(_) => None,
        }
    }

    fn command_name(&self, written: &str) -> Option<CommandName> {
        let at = self.names.iter().position(|name| *name == written)?;
        match self.meaning {
            Meaning::Prefix(_) => None,
            Meaning::Command(name) => Some(name),
            Meaning::CommandSeries(name) => Some(name(at)),
        }
    }
}

/// A part of a text.
pub(super) enum TemplatePart<'a, N> {
    Words(&'a str),
    Name(N),
}

/// The parts of the words before an answer, in order.
pub(super) fn prefix_parts(written: &str) -> impl Iterator<Item = TemplatePart<'_, PrefixName>> {
    template_parts(
        TemplateText::ResponsePrefix,
        written,
        TemplateNameRow::prefix_name,
    )
}

/// The parts of a text of a command, in order.
pub(super) fn command_parts(written: &str) -> impl Iterator<Item = TemplatePart<'_, CommandName>> {
    template_parts(
        TemplateText::CustomCommand,
        written,
        TemplateNameRow::command_name,
    )
}

fn template_parts<N>(
    text: TemplateText,
    written: &str,
    name_of: impl Fn(&TemplateNameRow, &str) -> Option<N>,
) -> impl Iterator<Item = TemplatePart<'_, N>> {
    pieces(written, text.braces()).map(move |piece| match piece {
        Piece::Text(words) => TemplatePart::Words(words),
        Piece::Name(written) => {
            let known = TEMPLATE_NAMES.iter().find_map(|row| name_of(row, written));
            // A text that was read has no other.
            known.map_or(TemplatePart::Words(written), TemplatePart::Name)
        }
    })
}

/// Tells, in words, what is wrong with a text: that it is too long, or has a name that it does not know.
pub(super) fn check_template(text: TemplateText, written: &str) -> Result<(), String> {
    let longest = text.longest();
    if written.chars().count() > longest {
        return Err(format!("it has more than {longest} characters"));
    }
    let here = || TEMPLATE_NAMES.iter().filter(|row| row.text() == text);
    let unknown = pieces(written, text.braces()).find_map(|piece| match piece {
        Piece::Name(name) if !here().any(|row| row.names.contains(&name)) => Some(name),
        Piece::Name(_) | Piece::Text(_) => None,
    });
    let Some(unknown) = unknown else {
        return Ok(());
    };
    let spelled = text.spelling(unknown);
    let known: Vec<_> = here().map(TemplateNameRow::spelling).collect();
    let known = known.join(", ");
    let elsewhere = TEMPLATE_NAMES.iter().find(|row| row.names.contains(&unknown));
    Err(match elsewhere {
        Some(row) => format!(
            "{spelled} is known in {} alone; here there are {known}",
            row.text().keys()
        ),
        None => format!("{spelled} is no name; there are {known}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_another_text_knows_says_where() {
        let wrong = |text, written| check_template(text, written).unwrap_err();
        assert_eq!(
            wrong(TemplateText::ResponsePrefix, "[{args}]"),
            "{args} is known in prompt and run of a command alone; here there are {model}, {provider}, {identity}, {think}"
        );
        assert_eq!(
            wrong(TemplateText::CustomCommand, "{{model}}"),
            "{{model}} is known in response_prefix alone; here there are {{args}}, {{sender}}, {{1}} to {{9}}"
        );
        assert_eq!(
            wrong(TemplateText::CustomCommand, "{{0}}"),
            "{{0}} is no name; there are {{args}}, {{sender}}, {{1}} to {{9}}"
        );
    }

    #[test]
    fn no_name_stands_twice_in_the_table() {
        let names: Vec<_> = TEMPLATE_NAMES.iter().flat_map(|row| row.names).collect();
        let once: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(once.len(), names.len(), "{names:?}");
    }

    #[test]
    fn a_text_has_its_longest_length_and_no_more() {
        let longest = |length| "ä".repeat(length);
        assert_eq!(
            check_template(TemplateText::ResponsePrefix, &longest(200)),
            Ok(())
        );
        assert_eq!(
            check_template(TemplateText::ResponsePrefix, &longest(201)),
            Err("it has more than 200 characters".to_owned())
        );
        assert_eq!(
            check_template(TemplateText::CustomCommand, &longest(8_000)),
            Ok(())
        );
        assert_eq!(
            check_template(TemplateText::CustomCommand, &longest(8_001)),
            Err("it has more than 8000 characters".to_owned())
        );
    }
}
