//! What a run is asked for beside its prompt: how much the agent thinks, which model answers, and where its commands run.

use crate::closed::closed_set;
use serde::{Deserialize, Serialize};
use std::fmt;

closed_set! {
    /// How much an agent thinks before it answers, from nothing to as much as it can.
    pub enum ThinkLevel {
        Off = "off": "It answers at once.",
        Minimal = "minimal": "It thinks as little as it can.",
        Low = "low": "It thinks briefly.",
        Medium = "medium": "It thinks for a while.",
        High = "high": "It thinks for long.",
        XHigh = "xhigh": "It thinks for longer than a model usually does.",
        Max = "max": "It thinks for as long as the model can.",
    }
}

closed_set! {
    /// A level that a run can be asked for. Not every backend knows each of them.
    pub enum RunLevel {
        Think = "think": "How much the agent thinks.",
        Model = "model": "Which model answers.",
        Profile = "profile": "Which of several accounts or credentials of the backend is used.",
        Host = "host": "Where the agent's commands run.",
        Node = "node": "On which machine the agent's commands run.",
    }
}

/// The levels that a run is asked for; the backend's own where one is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct RunLevels {
    /// How much the agent thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub think: Option<ThinkLevel>,
    /// Which model answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub model: Option<ModelOverride>,
    /// Where its commands run, as `/exec host=` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub host: Option<String>,
    /// On which machine its commands run, as `/exec node=` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<String>,
}

impl RunLevels {
    /// True where the backend is asked for nothing.
    pub const fn is_empty(&self) -> bool {
        self.think.is_none() && self.model.is_none() && self.host.is_none() && self.node.is_none()
    }

    /// The value that is asked for of a level, as a person writes it.
    pub fn asked(&self, level: RunLevel) -> Option<&str> {
        match level {
            RunLevel::Think => self.think.map(ThinkLevel::code),
            RunLevel::Model => self.model.as_ref().map(|model| model.name.as_str()),
            RunLevel::Profile => self.model.as_ref()?.profile.as_deref(),
            RunLevel::Host => self.host.as_deref(),
            RunLevel::Node => self.node.as_deref(),
        }
    }
}

/// A model in the place of the configured one, written `[BACKEND/]MODEL[@PROFILE]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct ModelOverride {
    /// The name as it was written, without the profile. It may begin with the name of a backend and `/`; any other
    /// `/` belongs to the model's own name.
    pub name: String,
    /// The profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub profile: Option<String>,
}

impl ModelOverride {
    /// Reads `[BACKEND/]MODEL[@PROFILE]`. `None` where the model or the profile is empty.
    pub fn parse(written: &str) -> Option<Self> {
        let (name, profile) = match written.trim().rsplit_once('@') {
            None => (written.trim(), None),
            Some((name, profile)) => (name, Some(profile)),
        };
        let empty = name.is_empty() || name.ends_with('/') || profile == Some("");
        (!empty).then(|| Self {
            name: name.to_owned(),
            profile: profile.map(str::to_owned),
        })
    }

    /// The model's name for this backend: without the backend's own name before it.
    pub fn for_backend(&self, backend: &str) -> &str {
        let own = self.name.strip_prefix(backend);
        own.and_then(|rest| rest.strip_prefix('/')).unwrap_or(&self.name)
    }

    /// True where the name begins with this backend.
    pub fn names_backend(&self, backend: &str) -> bool {
        self.for_backend(backend).len() < self.name.len()
    }
}

impl fmt::Display for ModelOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.profile {
            Some(profile) => write!(f, "{}@{profile}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_read_with_backend_and_profile() {
        let read = |written: &str| {
            let model = ModelOverride::parse(written).expect(written);
            assert_eq!(model.to_string(), written.trim());
            (model.for_backend("openai").to_owned(), model.profile)
        };
        assert_eq!(read("gpt-5"), ("gpt-5".to_owned(), None));
        assert_eq!(
            read(" openai/gpt-5@work "),
            ("gpt-5".to_owned(), Some("work".to_owned()))
        );
        assert_eq!(read("qwen/qwen3-8b"), ("qwen/qwen3-8b".to_owned(), None));
        assert_eq!(read("openai/qwen/qwen3-8b"), ("qwen/qwen3-8b".to_owned(), None));
        assert_eq!(read("openaiish/m"), ("openaiish/m".to_owned(), None));
        for nothing in ["", "  ", "@work", "openai/", "m@", "openai/@work"] {
            assert_eq!(ModelOverride::parse(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn what_is_asked_is_told_by_level() {
        let levels = RunLevels {
            think: Some(ThinkLevel::XHigh),
            model: ModelOverride::parse("anthropic/claude@work"),
            ..RunLevels::default()
        };
        let asked = |level| levels.asked(level);
        assert_eq!(asked(RunLevel::Think), Some("xhigh"));
        assert_eq!(asked(RunLevel::Model), Some("anthropic/claude"));
        assert_eq!(asked(RunLevel::Profile), Some("work"));
        assert!(!levels.is_empty() && RunLevels::default().is_empty());
        assert_eq!(
            serde_json::to_string(&levels).expect("JSON"),
            r#"{"think":"xhigh","model":{"name":"anthropic/claude","profile":"work"}}"#
        );
        assert_eq!(serde_json::to_string(&RunLevels::default()).expect("JSON"), "{}");
    }
}
