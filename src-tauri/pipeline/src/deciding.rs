//! The setting behind a decision, with its value and the place that it comes from, as they were when the decision was
//! made: written down with the decision, so that "why not?" is answered from the journal, whatever is configured then.

use crate::config::Config;
use foldback_directives::Suppression;
use foldback_wire::{
    ActionRefusal, AgentFault, ChannelId, DecidingSetting, InlineDirectives, Kind, SettingSource,
};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Entries of a list that are told.
const ENTRIES: usize = 20;

/// The setting by which messages that are too many are kept off a chat.
const MOST_MESSAGES: &str = "output.max_messages";

/// The setting without which a suppressed text would be delivered. An acknowledgement needs none; where a pattern made a text
/// one, the decision itself names it.
pub const fn suppressing_setting(reason: Suppression) -> Option<&'static str> {
    match reason {
        Suppression::NoReply | Suppression::SilentToken => Some("output.dialects"),
        Suppression::HeartbeatAck => None,
    }
}

/// The setting that may help a run that failed. Only settings that the backend has: a program over ACP has no key of ours.
pub fn failing_setting(backend: &str, fault: AgentFault, detail: &str) -> Option<String> {
    let key = match (fault, backend) {
        (AgentFault::Timeout, _) => return late_setting(backend, detail),
        (_, "openai" | "anthropic" | "letta") => match fault {
            AgentFault::Unauthorized => "api_key",
            AgentFault::Unreachable => "base_url",
            AgentFault::NoModel => "model",
            AgentFault::Rejected if detail.contains("agent.openai.api") => "api",
            AgentFault::Rejected if detail.contains("the server has nothing at") => "base_url",
            _ => return None,
        },
        (AgentFault::Unauthorized, "acp") if detail.contains("way to sign in") => "sign_in",
        // The program signs in by itself, or with a key in its environment.
        (AgentFault::Unauthorized, "acp") => "env",
        (AgentFault::Unreachable, "acp") => "command",
        (AgentFault::NoModel, "acp") => "options",
        _ => return None,
    };
    Some(format!("agent.{backend}.{key}"))
}

/// The limit of time that a run reached, as it says in words.
fn late_setting(backend: &str, detail: &str) -> Option<String> {
    let limit = match detail.split(" for ").next().unwrap_or_default() {
        "the agent gave no sign of life" => return Some("agent.idle_timeout".to_owned()),
        "no answer" => "first_byte_timeout",
        "nothing came" => "silence_timeout",
        _ if detail.starts_with("the agent was not ready") => "start_timeout",
        _ if detail.starts_with("the run took longer") => "total_timeout",
        _ => return None,
    };
    match (backend, limit) {
        ("acp", _) => Some(format!("agent.acp.{limit}")),
        ("openai" | "anthropic" | "letta", "first_byte_timeout" | "silence_timeout") => {
            Some(format!("agent.{backend}.timeout"))
        }
        // The others have no setting for it.
        _ => None,
    }
}

/// The settings of a configuration, by their full names.
#[derive(Debug)]
pub struct NamedSettings {
    config: Arc<Config>,
    /// All values; made when the first is asked for, as a decision that names a setting is rare.
    values: OnceLock<Value>,
}

impl NamedSettings {
    /// Of this configuration.
    pub fn new(config: Arc<Config>) -> Self {
        Self {
            config,
            values: OnceLock::new(),
        }
    }

    /// A setting as it is on a channel: the channel's own key where it has one in the place of a key of `output`.
    pub fn deciding(&self, channel: Option<&ChannelId>, setting: &str) -> DecidingSetting {
        let own = channel.zip(setting.strip_prefix("output."));
        let own = own.map(|(channel, key)| format!("channels.{channel}.{key}"));
        let own = own.filter(|own| self.config.source_of(own) == SettingSource::Channel);
        let setting = own.unwrap_or_else(|| setting.to_owned());
        let values = self
            .values
            .get_or_init(|| serde_json::to_value(&*self.config).unwrap_or_default());
        DecidingSetting {
            value: find(values, &setting).map_or_else(|| "not set".to_owned(), in_words),
            source: self.config.source_of(&setting),
            setting,
        }
    }

    /// Adds to a decision the setting behind it, where there is one and it is not there yet.
    pub(crate) fn add_deciding_setting(&self, channel: Option<&ChannelId>, kind: &mut Kind) {
        let Some((setting, decided_by @ None)) = place(kind) else {
            return;
        };
        *decided_by = Some(Box::new(self.deciding(channel, &setting)));
    }
}

