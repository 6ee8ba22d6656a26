//! Commands that the configuration adds: a prompt for the agent, or a program.

use super::{ByteSize, CommandTemplate, Config, Interval, access, model_alias::taken_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of a name: as many as every platform's menu takes.
const LONGEST_NAME: usize = 32;
/// Most bytes of a program's output that may be sent into a chat.
const MOST_OUTPUT: ByteSize = ByteSize(64_000);
/// The longest time that a program may be given.
const LONGEST_RUN: Interval = Interval::minutes(10);

/// A command that the configuration adds: either `prompt` or `run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CustomCommand {
    /// Its effect, in a sentence, for lists and menus.
    pub about: Option<String>,
    /// The message that the agent is given instead. `{{args}}` is all that stands behind the command, `{{1}}` its first word, up to
    /// `{{9}}`, `{{sender}}` the name of who wrote it.
    pub prompt: Option<CommandTemplate>,
    /// A program with its arguments, whose output is the answer. No shell reads them; each may hold the names of `prompt`.
    pub run: Vec<CommandTemplate>,
    /// The people beside the owners who may have the program run: ids, `provider:id`, `*`.
    #[serde(deserialize_with = "access::ids")]
    pub allow_from: Vec<String>,
    /// The time after which the program is ended, at most 10m.
    pub timeout: Interval,
    /// Most bytes of the program's output, at most 64kB; one that writes more is ended.
    pub max_output: ByteSize,
}

impl Default for CustomCommand {
    fn default() -> Self {
        Self {
            about: None,
            prompt: None,
            run: Vec::new(),
            allow_from: Vec::new(),
            timeout: Interval::seconds(30),
            max_output: ByteSize(4_000),
        }
    }
}

/// What answers a command of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CustomAnswer<'a> {
    /// The agent, to this prompt.
    Prompt(&'a CommandTemplate),
    /// A program with its arguments.
    Program(&'a [CommandTemplate]),
}

impl CustomCommand {
    pub(crate) fn answer(&self) -> CustomAnswer<'_> {
        match &self.prompt {
            Some(prompt) => CustomAnswer::Prompt(prompt),
            None => CustomAnswer::Program(&self.run),
        }
    }

    /// True where there is a place for the words behind its name.
    pub(crate) fn takes_words(&self) -> bool {
        match self.answer() {
            CustomAnswer::Prompt(prompt) => prompt.takes_words(),
            CustomAnswer::Program(run) => run.iter().any(CommandTemplate::takes_words),
        }
    }

    /// What it does, in a sentence.
    pub(crate) fn about(&self) -> String {
        match (&self.about, self.answer()) {
            (Some(about), _) => about.trim().to_owned(),
            (None, CustomAnswer::Prompt(_)) => "Asks the agent a prompt of this bot.".to_owned(),
            (None, CustomAnswer::Program(_)) => "Runs a program of this bot.".to_owned(),
        }
    }
}

/// The first command that cannot be, by its name, with the key that is wrong, if one is, and the reason.
pub(super) fn unfit_command(config: &Config) -> Option<(&str, Option<&'static str>, String)> {
    config.commands.custom.iter().find_map(|(name, command)| {
        let (key, why) = unfit(config, name, command)?;
        Some((name.as_str(), key, why))
    })
}

fn unfit(config: &Config, name: &str, command: &CustomCommand) -> Option<(Option<&'static str>, String)> {
    let taken = taken_name(name);
    let mut models = config.agent.models.keys();
    let model = models.any(|known| known.eq_ignore_ascii_case(name));
    let in_form = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().count() <= LONGEST_NAME
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let CustomCommand {
        prompt,
        run,
        allow_from,
        timeout,
        max_output,
        ..
    } = command;
    if in_form && let Some(why) = taken {
        return Some((None, why));
    }
    let program_is_named = run.first().is_some_and(CommandTemplate::is_plain);
    Some(match (prompt, run.as_slice()) {
        _ if !in_form => (
            None,
            format!(
                "a name has small letters, digits and _, begins with a letter and has at most {LONGEST_NAME} characters"
            ),
        ),
        _ if model => (None, format!("/{name} is a model of agent.models already")),
        (None, []) | (Some(_), [_, ..]) => (None, "it needs either prompt or run".to_owned()),
        (Some(_), []) if !allow_from.is_empty() => (
            Some("allow_from"),
            "it belongs to run; whoever may use commands may ask the agent".to_owned(),
        ),
        (None, _) if !program_is_named => (
            Some("run"),
            "the program itself is named here, not by a message".to_owned(),
        ),
        _ if timeout.0.is_zero() || *timeout > LONGEST_RUN => (
            Some("timeout"),
            format!("must be more than 0 and at most {LONGEST_RUN}"),
        ),
        _ if max_output.0 == 0 || *max_output > MOST_OUTPUT => (
            Some("max_output"),
            format!("must be more than 0 and at most {MOST_OUTPUT}"),
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::Path;

    fn error(text: &str) -> String {
        parse(text, Path::new("foldback.toml")).unwrap_err().to_string()
    }

    #[test]
    fn a_name_that_is_taken_or_has_no_form_is_refused_with_its_line() {
        for (name, why) in [
            ("status", "there is a command /status already"),
            ("id", "there is a command /id already"),
            ("think", "there is a directive /think already"),
            ("v", "there is a directive /v already"),
            ("opus", "/opus is a model of agent.models already"),
            ("Standup", "a name has small letters"),
            ("a-b", "a name has small letters"),
        ] {
            let text = format!("[agent.models]\nopus = \"a/b\"\n[commands.custom.{name}]\nprompt = \"x\"\n");
            let error = error(&text);
            let expected = format!("foldback.toml:3:1: commands.custom.{name}: {why}");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn it_is_a_prompt_or_a_program_and_each_key_has_its_bounds() {
        for (keys, expected) in [
            (
                "about = \"x\"",
                "3:1: commands.custom.a: it needs either prompt or run",
            ),
            (
                "prompt = \"x\"\nrun = [\"y\"]",
                "3:1: commands.custom.a: it needs either prompt or run",
            ),
            (
                "prompt = \"x\"\nallow_from = [\"1\"]",
                "5:1: commands.custom.a.allow_from: it belongs to run",
            ),
            (
                "run = [\"{{1}}\"]",
                "4:1: commands.custom.a.run: the program itself",
            ),
            (
                "run = [\"y\"]\ntimeout = \"11m\"",
                "5:1: commands.custom.a.timeout: must be more than 0 and at most 10m",
            ),
            (
                "run = [\"y\"]\nmax_output = \"65kB\"",
                "5:1: commands.custom.a.max_output: must be more than 0 and at most 64k",
            ),
            (
                "prompt = \"a {{agrs}}\"",
                "4:10: commands.custom.a.prompt: {{agrs}} is no name; there are {{args}}, {{sender}}, {{1}} to {{9}}",
            ),
            (
                "run = [\"y\", \"{{who}}\"]",
                "4:7: commands.custom.a.run: {{who}} is no name",
            ),
        ] {
            let error = error(&format!("# [commands.custom.a]\n\n[commands.custom.a]\n{keys}\n"));
            assert!(error.starts_with(&format!("foldback.toml:{expected}")), "{error}");
        }
    }
}
