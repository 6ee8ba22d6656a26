//! Directives and commands in the text of users.

use super::{Config, CustomCommand, ListEntry, access, access::names_id};
use foldback_wire::{ChannelId, Platform};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// The key of `allow_from` that counts for every provider without one of its own.
const EVERY_PROVIDER: &str = "*";

/// Directives such as `/think high` and commands such as `/status` in the text of users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CommandsConfig {
    /// Reads directives, commands and stop words in what users write. Otherwise all of it is text for the agent.
    pub enabled: bool,
    /// The owners of the bot: ids, `provider:id`, `*`. Where it names anybody, only they may use directives and
    /// commands. Commands for owners are closed to everybody where it is empty.
    #[serde(deserialize_with = "access::ids")]
    pub owner_allow_from: Vec<String>,
    /// Senders who may use directives and commands, by the name of their channel, by their platform, or by `*` for all
    /// others. Where a list counts for a channel, it alone decides.
    #[serde(deserialize_with = "lists")]
    pub allow_from: BTreeMap<String, Vec<String>>,
    /// Tells senders who may not use a command so. Otherwise only the journal has the refusal.
    pub tell_refused: bool,
    /// Reads `[[status]]`, alone on a line beside other text, as the command that it names, where that only tells something.
    pub inline: bool,
    /// Lets owners run a line in a shell with `/bash`.
    pub bash: bool,
    /// Lets owners have the bot start again with `/restart`.
    pub restart: bool,
    /// Commands of your own, by name: prompts for the agent, or programs.
    pub custom: BTreeMap<String, CustomCommand>,
    /// No program is run: a replay leaves the machine alone.
    #[serde(skip)]
    pub without_programs: bool,
}

impl Default for CommandsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            owner_allow_from: Vec::new(),
            allow_from: BTreeMap::new(),
            tell_refused: false,
            inline: false,
            bash: false,
            restart: false,
            custom: BTreeMap::new(),
            without_programs: false,
        }
    }
}

impl CommandsConfig {
    /// The list that alone decides who may use commands on a channel, with its key; `None` where there is none.
    pub(crate) fn list_for(&self, channel: &ChannelId, platform: Platform) -> Option<(&str, &[String])> {
        let keys = [channel.as_str(), platform.code(), EVERY_PROVIDER];
        let found = keys
            .into_iter()
            .find_map(|key| self.allow_from.get_key_value(key));
        found.map(|(key, list)| (key.as_str(), list.as_slice()))
    }

    /// Whether a sender may have the program of this command run, beside the owners.
    pub(crate) fn lists_for_program(
        command: &CustomCommand,
        channel: &ChannelId,
        platform: Platform,
        id: &str,
    ) -> bool {
        let own = |provider: &str| is_provider(provider, channel, platform);
        let mut list = command.allow_from.iter();
        list.any(|entry| names_id(ListEntry::of(entry), id, own))
    }

    /// The entry of the owners' list that names an id on every channel, whatever its platform.
    pub(crate) fn owner_entry_everywhere(&self, id: &str) -> Option<&str> {
        let mut entries = self.owner_allow_from.iter().map(String::as_str);
        entries.find(|entry| names_id(ListEntry::of(entry), id, |_| false))
    }

    /// True where an id of a channel's platform owns the bot on another channel, too. An id is a person of one platform: an entry
    /// for another platform names somebody else who has such an id.
    pub(crate) fn owns_other_channel(
        &self,
        id: &str,
        platform: Platform,
        (there, platform_there): (&ChannelId, Platform),
    ) -> bool {
        let entry = if platform == platform_there {
            self.owner_entry(there, platform, id)
        } else {
            self.owner_entry_everywhere(id)
        };
        entry.is_some()
    }

    /// The entry of the owners' list that names an id on a channel.
    pub(crate) fn owner_entry(&self, channel: &ChannelId, platform: Platform, id: &str) -> Option<&str> {
        let own = |provider: &str| is_provider(provider, channel, platform);
        self.owner_allow_from
            .iter()
            .map(String::as_str)
            .find(|entry| names_id(ListEntry::of(entry), id, own))
    }
}