/// The setting that a decision names, and the place for what is known of it.
fn place(kind: &mut Kind) -> Option<(String, &mut Option<Box<DecidingSetting>>)> {
    match kind {
        Kind::InlineDirectives(InlineDirectives {
            setting: Some(setting),
            decided_by,
            ..
        })
        | Kind::Gathered {
            setting: Some(setting),
            decided_by,
            ..
        }
        | Kind::ActionRefused(ActionRefusal {
            setting: Some(setting),
            decided_by,
            ..
        })
        | Kind::Skipped {
            setting: Some(setting),
            decided_by,
            ..
        } => Some((setting.clone(), decided_by)),
        Kind::Suppressed {
            reason, decided_by, ..
        } => suppressing_setting(*reason).map(|setting| (setting.to_owned(), decided_by)),
        Kind::Truncated { decided_by, .. } => Some((MOST_MESSAGES.to_owned(), decided_by)),
        _ => None,
    }
}

/// The value under a full name. The name of a channel may hold dots.
fn find<'a>(values: &'a Value, setting: &str) -> Option<&'a Value> {
    if let Some(value) = values.get(setting) {
        return Some(value).filter(|value| !value.is_null());
    }
    let mut dots = setting.match_indices('.');
    dots.find_map(|(dot, _)| find(values.get(&setting[..dot])?, &setting[dot + 1..]))
}

/// A value in one line.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(entries) => {
            let mut told: Vec<_> = entries.iter().take(ENTRIES).map(in_words).collect();
            if let Some(more) = entries.len().checked_sub(ENTRIES).filter(|more| *more > 0) {
                told.push(format!("and {more} more"));
            }
            format!("[{}]", told.join(", "))
        }
        // What stands in a table may be a secret: the names are told.
        Value::Object(table) => {
            let names: Vec<_> = table.keys().take(ENTRIES).map(String::as_str).collect();
            format!("{{{}}}", names.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;
    use std::path::Path;

    fn settings(text: &str) -> NamedSettings {
        NamedSettings::new(Arc::new(parse(text, Path::new("foldback.toml")).unwrap()))
    }

    fn told(settings: &NamedSettings, setting: &str) -> (String, String, SettingSource) {
        let found = settings.deciding(Some(&"work.slack".into()), setting);
        (found.setting, found.value, found.source)
    }

    #[test]
    fn a_setting_is_told_with_its_value_and_the_place_it_comes_from() {
        use SettingSource::{Channel, Default, Global};
        let text = "[commands]\nowner_allow_from = [\"slack:1\", \"2\"]\n[output]\nmax_messages = 9\ndialects = []\n\
                    [channels.\"work.slack\"]\nkind = \"loopback\"\nplatform = \"slack\"\nmax_messages = 3\n";
        let settings = settings(text);
        for (setting, wanted) in [
            (
                "commands.owner_allow_from",
                ("commands.owner_allow_from", "[slack:1, 2]", Global),
            ),
            // The channel's own key counts there.
            (
                "output.max_messages",
                ("channels.work.slack.max_messages", "3", Channel),
            ),
            ("output.dialects", ("output.dialects", "[]", Global)),
            ("output.allow_targets", ("output.allow_targets", "[]", Default)),
            ("output.all_clear", ("output.all_clear", "not set", Default)),
        ] {
            let (name, value, source) = told(&settings, setting);
            assert_eq!((name.as_str(), value.as_str(), source), wanted);
        }
    }

    #[test]
    fn a_refused_action_has_the_setting_behind_it() {
        let settings = settings("[actions.bash]\ndeny = [\"rm -r\", \"sudo\"]\n");
        let mut kind = Kind::ActionRefused(ActionRefusal {
            index: 0,
            name: "bash".to_owned(),
            code: foldback_wire::ActionRefusalCode::Denied,
            detail: "it never runs".to_owned(),
            findings: Vec::new(),
            setting: Some("actions.bash.deny".to_owned()),
            decided_by: None,
        });
        settings.add_deciding_setting(None, &mut kind);
        let Kind::ActionRefused(ActionRefusal {
            decided_by: Some(found),
            ..
        }) = kind
        else {
            panic!("no setting was added");
        };
        assert_eq!(
            (found.setting.as_str(), found.value.as_str(), found.source),
            ("actions.bash.deny", "[rm -r, sudo]", SettingSource::Global)
        );
    }

    #[test]
    fn of_a_table_the_names_are_told_and_no_value() {
        let text = "[agent.acp]\ncommand = [\"agent\"]\nenv = { TOKEN = \"s3cret\", MODE = \"a\" }\n\
                    [agent.openai]\napi_key = { env = \"OPENAI_KEY\" }\n";
        let settings = settings(text);
        let value = |setting| told(&settings, setting).1;
        assert_eq!(value("agent.acp.env"), "{MODE, TOKEN}");
        assert_eq!(value("agent.openai.api_key"), "{env}");
    }

    #[test]
    fn of_a_long_list_the_first_entries_are_told_and_how_many_follow() {
        let ids: Vec<_> = (0..25).map(|id| format!("\"{id}\"")).collect();
        let text = format!("[commands]\nowner_allow_from = [{}]\n", ids.join(", "));
        let (_, value, _) = told(&settings(&text), "commands.owner_allow_from");
        assert!(
            value.starts_with("[0, 1, ") && value.ends_with(", 19, and 5 more]"),
            "{value}"
        );
    }
}
