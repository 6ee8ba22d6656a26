//! The commands, for pages and completion outside of the pipeline.

use crate::stages::commands::{COMMANDS, Rights};

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
