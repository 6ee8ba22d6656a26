//! Conversations: which messages share one, when it ends, and what a new one keeps.

use super::{Interval, TimeOfDay, Zone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings by which messages are put into conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionConfig {
    /// The unit that has a conversation of its own.
    pub scope: SessionScope,
    /// The name of one conversation that all direct chats share, on every channel, such as `main`: then each of their people
    /// can learn from the agent what the others wrote. When absent, each has its own, as `scope` says.
    pub main: Option<String>,
    /// The end of a conversation by itself; it goes on for ever where nothing is set.
    pub reset: ResetConfig,
    /// Words that begin a new conversation like `/new`, where they are the sender's whole text, in any case.
    pub reset_words: Vec<String>,
    /// The settings that a new conversation keeps, whether it begins with `/new` or by itself. All others are cleared.
    pub carry_over: Vec<CarriedSetting>,
    /// Tells the user when the agent does not have their conversation any more.
    pub tell_lost: bool,
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self {
            scope: SessionScope::default(),
            main: None,
            reset: ResetConfig::default(),
            reset_words: Vec::new(),
            carry_over: vec![CarriedSetting::Send, CarriedSetting::Activation],
            tell_lost: true,
        }
    }
}

impl SessionConfig {
    /// Whether a text is one of the words that begin a new conversation, and nothing else.
    pub(crate) fn is_reset_word(&self, text: &str) -> bool {
        // A text that is much longer is not looked at.
        let text = text.trim();
        let fits = |word: &&String| text.len() <= word.len() * 4;
        let mut words = self.reset_words.iter().filter(fits);
        words.any(|word| word.trim().to_lowercase() == text.to_lowercase())
    }

    /// True where each of those words can be a text.
    pub(super) fn has_words(&self) -> bool {
        self.reset_words.iter().all(|word| !word.trim().is_empty())
    }
}

/// The unit that has a conversation of its own. Threads always do, except in the scope `global`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SessionScope {
    /// Every person in every chat.
    #[default]
    PerSender,
    /// Every chat.
    PerChat,
    /// Everything together.
    Global,
}

/// The end of a conversation by itself. Where both rules are set, the one that comes first ends it. One in which a run is
/// under way does not end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResetConfig {
    /// The time of day, such as `04:00`, from which on the next message begins a new conversation.
    pub daily_at: Option<TimeOfDay>,
    /// The zone of that time, such as `Europe/Berlin`; this machine's when absent.
    pub zone: Option<Zone>,
    /// The time without a word of the conversation after which the next message begins a new one.
    pub idle: Option<Interval>,
}

/// A setting that a new conversation can keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CarriedSetting {
    /// The level of thinking (`/think`).
    Think,
    /// The display of tool calls (`/verbose`).
    Verbose,
    /// The display of reasoning (`/reasoning`).
    Reasoning,
    /// The permissions of the agent's tools (`/elevated`).
    Elevated,
    /// The commands that the agent runs (`/exec`).
    Exec,
    /// The model (`/model`).
    Model,
    /// The fate of messages during a run (`/queue`).
    Queue,
    /// Whether the agent answers at all (`/send`).
    Send,
    /// The messages of a group that are for the bot (`/activation`).
    Activation,
    /// The line about tokens under an answer (`/usage`).
    Usage,
    /// The answers that are spoken (`/tts`).
    Speech,
}

#[cfg(test)]
mod tests {
    use super::SessionConfig;
    use crate::config::parse;
    use std::path::Path;

    fn error(text: &str) -> String {
        let parsed = parse(text, Path::new("foldback.toml"));
        parsed.unwrap_err().to_string()
    }

    #[test]
    fn a_reset_word_is_the_whole_text_in_any_case() {
        let config = SessionConfig {
            reset_words: vec!["Fresh start".to_owned(), "ÄRA".to_owned()],
            ..SessionConfig::default()
        };
        for text in ["fresh start", " FRESH START\n", "ära"] {
            assert!(config.is_reset_word(text), "{text}");
        }
        for text in ["fresh", "a fresh start", "fresh start!", ""] {
            assert!(!config.is_reset_word(text), "{text}");
        }
        assert!(error("[session]\nreset_words = [\"a\", \" \"]\n").contains("session.reset_words: must"));
    }

    #[test]
    fn what_is_no_time_no_zone_and_no_setting_is_refused_with_its_place() {
        let text = "[session.reset]\ndaily_at = \"04:00\"\nzone = \"Europe/Berlin\"\nidle = \"2h\"\n";
        let reset = parse(text, Path::new("foldback.toml")).unwrap().session.reset;
        assert_eq!(reset.daily_at.unwrap().to_string(), "04:00");
        assert_eq!(reset.zone.unwrap().to_string(), "Europe/Berlin");
        for (line, place, words) in [
            (
                "[session.reset]\ndaily_at = \"24:00\"",
                "2:12",
                "is no time of day",
            ),
            ("[session.reset]\nzone = \"Mars/Base\"", "2:8", "is no time zone"),
            (
                "[session]\ncarry_over = [\"thing\"]",
                "2:15",
                "did you mean `think`?",
            ),
        ] {
            let told = error(line);
            assert!(told.starts_with(&format!("foldback.toml:{place}: ")), "{told}");
            assert!(told.contains(words), "{told}");
        }
    }
}
