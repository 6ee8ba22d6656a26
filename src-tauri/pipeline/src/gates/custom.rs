//! Commands of the configuration (`[commands.custom.NAME]`): a prompt for the agent, or a program.

use crate::{
    config::{CommandsConfig, CustomAnswer},
    stages::commands::{WrittenCommand, written_command},
};
use foldback_wire::{DirectiveScope, InlineDirective, InlineDirectives, visible};

/// What a command of the configuration comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CustomMeaning {
    /// The agent is asked this.
    Prompt {
        text: String,
        /// The command as it was read; its bytes, the caller knows.
        read: InlineDirectives,
    },
    /// A program answers.
    Program { name: String, arguments: String },
}

/// The command of the configuration that a text is; `None` where it is none. One that has no place for more words, and is
/// written with some, is text.
pub(super) fn custom_command(config: &CommandsConfig, text: &str, sender: &str) -> Option<CustomMeaning> {
    let WrittenCommand {
        name,
        arguments,
        below,
    } = written_command(text)?;
    let mut all = config.custom.iter();
    let (name, command) = all.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let words = [arguments, below.trim()].join("\n");
    let words = words.trim();
    if !words.is_empty() && !command.takes_words() {
        return None;
    }
    Some(match command.answer() {
        CustomAnswer::Prompt(template) => CustomMeaning::Prompt {
            text: template.fill(words, &visible(sender)),
            read: InlineDirectives {
                directives: vec![InlineDirective {
                    name: name.clone(),
                    value: words.to_owned(),
                }],
                spans: Vec::new(),
                scope: DirectiveScope::Turn,
                findings: Vec::new(),
                setting: None,
                decided_by: None,
            },
        },
        CustomAnswer::Program(_) => CustomMeaning::Program {
            name: name.clone(),
            arguments: words.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Option<String> {
        let config = "[commands.custom.standup]\nprompt = \"Standup of {{sender}}: {{args}}\"\n\
                      [commands.custom.tired]\nprompt = \"Tell me to rest.\"\n\
                      [commands.custom.up]\nrun = [\"uptime\"]\n";
        let config = crate::config::parse(config, std::path::Path::new("foldback.toml")).unwrap();
        custom_command(&config.commands, text, "Alice").map(|meaning| match meaning {
            CustomMeaning::Prompt { text, .. } => text,
            CustomMeaning::Program { name, arguments } => format!("run {name} {arguments}"),
        })
    }

    #[test]
    fn a_prompt_is_filled_in_and_a_program_is_named() {
        assert_eq!(
            asked("/Standup@bot tests\nand docs").as_deref(),
            Some("Standup of Alice: tests\nand docs")
        );
        assert_eq!(asked("/tired").as_deref(), Some("Tell me to rest."));
        assert_eq!(asked("/up").as_deref(), Some("run up "));
        for text in ["/tired now", "/up now", "/other", "standup"] {
            assert_eq!(asked(text), None, "{text}");
        }
    }
}
