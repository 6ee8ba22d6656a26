//! The settings of a session that people changed.

use foldback_directives::inbound::{Elevated, Exec, Model, Queue, Reasoning, Think, Verbose};
use foldback_wire::{GroupActivation, SendPolicy, SettingChange, SpeechMode, UsageLine, duration_in_words};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The settings of a session that a directive, a command or a person at the console stored. One that is absent was not
/// set, so that the channel's or the configuration's counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionSettings {
    /// Level of thinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
    /// Display of tool calls in the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbose: Option<Verbose>,
    /// Display of reasoning in the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
    /// Permissions of the agent's tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elevated: Option<Elevated>,
    /// Commands that the agent runs.
    pub exec: Exec,
    /// Model with its profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    /// Fate of messages during a run.
    pub queue: Queue,
    /// Fate of messages for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send: Option<SendPolicy>,
    /// Messages of a group that are for the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activation: Option<GroupActivation>,
    /// The line about tokens under an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageLine>,
    /// The answers that are spoken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speech: Option<SpeechMode>,
}

impl SessionSettings {
    /// Each setting that is set, by its name, with its value in canonical words.
    pub fn written(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("think", self.think.map(|level| level.to_string())),
            ("verbose", self.verbose.map(|level| level.to_string())),
            ("reasoning", self.reasoning.map(|level| level.to_string())),
            ("elevated", self.elevated.map(|level| level.to_string())),
            ("exec.host", self.exec.host.map(|host| host.to_string())),
            (
                "exec.security",
                self.exec.security.map(|security| security.to_string()),
            ),
            ("exec.ask", self.exec.ask.map(|ask| ask.to_string())),
            ("exec.node", self.exec.node.clone()),
            ("model", self.model.as_ref().map(Model::written)),
            ("queue.mode", self.queue.mode.map(|mode| mode.to_string())),
            (
                "queue.debounce",
                self.queue
                    .debounce_ms
                    .map(|ms| duration_in_words(Duration::from_millis(ms))),
            ),
            ("queue.cap", self.queue.cap.map(|cap| cap.to_string())),
            ("queue.drop", self.queue.drop.map(|drop| drop.to_string())),
            ("send", self.send.map(|policy| policy.to_string())),
            (
                "activation",
                self.activation.map(|activation| activation.to_string()),
            ),
            ("usage", self.usage.map(|line| line.to_string())),
            ("speech", self.speech.map(|mode| mode.to_string())),
        ];
        let set = all.into_iter();
        set.filter_map(|(name, value)| value.map(|value| (name, value)))
            .collect()
    }

    /// The changes that lead from these settings to others.
    pub fn changes_to(&self, later: &Self) -> Vec<SettingChange> {
        let (before, after) = (self.written(), later.written());
        let value_in = |all: &[(&'static str, String)], name: &str| {
            let found = all.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        };
        let gone = before.iter().filter(|(name, _)| value_in(&after, name).is_none());
        let names = after.iter().chain(gone).map(|(name, _)| *name);
        let change = |name: &str| SettingChange {
            setting: name.to_owned(),
            from: value_in(&before, name),
            to: value_in(&after, name),
        };
        let changes = names.map(change);
        changes.filter(|change| change.from != change.to).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_a_change() {
        let before = SessionSettings {
            think: Some(Think::High),
            verbose: Some(Verbose::On),
            send: Some(SendPolicy::Deny),
            ..SessionSettings::default()
        };
        let mut later = before.clone();
        later.verbose = Some(Verbose::Full);
        later.queue.cap = Some(5);
        later.send = None;
        let changes = before.changes_to(&later);
        let told: Vec<_> = changes
            .iter()
            .map(|c| (c.setting.as_str(), c.from.as_deref(), c.to.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                ("verbose", Some("on"), Some("full")),
                ("queue.cap", None, Some("5")),
                ("send", Some("deny"), None),
            ]
        );
        assert!(before.changes_to(&before).is_empty());
    }

    #[test]
    fn a_record_of_an_earlier_version_has_none() {
        let read: SessionSettings = serde_json::from_str("{}").unwrap();
        assert_eq!(read, SessionSettings::default());
        assert!(read.written().is_empty());
    }
}
