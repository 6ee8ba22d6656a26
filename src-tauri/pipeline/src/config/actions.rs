//! Actions that an agent may ask for beside its words.

use super::{ByteSize, Interval, access, acp::bubblewrap_in_path};
use crate::config::ProgramError;
use foldback_actions::terminal::{CommandRules, PatternError, check_pattern};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Actions that an agent may ask for beside its words: as tools where it takes them, else as JSON in its text, for which
/// `output.dialects` has to have `json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ActionsConfig {
    /// Senders at whose word actions for listed senders are carried out, beside the owners: ids, `provider:id`, `*`. Actions
    /// for owners are not among them.
    #[serde(deserialize_with = "access::ids")]
    pub senders: Vec<String>,
    /// Offers actions as tools to an agent that takes them as such: a model of `openai` or `anthropic`, an ACP agent. False: such an agent
    /// writes them in its text like every other, where `output.dialects` has `json`; for a model that knows no tools.
    pub tools: bool,
    /// The action `bash`: one command in a shell.
    pub bash: BashConfig,
    /// The action `terminal`: commands in a shell that is kept between them.
    pub terminal: TerminalConfig,
    /// The actions `event`, `event_list` and `event_cancel`: reminders.
    pub event: EventConfig,
    /// No interface is made, whatever is on: what is only looked at or tried (a file that was opened, a preview) leaves the machine
    /// alone.
    #[serde(skip)]
    pub without_interfaces: bool,
}

impl Default for ActionsConfig {
    fn default() -> Self {
        Self {
            senders: Vec::new(),
            tools: true,
            bash: BashConfig::default(),
            terminal: TerminalConfig::default(),
            event: EventConfig::default(),
            without_interfaces: false,
        }
    }
}

/// The action `bash`: one command in a shell on this machine, at the word of an owner of the bot
/// (`commands.owner_allow_from`) only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BashConfig {
    /// Lets the agent have commands run.
    pub enabled: bool,
    /// Regular expressions of commands that run without a confirmation. One has to match the whole command, which is then
    /// one simple command: with `;`, `&`, `|`, `<`, `>`, `$`, brackets or a second line it is confirmed all the same, and with
    /// quotes, backslashes or glob signs where `confirm` or `deny` has a pattern.
    pub allow: Vec<CommandPattern>,
    /// Regular expressions of what an owner confirms wherever it stands in a command, also where `allow` names it. They are
    /// looked for as the command is written, and without quotes and with one blank between its words. A command that no list
    /// names is confirmed, too.
    pub confirm: Vec<CommandPattern>,
    /// Regular expressions of what never runs wherever it stands in a command, looked for as those of `confirm` are. A shell has
    /// many ways to write one thing: this guards against mistakes, not against intent.
    pub deny: Vec<CommandPattern>,
    /// The folder that commands work in. Relative: below the configuration file's folder. When absent, a folder of the
    /// configuration's name in `foldback-actions` in the system's folder for states, such as
    /// `~/.local/state/foldback-actions/foldback`. Made when it does not exist.
    pub folder: Option<PathBuf>,
    /// Longest time of a command, from 1 second to 1 hour. Then it is stopped, with everything it started.
    pub timeout: Interval,
    /// Most bytes that are kept of its output, and as many of its error output: half of them from the beginning, half from
    /// the end. From 256 bytes to 8 KiB.
    pub max_output: ByteSize,
    /// Confines commands with bubblewrap, which has to be installed: they read the machine but not Foldback's configuration,
    /// data and secret files, and write only their folder and temporary files.
    pub confine: bool,
}

impl Default for BashConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            allow: Vec::new(),
            confirm: Vec::new(),
            deny: Vec::new(),
            folder: None,
            timeout: Interval::minutes(1),
            max_output: ByteSize(8 * 1024),
            confine: false,
        }
    }
}

impl BashConfig {
    /// Longest time that may be set.
    pub(super) const LONGEST: Interval = Interval::minutes(60);
    /// Shortest time that may be set.
    pub(super) const SHORTEST: Interval = Interval::seconds(1);
    /// Fewest bytes of output that may be set.
    pub(super) const LEAST_OUTPUT: ByteSize = ByteSize(256);
    /// Most bytes of output that may be set: as many as are delivered of one result.
    pub(super) const MOST_OUTPUT: ByteSize = ByteSize(8 * 1024);

    /// Most bytes that are kept of an output.
    pub fn most_output(&self) -> usize {
        usize::try_from(self.max_output.0).unwrap_or(usize::MAX)
    }

    /// The lists of commands.
    ///
    /// # Errors
    /// They are too large together; each pattern was read before.
    pub fn rules(&self) -> Result<CommandRules, PatternError> {
        let texts =
            |list: &[CommandPattern]| list.iter().map(|pattern| pattern.0.clone()).collect::<Vec<_>>();
        CommandRules::read(&texts(&self.allow), &texts(&self.confirm), &texts(&self.deny))
    }

    /// The folder of commands, where one is named.
    pub fn folder(&self, base: &Path) -> Option<PathBuf> {
        Some(base.join(self.folder.as_deref()?))
    }