impl Config {
    /// The setting for which nobody may use commands on a channel, and the reason; `None` where somebody may.
    pub fn commands_closed(&self, channel: &ChannelId) -> Option<(String, String)> {
        let settings = self.channels.get(channel)?;
        let platform = settings.platform(channel)?;
        let commands = &self.commands;
        if !commands.enabled {
            return Some((
                "commands.enabled".to_owned(),
                "directives and commands are text".to_owned(),
            ));
        }
        let named_here = |list: &[String]| {
            let provider = |entry: &String| ListEntry::of(entry).provider.map(str::to_owned);
            let here = |provider: String| is_provider(&provider, channel, platform);
            list.iter().any(|entry| provider(entry).is_none_or(here))
        };
        let closed = |key: String| Some((key, "nobody may use directives and commands here".to_owned()));
        if let Some((key, list)) = commands.list_for(channel, platform) {
            return (!named_here(list))
                .then(|| closed(format!("commands.allow_from.{key}")))
                .flatten();
        }
        let owners_only = settings.enforce_owner || !commands.owner_allow_from.is_empty();
        (owners_only && !named_here(&commands.owner_allow_from))
            .then(|| closed("commands.owner_allow_from".to_owned()))
            .flatten()
    }
}

/// Whether a provider of an allow list is this channel, by its name or its platform.
pub(crate) fn is_provider(provider: &str, channel: &ChannelId, platform: Platform) -> bool {
    provider.eq_ignore_ascii_case(channel.as_str()) || provider.eq_ignore_ascii_case(platform.code())
}

/// A list of ids as a value of a table.
#[derive(Deserialize)]
struct List(#[serde(deserialize_with = "access::ids")] Vec<String>);

fn lists<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    let lists = BTreeMap::<String, List>::deserialize(deserializer)?;
    Ok(lists.into_iter().map(|(key, List(ids))| (key, ids)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_channels::platform;

    #[test]
    fn it_is_said_where_nobody_may_use_commands() {
        let closed = |text: &str| {
            let path = std::path::Path::new("foldback.toml");
            let config = crate::config::parse(text, path).unwrap();
            config.commands_closed(&"telegram".into()).map(|(key, _)| key)
        };
        let owners = Some("commands.owner_allow_from".to_owned());
        assert_eq!(closed("[channels.telegram]\n"), None);
        assert_eq!(closed("[channels.telegram]\nenforce_owner = true\n"), owners);
        let elsewhere = "[commands]\nowner_allow_from = [\"discord:9\"]\n[channels.telegram]\n";
        assert_eq!(closed(elsewhere), owners);
        let named =
            "[commands]\nowner_allow_from = [\"telegram:9\"]\n[channels.telegram]\nenforce_owner = true\n";
        assert_eq!(closed(named), None);
        let listed = "[commands]\nallow_from = { telegram = [] }\n[channels.telegram]\n";
        assert_eq!(closed(listed), Some("commands.allow_from.telegram".into()));
    }

    #[test]
    fn the_list_of_a_channel_beats_that_of_its_platform_and_an_empty_one_counts() {
        let list =
            |key: &str, ids: &[&str]| (key.to_owned(), ids.iter().map(|id| (*id).to_owned()).collect());
        let config = CommandsConfig {
            allow_from: BTreeMap::from([list("*", &["1"]), list("telegram", &[]), list("work", &["2"])]),
            ..CommandsConfig::default()
        };
        let key = |channel: &str, platform| {
            let found = config.list_for(&channel.into(), platform);
            found.map(|(key, list)| (key.to_owned(), list.len()))
        };
        assert_eq!(key("work", platform::TELEGRAM), Some(("work".into(), 1)));
        assert_eq!(key("tg", platform::TELEGRAM), Some(("telegram".into(), 0)));
        assert_eq!(key("slack", platform::SLACK), Some(("*".into(), 1)));
        assert_eq!(
            CommandsConfig::default().list_for(&"a".into(), platform::SLACK),
            None
        );
    }
}
