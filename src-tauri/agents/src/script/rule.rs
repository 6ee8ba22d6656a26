//! Rules: which answer a script gives to which message.

use super::{Act, ScriptStep};
use foldback_wire::{ChannelId, Inbound, MessageId};
use regex::Regex;
use serde::{Deserialize, Serialize};

/// An answer and the messages it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Which messages; all of them when it says nothing.
    #[serde(default)]
    pub when: When,
    /// The answer. In its texts `{text}`, `{sender}` and `{message_id}` stand for those of the message.
    pub agent: Vec<ScriptStep>,
}

/// Conditions on a message; all that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// The message's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The channel it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<ChannelId>,
    /// Its text contains this, whatever the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// This regular expression matches somewhere in its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<String>,
}

/// A rule that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule {number}: `{pattern}` is not a regular expression: {detail}")]
pub struct RuleError {
    /// Which rule, from 1.
    pub number: usize,
    /// Its pattern.
    pub pattern: String,
    /// What is wrong.
    pub detail: String,
}

/// A rule ready for use.
#[derive(Debug)]
pub(crate) struct Prepared {
    when: When,
    contains: Option<String>,
    matches: Option<Regex>,
    steps: Vec<ScriptStep>,
}

impl Prepared {
    /// Prepares rules in their order.
    pub(crate) fn all(rules: Vec<Rule>) -> Result<Vec<Self>, RuleError> {
        let prepare = |(index, Rule { when, agent }): (usize, Rule)| {
            let compile = |pattern: &String| {
                Regex::new(pattern).map_err(|error| RuleError {
                    number: index + 1,
                    pattern: pattern.clone(),
                    detail: error.to_string(),
                })
            };
            Ok(Self {
                contains: when.contains.as_ref().map(|part| part.to_lowercase()),
                matches: when.matches.as_ref().map(compile).transpose()?,
                when,
                steps: agent,
            })
        };
        rules.into_iter().enumerate().map(prepare).collect()
    }

    /// Whether it answers this message.
    pub(crate) fn answers(&self, asked: &Asked<'_>) -> bool {
        let When { message, channel, .. } = &self.when;
        message.as_ref().is_none_or(|id| asked.message == Some(id))
            && channel
                .as_ref()
                .is_none_or(|channel| asked.channel == Some(channel))
            && self
                .contains
                .as_ref()
                .is_none_or(|part| asked.text.to_lowercase().contains(part))
            && self
                .matches
                .as_ref()
                .is_none_or(|pattern| pattern.is_match(asked.text))
    }

    /// Its answer to this message.
    pub(crate) fn answer(&self, asked: &Asked<'_>) -> Vec<ScriptStep> {
        let mut steps = self.steps.clone();
        fill_all(&mut steps, asked);
        steps
    }
}

fn fill_all(steps: &mut [ScriptStep], asked: &Asked<'_>) {
    for step in steps {
        match &mut step.act {
            Act::Text(text) => *text = fill(text, &asked.values()),
            Act::Steered(steered) => {
                fill_all(&mut steered.then, asked);
                fill_all(&mut steered.otherwise, asked);
            }
            Act::Permission(permission) => {
                for then in permission.branches() {
                    fill_all(then, asked);
                }
            }
            _ => {}
        }
    }
}

/// What a rule is asked about.
pub(crate) struct Asked<'a> {
    message: Option<&'a MessageId>,
    channel: Option<&'a ChannelId>,
    sender: &'a str,
    text: &'a str,
}

#[cfg(feature = "strict-server")]
impl<'a> Asked<'a> {
    /// A text from nowhere.
    pub(crate) fn of_text(text: &'a str) -> Self {
        Self {
            message: None,
            channel: None,
            sender: "",
            text,
        }
    }
}

impl<'a> Asked<'a> {
    /// What the placeholders stand for.
    pub(super) fn values(&self) -> [(&'static str, &'a str); 3] {
        [
            ("{text}", self.text),
            ("{sender}", self.sender),
            ("{message_id}", self.message.map_or("", MessageId::as_str)),
        ]
    }
}

impl<'a> From<&'a Inbound> for Asked<'a> {
    fn from(message: &'a Inbound) -> Self {
        Self {
            message: Some(&message.message),
            channel: Some(&message.channel),
            sender: &message.sender.display_name,
            text: &message.text,
        }
    }
}

/// Replaces the placeholders in one pass, so that a message cannot smuggle in another placeholder.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        filled.push_str(before);
        let (name, value) = values
            .iter()
            .copied()
            .find(|(name, _)| from.starts_with(name))
            .unwrap_or(("{", "{"));
        filled.push_str(value);
        rest = from.get(name.len()..).unwrap_or_default();
    }
    filled.push_str(rest);
    filled
}
