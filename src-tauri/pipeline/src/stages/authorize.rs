//! Decides who may talk to the bot. Nobody, unless the channel's settings say so; commands are no exception.

use crate::{
    config::{ChannelConfig, DmPolicy, GroupPolicy, ListEntry, is_provider, names_id},
    flow::{Flow, Stop},
    id::{flaw, sender_ids},
    rules::{Rule, Rules},
};
use foldback_wire::{Actor, ChatType, Gate, Inbound, Platform, Stage};

/// The facts that the stage decides from, beside the message.
pub(crate) struct AuthorizeContext<'a> {
    pub(crate) rules: Rules,
    pub(crate) platform: Platform,
    pub(crate) settings: &'a ChannelConfig,
    /// The operator who let the sender in, where one did.
    pub(crate) approved: Option<&'a Actor>,
    /// True where the bot wrote the message itself.
    pub(crate) own: bool,
}

/// Passes a sender whom the settings let in, and answers why. The gate [`Gate::Unpaired`] means that an operator
/// can be asked.
pub(crate) fn authorize(context: &AuthorizeContext<'_>, message: &Inbound) -> Flow<String> {
    match context.decide(message) {
        Flow::Stop(stop) => match command(&message.text) {
            Some(_) if !context.rules.holds(Rule::AuthorizeCommand) => {
                Flow::Continue("wrote a command (nobody asked)".to_owned())
            }
            Some(command) => Flow::Stop(Box::new(stop.given("command", command))),
            None => Flow::Stop(stop),
        },
        passed @ Flow::Continue(_) => passed,
    }
}

/// The command that a text begins with, such as `/status`.
fn command(text: &str) -> Option<&str> {
    let word = text.trim_start().split([' ', '\t', '\n', ':', '@']).next()?;
    let name = word.strip_prefix('/')?;
    let is_name = name.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|sign| sign.is_ascii_alphanumeric() || sign == b'_');
    is_name.then_some(word)
}

