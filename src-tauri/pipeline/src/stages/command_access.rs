//! Decides who may use directives and commands. Whoever may not is read as writing plain text.

use crate::{
    config::{ChannelConfig, CommandsConfig, ListEntry, is_provider, names_id},
    id::sender_ids,
    rules::{Rule, Rules},
};
use foldback_wire::{ChannelId, Inbound, Platform};

/// The settings that the decision is made from, beside the message.
#[derive(Clone, Copy)]
pub(crate) struct AccessContext<'a> {
    pub(crate) rules: Rules,
    pub(crate) platform: Platform,
    pub(crate) config: &'a CommandsConfig,
    pub(crate) settings: &'a ChannelConfig,
}

/// Rights of a sender who may talk to the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandAccess {
    /// The sender may use directives and commands.
    pub(crate) is_allowed: bool,
    /// The sender owns the bot, and may use commands for owners, too.
    pub(crate) is_owner: bool,
    /// The reason, in words.
    pub(crate) why: String,
    /// The setting that decides.
    pub(crate) setting: String,
}

/// The rights of a message's sender, whom a list may name by any id. A list that counts for the channel alone decides;
/// else, where owners are named or enforced, only they may. An owners' list that names nobody of this channel is closed
/// here, not open.
pub(crate) fn command_access(context: AccessContext<'_>, message: &Inbound) -> CommandAccess {
    let AccessContext {
        rules,
        platform,
        config,
        settings,
    } = context;
    let (channel, sender) = (&message.channel, message.sender.id.as_str());
    let has_id = |is_named: &dyn Fn(&str) -> bool| sender_ids(message).any(is_named);
    let is_owner = has_id(&|id| config.owner_entry(channel, platform, id).is_some());
    let is_owner = is_owner || !rules.holds(Rule::CommandOwner);
    let access = |is_allowed, why: String, setting: String| CommandAccess {
        is_allowed: is_allowed || !rules.holds(Rule::CommandAccess),
        is_owner,
        why,
        setting,
    };
    if let Some((key, list)) = config.list_for(channel, platform) {
        let own = |provider: &str| is_provider(provider, channel, platform);
        let named = has_id(&|id| list.iter().any(|entry| names_id(ListEntry::of(entry), id, own)));
        let not = if named { "" } else { "not " };
        return access(
            named,
            format!("{sender} is {not}in the list"),
            format!("commands.allow_from.{key}"),
        );
    }
    if settings.enforce_owner || !config.owner_allow_from.is_empty() {
        let not = if is_owner { "" } else { "not " };
        return access(
            is_owner,
            format!("{sender} is {not}an owner"),
            "commands.owner_allow_from".to_owned(),
        );
    }
    access(
        true,
        "no list says otherwise".to_owned(),
        "commands.allow_from".to_owned(),
    )
}

/// Whether the sender of a message that came on a channel of `platform` owns the bot on another channel, too, which
/// `there` is. An id is a person of one platform: an entry for another platform names somebody else who has such an id.
pub(crate) fn owns_other_channel(
    config: &CommandsConfig,
    (message, platform): (&Inbound, Option<Platform>),
    (there, platform_there): (&ChannelId, Option<Platform>),
) -> bool {
    let (Some(here), Some(platform_there)) = (platform, platform_there) else {
        return sender_ids(message).any(|id| config.owner_entry_everywhere(id).is_some());
    };
    sender_ids(message).any(|id| config.owns_other_channel(id, here, (there, platform_there)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::inbound;
    use foldback_channels::platform;

    fn list(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    /// Whether `sender` on Telegram may use commands, and owns the bot.
    fn access(config: &CommandsConfig, enforce_owner: bool, sender: &str) -> (bool, bool) {
        let settings = ChannelConfig {
            enforce_owner,
            ..ChannelConfig::default()
        };
        let mut message = inbound("/status");
        message.sender.id = sender.into();
        let context = AccessContext {
            rules: Rules::all(),
            platform: platform::TELEGRAM,
            config,
            settings: &settings,
        };
        let CommandAccess {
            is_allowed, is_owner, ..
        } = command_access(context, &message);
        (is_allowed, is_owner)
    }

    #[test]
    fn without_lists_whoever_may_talk_may_use_commands_and_nobody_owns_the_bot() {
        let config = CommandsConfig::default();
        assert_eq!(access(&config, false, "2"), (true, false));
        assert_eq!(access(&config, true, "2"), (false, false), "no owner is named");
    }

    #[test]
    fn where_owners_are_named_only_they_may() {
        let config = CommandsConfig {
            owner_allow_from: list(&["telegram:1"]),
            ..CommandsConfig::default()
        };
        assert_eq!(access(&config, false, "1"), (true, true));
        assert_eq!(access(&config, false, "2"), (false, false));
        let elsewhere = CommandsConfig {
            owner_allow_from: list(&["discord:9"]),
            ..CommandsConfig::default()
        };
        assert_eq!(access(&elsewhere, false, "2"), (false, false), "closed, not open");
    }

    #[test]
    fn a_list_for_the_provider_alone_decides() {
        let mut config = CommandsConfig {
            owner_allow_from: list(&["1"]),
            ..CommandsConfig::default()
        };
        config.allow_from.insert("*".into(), list(&["3"]));
        assert_eq!(access(&config, true, "3"), (true, false));
        assert_eq!(access(&config, true, "1"), (false, true));
        config.allow_from.insert("telegram".into(), Vec::new());
        assert_eq!(access(&config, false, "3"), (false, false));
    }

    #[test]
    fn an_owner_of_one_channel_owns_another_by_an_entry_that_counts_there() {
        let owns = |owners: &[&str], there: &str, platform_there| {
            let config = CommandsConfig {
                owner_allow_from: list(owners),
                ..CommandsConfig::default()
            };
            let mut message = inbound("/allowlist");
            message.sender.id = "1".into();
            let from = (&message, Some(platform::TELEGRAM));
            owns_other_channel(&config, from, (&there.into(), Some(platform_there)))
        };
        for everywhere in ["1", "*"] {
            assert!(owns(&[everywhere], "slack", platform::SLACK), "{everywhere}");
        }
        assert!(owns(&["telegram:1"], "work", platform::TELEGRAM));
        assert!(owns(&["work:1"], "work", platform::TELEGRAM));
        assert!(!owns(&["home:1"], "work", platform::TELEGRAM));
        assert!(!owns(&["telegram:1"], "slack", platform::SLACK));
        assert!(
            !owns(&["slack:1"], "slack", platform::SLACK),
            "that is another person"
        );
        assert!(
            !owns(&["slack:*"], "slack", platform::SLACK),
            "everybody of that platform"
        );
    }
}
