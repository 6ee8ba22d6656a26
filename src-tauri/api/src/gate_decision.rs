//! What would have let a message through, for every gate.

use foldback_wire::Gate;
use std::collections::BTreeMap;

/// The decision of a gate, as far as a person could change it.
#[derive(Clone, Copy)]
pub(crate) struct GateDecision<'a> {
    pub(crate) gate: Gate,
    pub(crate) inputs: &'a BTreeMap<String, String>,
    pub(crate) setting: Option<&'a str>,
}

impl GateDecision<'_> {
    fn input(&self, name: &str) -> &str {
        self.inputs.get(name).map_or("?", String::as_str)
    }

    fn key(&self) -> &str {
        self.setting.unwrap_or("the setting")
    }

    /// The key of the channel beside the one that decided.
    fn beside(&self, key: &str) -> String {
        match self.key().rsplit_once('.') {
            Some((table, _)) => format!("{table}.{key}"),
            None => key.to_owned(),
        }
    }

    /// A sentence that says what would change the decision.
    pub(crate) fn what_changes_it(&self) -> String {
        let key = self.key();
        match self.gate {
            Gate::EmptyMessage if self.setting.is_some() => {
                format!("Send the message again. With {key} = true the journal keeps such texts.")
            }
            Gate::EmptyMessage => "Write a text, or send a file or a place.".to_owned(),
            Gate::Duplicate => format!(
                "Nothing: turn #{} has the message. A copy runs only where that turn failed.",
                self.input("first_turn")
            ),
            Gate::TooOld if self.setting.is_some() => {
                format!("Write the message again, or keep events for longer with {key}.")
            }
            Gate::TooOld => "Write the message again.".to_owned(),
            Gate::InvalidId => "Nothing: no platform gives such an id.".to_owned(),
            Gate::ChannelClosed if self.inputs.contains_key("channel") => {
                format!("Add [{key}] to the configuration.")
            }
            Gate::ChannelClosed | Gate::SenderNotAllowed => {
                format!("Add {} to {key}.", self.input("sender"))
            }
            Gate::DirectDisabled => format!("Set {key} to pairing, allowlist or open."),
            Gate::Unpaired => format!(
                "Approve {sender} on the channel's card or with `foldback pairing`, add {sender} to {}, or set {key} \
                 to open.",
                self.beside("allow_from"),
                sender = self.input("sender"),
            ),
            Gate::GroupsDisabled => format!("Set {key} to allowlist or open."),
            Gate::ChatNotAllowed => format!("Add {} to {key}.", self.input("chat")),
            Gate::BotNotAllowed => format!("Set {key} to true."),
            Gate::OwnMessage => "Nothing: the bot does not answer itself.".to_owned(),
            Gate::NotMentioned if key.starts_with('/') => {
                format!("Mention the bot or answer one of its messages, or write {key}.")
            }
            Gate::NotMentioned => format!(
                "Mention the bot or answer one of its messages, write /activation always, or set {key} to false."
            ),
            Gate::BotTurnLimit => {
                format!(
                    "A person writes in the chat, or {key} is more than {}.",
                    self.input("bot_turns")
                )
            }
            _ => self.what_changes_the_queue(),
        }
    }

    fn what_changes_the_queue(&self) -> String {
        let key = self.key();
        match self.gate {
            Gate::QueueFull => format!(
                "Write it again when fewer than {waiting} wait, set {key} to more than {waiting}, or queue.drop to old or \
                 summarize.",
                waiting = self.input("waiting"),
            ),
            Gate::SenderLimit => format!(
                "Write it again in a minute, or set {key} to more than {}, or to 0 for no limit.",
                self.input("within_a_minute")
            ),
            Gate::Dropped => "Send the message again.".to_owned(),
            Gate::DeadTarget => format!(
                "Write in chat {chat}, or revive it with `foldback deliver --revive CHANNEL:{chat}`; then run the turn again.",
                chat = self.input("chat")
            ),
            Gate::Displaced => format!("Send it again, or set {key} to new or summarize."),
            Gate::NotTheAsker => format!(
                "{} answers it, or an operator does so in the console or with `foldback permission`.",
                self.input("asker")
            ),
            Gate::NothingAsked => {
                "Nothing: no request waits under this number, or it was answered already.".to_owned()
            }
            Gate::WhichAsked if self.inputs.contains_key("shown") => {
                "Allow it in the console or with `foldback permission`, which show all of it.".to_owned()
            }
            Gate::WhichAsked => format!(
                "Name one of them, as in /approve {first}, or decide in the console or with `foldback permission`.",
                first = self.input("waiting").split(", ").next().unwrap_or_default(),
            ),
            Gate::SendDenied if key.starts_with("channels.") => {
                format!("Write /send on in the session, or set {key} to allow.")
            }
            Gate::SendDenied => format!("Write {key} in the session."),
            _ => "Send the message again after the next start.".to_owned(),
        }
    }
}