impl AuthorizeContext<'_> {
    fn decide(&self, message: &Inbound) -> Flow<String> {
        let holds = |rule| self.rules.holds(rule);
        if holds(Rule::AuthorizeIds) {
            for (whose, id) in [
                ("sender", message.sender.id.as_str()),
                ("chat", message.chat.as_str()),
            ] {
                if let Some(flaw) = flaw(id) {
                    let detail = format!("the {whose} has no id: {flaw}");
                    return Stop::new(Stage::Authorize, Gate::InvalidId, detail)
                        .given(whose, format!("{} B", id.len()))
                        .flow();
                }
            }
        }
        if self.own && holds(Rule::AuthorizeOwn) {
            let detail = format!("the bot wrote message {} itself", message.message);
            return Stop::new(Stage::Authorize, Gate::OwnMessage, detail)
                .given("message", message.message.as_str())
                .flow();
        }
        if message.sender.is_bot && !self.settings.allow_bots && holds(Rule::AuthorizeBots) {
            let detail = format!("{} is a bot, and allow_bots is off", message.sender.id);
            return stop(message, Gate::BotNotAllowed, detail, "allow_bots")
                .given("allow_bots", "false")
                .flow();
        }
        match message.chat_type {
            ChatType::Group if holds(Rule::AuthorizeGroup) => self.group(message),
            ChatType::Direct if holds(Rule::AuthorizeDirect) => self.direct(message),
            ChatType::Group | ChatType::Direct => {
                self.on_list(message, &self.settings.allow_from, "allow_from")
            }
        }
    }

    fn direct(&self, message: &Inbound) -> Flow<String> {
        let listed = || self.on_list(message, &self.settings.allow_from, "allow_from");
        match self.settings.dm_policy {
            DmPolicy::Open => Flow::Continue("by dm_policy = open".to_owned()),
            DmPolicy::Allowlist => listed(),
            DmPolicy::Disabled => {
                let detail = "direct messages are switched off".to_owned();
                stop(message, Gate::DirectDisabled, detail, "dm_policy")
                    .given("dm_policy", "disabled")
                    .flow()
            }
            DmPolicy::Pairing => {
                if let Flow::Continue(entry) = listed() {
                    return Flow::Continue(entry);
                }
                if let Some(by) = self.approved.filter(|_| self.rules.holds(Rule::PairingApproved)) {
                    return Flow::Continue(format!("by an operator's approval ({by:#})"));
                }
                let sender = &message.sender.id;
                if message.sender.is_bot {
                    let detail = format!("{sender} is a bot, and bots are not offered a code");
                    return stop(message, Gate::SenderNotAllowed, detail, "allow_from").flow();
                }
                let detail = format!("{sender} is neither on the list nor approved");
                stop(message, Gate::Unpaired, detail, "dm_policy")
                    .given("dm_policy", "pairing")
                    .flow()
            }
        }
    }

    fn group(&self, message: &Inbound) -> Flow<String> {
        let settings = self.settings;
        if settings.group_policy == GroupPolicy::Disabled {
            let detail = "messages in groups are switched off".to_owned();
            return stop(message, Gate::GroupsDisabled, detail, "group_policy")
                .given("group_policy", "disabled")
                .flow();
        }
        if let Some(groups) = &settings.groups
            && self.rules.holds(Rule::AuthorizeChats)
            && self.named(groups, message, message.chat.as_str()).is_none()
        {
            let detail = format!("{} is none of the channel's groups", message.chat);
            return stop(message, Gate::ChatNotAllowed, detail, "groups")
                .given("chat", message.chat.as_str())
                .given("groups", format!("[{}]", groups.join(", ")))
                .flow();
        }
        if settings.group_policy == GroupPolicy::Open {
            return Flow::Continue("by group_policy = open".to_owned());
        }
        let (list, key) = settings.group_list();
        self.on_list(message, list, key)
    }

    /// Passes a sender whom a list names by any id. Names never count: people choose them.
    fn on_list(&self, message: &Inbound, list: &[String], key: &str) -> Flow<String> {
        let setting = format!("channels.{}.{key}", message.channel);
        let refused = |gate, detail| {
            stop(message, gate, detail, key)
                .given(key, format!("[{}]", list.join(", ")))
                .flow()
        };
        if list.is_empty() && self.rules.holds(Rule::AuthorizeClosed) {
            let detail = format!("{setting} is empty");
            return refused(Gate::ChannelClosed, detail);
        }
        let named = sender_ids(message).find_map(|id| self.named(list, message, id));
        match named {
            Some(entry) => Flow::Continue(format!("matches {key} \"{entry}\"")),
            None if !self.rules.holds(Rule::AuthorizeDeny) => Flow::Continue("(nobody asked)".to_owned()),
            None => refused(
                Gate::SenderNotAllowed,
                format!("{} is not in {setting}", message.sender.id),
            ),
        }
    }

    /// The entry of a list that names an id: `*`, the id, or `provider:id`, where the provider is the channel's
    /// name or platform. Entries for other providers name nobody here.
    fn named<'l>(&self, list: &'l [String], message: &Inbound, wanted: &str) -> Option<&'l str> {
        let own = |provider: &str| {
            self.rules.holds(Rule::AuthorizeProvider)
                && is_provider(provider, &message.channel, self.platform)
        };
        let names = |entry: &&String| names_id(ListEntry::of(entry), wanted, own);
        list.iter().find(names).map(String::as_str)
    }
}

/// A stop that a key of the channel would change.
fn stop(message: &Inbound, gate: Gate, detail: String, key: &str) -> Stop {
    Stop::new(Stage::Authorize, gate, detail)
        .given("sender", message.sender.id.as_str())
        .changed_by(format!("channels.{}.{key}", message.channel))
}

#[cfg(test)]
pub(crate) mod tests;