    /// The program bubblewrap, where it confines commands.
    ///
    /// # Errors
    /// It is not installed.
    pub fn bubblewrap(&self) -> Result<Option<PathBuf>, ProgramError> {
        let wanted = self.confine.then_some("actions.bash.confine");
        wanted.map(bubblewrap_in_path).transpose()
    }
}

/// The action `terminal`: commands in a shell on a terminal, which is kept for each owner of the bot
/// (`commands.owner_allow_from`) in each chat, at that owner's word only. The lists of commands, their folder, time, output
/// and confinement are those of `actions.bash`, also where that action is off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TerminalConfig {
    /// Lets the agent have commands run in shells that are kept.
    pub enabled: bool,
    /// The time after which a shell ends in which nothing ran, with what it left in the background: from 1 minute to 24
    /// hours.
    pub idle: Interval,
    /// Most shells at once, from 1 to 64. The one that waited longest makes room for another.
    pub max_shells: u32,
}

impl Default for TerminalConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            idle: Interval::minutes(30),
            max_shells: 8,
        }
    }
}

impl TerminalConfig {
    /// Longest time that may be set.
    pub(super) const LONGEST_IDLE: Interval = Interval::minutes(24 * 60);
    /// Shortest time that may be set.
    pub(super) const SHORTEST_IDLE: Interval = Interval::minutes(1);
    /// Most shells that may be set: each is a terminal and at least three processes.
    pub(super) const MOST_SHELLS: u32 = 64;
}

/// The actions `event`, `event_list` and `event_cancel`: an agent sets reminders for the person who asks, whoever may write to
/// the bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EventConfig {
    /// Lets the agent set reminders, and has them delivered. What comes due while it is off is made up for, once, when it is
    /// on again.
    pub enabled: bool,
    /// The time zone of a date for which the agent names none: an IANA name.
    pub zone: String,
    /// Most reminders that one person may have set, from 1 to 1000.
    pub per_person: u32,
}

impl Default for EventConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            zone: "UTC".to_owned(),
            per_person: 20,
        }
    }
}

impl EventConfig {
    /// True where its zone is one.
    pub(super) fn knows_zone(&self) -> bool {
        TimeZone::get(&self.zone).is_ok()
    }
}

/// A regular expression of commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct CommandPattern(String);

impl TryFrom<String> for CommandPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        check_pattern(&text)?;
        Ok(Self(text))
    }
}

impl From<CommandPattern> for String {
    fn from(pattern: CommandPattern) -> Self {
        pattern.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, parse};

    fn read(text: &str) -> Result<Config, String> {
        parse(text, Path::new("foldback.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn it_is_off_and_strict_unless_it_is_said() {
        let bash = Config::default().actions.bash;
        assert!(!bash.enabled && !bash.confine && bash.folder.is_none());
        assert!(bash.allow.is_empty() && bash.deny.is_empty());
        assert!(!Config::default().actions.terminal.enabled);
        let read =
            read("[actions.bash]\nenabled = true\nallow = [\"df( -h)?\"]\ntimeout = \"30s\"\n").unwrap();
        assert!(read.actions.bash.enabled);
        assert_eq!(read.actions.bash.timeout, Interval::seconds(30));
        assert!(read.actions.bash.rules().is_ok());
    }

    #[test]
    fn reminders_are_off_and_few_unless_it_is_said() {
        let event = Config::default().actions.event;
        assert!(!event.enabled);
        assert_eq!((event.zone.as_str(), event.per_person), ("UTC", 20));
        for (line, why) in [
            (
                "zone = \"Europe/Bielefeld\"",
                "must be the IANA name of a time zone",
            ),
            ("per_person = 0", "must be from 1 to 1000"),
        ] {
            let error = read(&format!("[actions.event]\n{line}\n")).unwrap_err();
            assert!(
                error.starts_with("foldback.toml:2:") && error.contains(why),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_with_its_line() {
        for (key, value, why) in [
            ("allow", "[\"(\"]", "this is no regular expression"),
            ("deny", "[\"\"]", "this matches every command"),
            ("timeout", "\"500ms\"", "must be from 1s to 1h"),
            ("timeout", "\"2h\"", "must be from 1s to 1h"),
            ("max_output", "\"100B\"", "must be from 256B to 8KiB"),
            ("max_output", "\"1MB\"", "must be from 256B to 8KiB"),
            ("folder", "\"\"", "must not be empty"),
        ] {
            refused("bash", key, value, why);
        }
        for (key, value, why) in [
            ("idle", "\"30s\"", "must be from 1m to 1d"),
            ("idle", "\"25h\"", "must be from 1m to 1d"),
            ("max_shells", "0", "must be from 1 to 64"),
            ("max_shells", "65", "must be from 1 to 64"),
            ("allow", "[]", "unknown field"),
        ] {
            refused("terminal", key, value, why);
        }
    }

    fn refused(table: &str, key: &str, value: &str, why: &str) {
        let error = read(&format!("[actions.{table}]\n{key} = {value}\n")).unwrap_err();
        assert!(
            error.starts_with("foldback.toml:2:") && error.contains(why),
            "{key}: {error}"
        );
    }
}
