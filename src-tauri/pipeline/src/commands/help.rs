//! `/help` and `/commands`, from the tables.

use crate::{
    config::{CommandsConfig, CustomAnswer, CustomCommand},
    stages::commands::{Action, COMMANDS, CommandRow, Rights},
};
use foldback_directives::inbound::TABLE;

/// The commands that people use most.
const SHORT: [&str; 5] = ["status", "new", "stop", "whoami", "commands"];

pub(super) fn help() -> String {
    let rows = SHORT
        .iter()
        .filter_map(|name| COMMANDS.iter().find(|row| row.name == *name));
    let lines: Vec<_> = rows.map(line).collect();
    format!(
        "ℹ️ Write a message, and the agent answers. These commands are answered here:\n\n{}",
        lines.join("\n")
    )
}

pub(super) fn commands(config: &CommandsConfig) -> String {
    let mut lines: Vec<_> = COMMANDS
        .iter()
        .filter(|row| is_on(config, row))
        .map(line)
        .collect();
    lines.extend(
        config
            .custom
            .iter()
            .map(|(name, command)| custom_line(name, command)),
    );
    let directives: Vec<_> = TABLE
        .iter()
        .map(|row| format!("{} – {}", row.example, row.about))
        .collect();
    format!(
        "ℹ️ Commands:\n{}\n\nDirectives count for one message with text beside them, and for the conversation alone:\n{}",
        lines.join("\n"),
        directives.join("\n")
    )
}

/// False for a command that the configuration leaves switched off.
const fn is_on(config: &CommandsConfig, row: &CommandRow) -> bool {
    match row.action {
        Action::Bash => config.bash,
        Action::Restart => config.restart,
        _ => true,
    }
}

fn custom_line(name: &str, command: &CustomCommand) -> String {
    let words = if command.takes_words() { " …" } else { "" };
    let owner = match command.answer() {
        CustomAnswer::Program(_) if command.allow_from.is_empty() => " Owners only.",
        CustomAnswer::Program(_) | CustomAnswer::Prompt(_) => "",
    };
    format!("/{name}{words} – {}{owner}", command.about())
}

fn line(row: &CommandRow) -> String {
    let names: Vec<_> = row.names().skip(1).map(|alias| format!(" (/{alias})")).collect();
    let aliases = names.concat();
    let owner = match row.rights {
        Rights::Allowed => "",
        Rights::Owner => " Owners only.",
    };
    format!("{}{aliases} – {}{owner}", row.usage(), row.about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_listed() {
        let on = CommandsConfig {
            bash: true,
            restart: true,
            ..CommandsConfig::default()
        };
        assert!(!commands(&CommandsConfig::default()).contains("/bash"));
        let all = commands(&on);
        for row in COMMANDS {
            assert!(all.contains(&row.usage()), "{}", row.name);
        }
        for row in TABLE {
            assert!(all.contains(row.example), "{}", row.name);
        }
        assert_eq!(help().matches("\n/").count(), SHORT.len());
    }
}
