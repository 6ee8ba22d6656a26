//! The commands, for pages and completion outside of the pipeline.

use crate::{
    command_table::{Action, COMMANDS, Rights},
    config::Config,
};
use foldback_channels::MenuCommand;
use foldback_directives::inbound::TABLE;

/// A command as its reference page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandReference {
    /// Its name without the slash.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// The form in which it is written, such as `/send on | off | default`.
    pub usage: String,
    /// Its effect, in a sentence.
    pub about: &'static str,
    /// Only owners of the bot may use it.
    pub for_owners: bool,
}

/// Every command, in the order of `/commands`.
pub fn command_references() -> Vec<CommandReference> {
    let rows = COMMANDS.iter();
    rows.map(|row| CommandReference {
        name: row.name,
        aliases: row.aliases,
        usage: row.usage(),
        about: row.about,
        for_owners: row.rights == Rights::Owner,
    })
    .collect()
}

/// The words behind a slash, as menus have them: the commands that are switched on, the directives, then the configuration's
/// own commands. Empty where the text of users holds no commands.
pub fn command_menu(config: &Config) -> Vec<MenuCommand> {
    let commands = &config.commands;
    if !commands.enabled {
        return Vec::new();
    }
    let is_on = |action| match action {
        Action::Bash => commands.bash,
        Action::Restart => commands.restart,
        _ => true,
    };
    let rows = COMMANDS.iter().filter(|row| is_on(row.action));
    let built_in = rows.map(|row| MenuCommand {
        name: row.name.to_owned(),
        about: row.about.to_owned(),
        words: row.arguments.form().to_owned(),
    });
    let custom = commands.custom.iter().map(|(name, command)| MenuCommand {
        name: name.clone(),
        about: command.about(),
        words: if command.takes_words() { "TEXT" } else { "" }.to_owned(),
    });
    // A status is both.
    let directives = TABLE
        .iter()
        .filter(|row| COMMANDS.iter().all(|command| !command.is_named(row.name)));
    let directives = directives.map(|row| MenuCommand {
        name: row.name.to_owned(),
        about: row.about.to_owned(),
        words: row
            .example
            .split_once(' ')
            .map_or("", |(_, words)| words)
            .to_owned(),
    });
    built_in.chain(directives).chain(custom).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    #[test]
    fn a_menu_has_what_is_switched_on_and_fits_every_platform() {
        let menu = |text: &str| command_menu(&parse(text, std::path::Path::new("foldback.toml")).unwrap());
        let names =
            |text: &str| -> Vec<String> { menu(text).into_iter().map(|command| command.name).collect() };
        let off = names("");
        assert!(off.contains(&"status".to_owned()) && !off.contains(&"bash".to_owned()));
        for directive in [
            "think",
            "verbose",
            "reasoning",
            "elevated",
            "exec",
            "model",
            "queue",
        ] {
            assert!(off.contains(&directive.to_owned()), "{directive}");
        }
        let different: std::collections::BTreeSet<_> = off.iter().collect();
        assert_eq!(different.len(), off.len(), "each name stands once");
        let on = names("[commands]\nbash = true\n[commands.custom.standup]\nprompt = \"x\"\n");
        assert!(on.contains(&"bash".to_owned()) && on.last().is_some_and(|name| name == "standup"));
        assert!(names("[commands]\nenabled = false\n").is_empty());
        for command in menu("") {
            assert!(
                command.about.chars().count() <= 100,
                "Discord cuts {}",
                command.name
            );
        }
    }
}
