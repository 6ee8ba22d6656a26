//! Short names of models (`agent.models`), which `/NAME` and `/model NAME` choose.

use super::Config;
use crate::command_table::COMMANDS;
use foldback_directives::inbound::TABLE;

/// The word that clears what was chosen.
const CLEARS: &str = "default";

/// The reason for which a name of the configuration cannot follow a slash: a command or a directive has it.
pub(super) fn taken_name(name: &str) -> Option<String> {
    let is_named = |known: &str| known.eq_ignore_ascii_case(name);
    let is_directive = || {
        let mut rows = TABLE.iter();
        rows.any(|row| is_named(row.name) || row.aliases.iter().any(|alias| is_named(alias)))
    };
    if COMMANDS.iter().any(|row| row.is_named(name)) {
        Some(format!("there is a command /{name} already"))
    } else if is_directive() {
        Some(format!("there is a directive /{name} already"))
    } else {
        None
    }
}

/// The first short name of a model that nobody could write, with the reason.
pub(super) fn unfit_alias(config: &Config) -> Option<(&str, String)> {
    let mut names = config.agent.models.keys();
    names.find_map(|name| Some((name.as_str(), unfit(name)?)))
}

fn unfit(name: &str) -> Option<String> {
    let is_mark = |sign: char| sign.is_whitespace() || matches!(sign, ':' | '@');
    if name.is_empty() || name.contains(is_mark) {
        return Some("a short name of a model has no white space, `:` or `@`".to_owned());
    }
    if name.bytes().all(|sign| sign.is_ascii_digit()) {
        return Some("a number chooses a model by its place in the list of /models".to_owned());
    }
    if name.eq_ignore_ascii_case(CLEARS) {
        return Some("/model default chooses the agent's own model".to_owned());
    }
    taken_name(name)
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::Path;

    #[test]
    fn a_name_that_nobody_could_write_is_refused_with_its_line() {
        for (name, why) in [
            ("stop", "there is a command /stop already"),
            ("ID", "there is a command /ID already"),
            ("v", "there is a directive /v already"),
            ("my model", "a short name of a model has no white space"),
            ("a:b", "a short name of a model has no white space"),
            ("a@b", "a short name of a model has no white space"),
            ("", "a short name of a model has no white space"),
            ("2", "a number chooses a model"),
            ("Default", "/model default chooses"),
        ] {
            let text = format!("[agent.models]\nopus = \"a/b\"\n\"{name}\" = \"a/c\"\n");
            let error = parse(&text, Path::new("foldback.toml")).unwrap_err().to_string();
            let expected = format!("foldback.toml:3:1: agent.models.{name}: {why}");
            assert!(error.starts_with(&expected), "{error}");
        }
        let text = "[agent.models]\n\"gpt-5.1\" = \"a/b\"\nOpus = \"a/c\"\n";
        assert!(parse(text, Path::new("foldback.toml")).is_ok());
    }
}
