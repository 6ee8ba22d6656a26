//! Recognises commands: `/status` and the like, which Foldback answers itself and the agent never sees.

pub(crate) use crate::command_table::{Action, Arguments, COMMANDS, CommandRow, Rights};

/// A command that a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recognised {
    pub(crate) row: &'static CommandRow,
    /// The rest of the first line, as it was written; of a command whose words may take several, the lines behind it, too.
    pub(crate) arguments: String,
    /// The lines behind the first, of a command that takes text for the agent.
    pub(crate) rest: String,
}

/// A text in the form of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrittenCommand<'t> {
    /// The word behind the slash, which may be no command's name.
    pub(crate) name: &'t str,
    /// The rest of the first line, without white space around it.
    pub(crate) arguments: &'t str,
    /// The lines behind the first.
    pub(crate) below: &'t str,
}

/// A text as `/name`, `/name: value` or, as platforms write it in groups, `/name@bot`; `None` where it has no such form.
pub(crate) fn written_command(text: &str) -> Option<WrittenCommand<'_>> {
    let (first, below) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    let body = first.strip_prefix('/')?;
    let end = body
        .find(|sign: char| sign.is_whitespace() || sign == ':')
        .unwrap_or(body.len());
    let (word, tail) = body.split_at(end);
    Some(WrittenCommand {
        name: word.split('@').next().unwrap_or_default(),
        arguments: tail.strip_prefix(':').unwrap_or(tail).trim(),
        below,
    })
}

/// The command that a text is; `None` where it is text for the agent. A command that takes no words and has some is text,
/// and so is one with lines behind it that it does not take: nothing that somebody wrote is lost.
pub(crate) fn recognise(text: &str) -> Option<Recognised> {
    let WrittenCommand {
        name,
        arguments,
        below,
    } = written_command(text)?;
    let row = COMMANDS.iter().find(|row| row.is_named(name))?;
    let below = below.trim();
    let (arguments, rest) = match row.arguments {
        Arguments::None if arguments.is_empty() && below.is_empty() => (String::new(), ""),
        Arguments::Written(_) if below.is_empty() => (arguments.to_owned(), ""),
        Arguments::Lines(_) => ([arguments, below].join("\n").trim().to_owned(), ""),
        Arguments::Text(_) => (arguments.to_owned(), below),
        Arguments::None | Arguments::Written(_) => return None,
    };
    Some(Recognised {
        row,
        arguments,
        rest: rest.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn read(text: &str) -> Option<(&'static str, String)> {
        recognise(text).map(|found| (found.row.name, found.arguments))
    }

    #[test]
    fn a_command_is_read_in_the_forms_that_people_and_platforms_write() {
        let named = |text| read(text).map(|(name, _)| name);
        for text in ["/help", "/HELP", " /help@mybot ", "/help:"] {
            assert_eq!(named(text), Some("help"), "{text}");
        }
        assert_eq!(named("/id"), Some("whoami"));
        assert_eq!(read("/send: off\n"), Some(("send", "off".into())));
        assert_eq!(read("/bash ls\npwd"), Some(("bash", "ls\npwd".into())));
        for text in [
            "/help now",
            "/help\nnow",
            "/send: off\nsecond line",
            "/unknown x",
            "help",
            "hi /help",
            "//help",
            "/",
            "/etc/passwd",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_new_session_may_begin_with_a_text() {
        let found = recognise("/NEW Hello there\nand more").unwrap();
        assert_eq!(
            (found.row.name, found.arguments.as_str(), found.rest.as_str()),
            ("new", "Hello there", "and more")
        );
    }

    #[test]
    fn every_name_means_one_command() {
        let names: Vec<_> = COMMANDS.iter().flat_map(CommandRow::names).collect();
        let different: BTreeSet<_> = names.iter().collect();
        assert_eq!(names.len(), different.len());
        assert!(COMMANDS.iter().all(|row| row.about.ends_with('.')));
    }
}
