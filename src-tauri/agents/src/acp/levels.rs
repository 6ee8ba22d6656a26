//! What an agent offers of its session: models, how much it thinks, and where its commands run.
//!
//! The protocol has three ways to say it, and agents use each of them: options of the session with a category
//! (<https://agentclientprotocol.com/protocol/session-config-options>), the list of models from before there were
//! options, and modes that are called like think levels. What is set in a session stays set: for a run that asks for
//! nothing, the value comes back that the session had before a run asked for another one.

use crate::levels::{HOST_OPTION, LevelSupport, LevelSupports, NODE_OPTION, choose};
use agent_client_protocol::v1::schema::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOptions,
};
use foldback_wire::{Answerer, ModelOverride, RunLevel, ThinkLevel};
use serde_json::{Value, json};

/// A backend's name in the configuration.
pub(super) const BACKEND: &str = "acp";

/// The request that sets a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Setter {
    /// The option with this id.
    ConfigOption(String),
    /// The session's model.
    Model,
    /// The session's mode.
    Mode,
}

/// Something of the session that has one of several values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Selector {
    setter: Setter,
    /// The ids of the values, in the agent's order.
    values: Vec<String>,
    /// The present value; `None` where the agent did not tell, or nobody waited for the answer to a request.
    now: Option<String>,
    /// The value before a run asked for another one.
    before: Option<String>,
}

/// A request that sets a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SetRequest {
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// The value.
    pub(super) value: String,
}

/// The levels that a session offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OfferedLevels {
    model: Option<Selector>,
    think: Option<Selector>,
    host: Option<Selector>,
    node: Option<Selector>,
}

impl OfferedLevels {
    /// Reads the answer to `session/new` or `session/load`.
    pub(super) fn of_session(answer: &Value) -> Self {
        let mut offered = Self::default();
        offered.take_options(answer);
        if offered.model.is_none() {
            offered.model = models(&answer["models"]);
        }
        if offered.think.is_none() {
            offered.think = modes(&answer["modes"]);
        }
        offered
    }

    /// Reads the options that the answer to a request, or an update, has; one without any says nothing new.
    pub(super) fn take_options(&mut self, answer: &Value) {
        let options = answer["configOptions"].as_array().into_iter().flatten();
        let options: Vec<SessionConfigOption> = options
            .filter_map(|option| serde_json::from_value(option.clone()).ok())
            .collect();
        if options.is_empty() {
            return;
        }
        let of = |category| options.iter().find_map(|option| selector(option, &category));
        take(&mut self.model, of(SessionConfigOptionCategory::Model));
        take(&mut self.think, of(SessionConfigOptionCategory::ThoughtLevel));
        let other = |category: &str| of(SessionConfigOptionCategory::Other(category.to_owned()));
        take(&mut self.host, other(HOST_OPTION));
        take(&mut self.node, other(NODE_OPTION));
    }

    /// The session's mode was set by the configuration.
    pub(super) fn set_mode(&mut self, mode: &str) {
        for selector in self
            .think
            .iter_mut()
            .filter(|selector| selector.setter == Setter::Mode)
        {
            selector.now = Some(mode.to_owned());
        }
    }

    /// What it does with levels.
    pub(super) fn supports(&self) -> LevelSupports {
        let nobody = LevelSupports::none(Answerer {
            backend: BACKEND.to_owned(),
            model: None,
        });
        let missing = |what: &str| {
            LevelSupport::Unsupported(format!("{BACKEND} cannot set a {what}: the agent offers none"))
        };
        let think = self.think.as_ref().map(|selector| {
            let known = |level: &&ThinkLevel| value_of(&selector.values, **level).is_some();
            let levels = ThinkLevel::ALL.iter().filter(known);
            LevelSupport::Options(levels.map(|level| level.code().to_owned()).collect())
        });
        let values = |selector: &Option<Selector>| selector.as_ref().map(|it| it.values.clone());
        let model = values(&self.model);
        let place = |selector: &Option<Selector>, category: &str| {
            values(selector).map_or_else(
                || {
                    LevelSupport::Unsupported(format!(
                        "{BACKEND} decides itself where commands run: the agent offers no option of the category \
                         {category}"
                    ))
                },
                LevelSupport::Options,
            )
        };
        LevelSupports {
            host: place(&self.host, HOST_OPTION),
            node: place(&self.node, NODE_OPTION),
            think: think.unwrap_or_else(|| missing("think level")),
            model: model.map_or_else(|| missing("model"), LevelSupport::Options),
            ..nobody
        }
    }

    /// Request that gives the session a model, or the one that it had before. `None` where it has it already, or has no such
    /// model.
    pub(super) fn set_model(&mut self, session: &str, model: Option<&ModelOverride>) -> Option<SetRequest> {
        let selector = self.model.as_mut()?;
        match model {
            None => selector.set_back(session),
            Some(model) => {
                let value = choose(&selector.values, model.for_backend(BACKEND))?.to_owned();
                selector.set(session, value)
            }
        }
    }

    /// Request that gives the session a think level, or the one that it had before; `None` where none is needed.
    pub(super) fn set_think(&mut self, session: &str, level: Option<ThinkLevel>) -> Option<SetRequest> {
        let selector = self.think.as_mut()?;
        match level {
            None => selector.set_back(session),
            Some(level) => {
                let value = value_of(&selector.values, level)?.to_owned();
                selector.set(session, value)
            }
        }
    }

    /// Request that gives the session a place where commands run, or the one that it had before; `None` where none is needed.
    pub(super) fn set_place(
        &mut self,
        session: &str,
        level: RunLevel,
        place: Option<&str>,
    ) -> Option<SetRequest> {
        let selector = match level {
            RunLevel::Host => self.host.as_mut()?,
            RunLevel::Node => self.node.as_mut()?,
            RunLevel::Think | RunLevel::Model | RunLevel::Profile => return None,
        };
        match place {
            None => selector.set_back(session),
            Some(place) => {
                let value = selector.values.iter().find(|value| *value == place)?.clone();
                selector.set(session, value)
            }
        }
    }

    /// The agent has set the value.
    pub(super) fn is_set(&mut self, level: RunLevel, value: &str) {
        let selector = match level {
            RunLevel::Think => &mut self.think,
            RunLevel::Model | RunLevel::Profile => &mut self.model,
            RunLevel::Host => &mut self.host,
            RunLevel::Node => &mut self.node,
        };
        if let Some(selector) = selector {
            selector.now = Some(value.to_owned());
            if selector.before == selector.now {
                selector.before = None;
            }
        }
    }
}

impl Selector {
    fn set_back(&mut self, session: &str) -> Option<SetRequest> {
        let before = self.before.clone()?;
        self.set(session, before)
    }

    fn set(&mut self, session: &str, value: String) -> Option<SetRequest> {
        if self.now.as_ref() == Some(&value) {
            return None;
        }
        if self.before.is_none() {
            self.before = self.now.take().or_else(|| self.values.first().cloned());
        }
        // Known again once the agent has answered.
        self.now = None;
        let (method, params) = match &self.setter {
            Setter::ConfigOption(id) => (
                "session/set_config_option",
                json!({"sessionId": session, "configId": id, "value": value}),
            ),
            Setter::Model => (
                "session/set_model",
                json!({"sessionId": session, "modelId": value}),
            ),
            Setter::Mode => ("session/set_mode", json!({"sessionId": session, "modeId": value})),
        };
        Some(SetRequest {
            method,
            params,
            value,
        })
    }
}

/// Replaces what is known of a selector. What it had before stays known, as long as there still is such a value; one
/// that is gone is gone.
fn take(known: &mut Option<Selector>, told: Option<Selector>) {
    match (known, told) {
        (Some(known), Some(told)) if known.setter == told.setter => {
            let before = known.before.take();
            *known = told;
            known.before =
                before.filter(|value| known.values.contains(value) && known.now.as_ref() != Some(value));
        }
        (Some(known), None) if !matches!(known.setter, Setter::ConfigOption(_)) => {}
        (known, told) => *known = told,
    }
}

fn selector(option: &SessionConfigOption, category: &SessionConfigOptionCategory) -> Option<Selector> {
    let SessionConfigKind::Select(select) = &option.kind else {
        return None;
    };
    if option.category.as_ref() != Some(category) {
        return None;
    }
    let values = match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => {
            options.iter().map(|it| it.value.to_string()).collect()
        }
        SessionConfigSelectOptions::Grouped(groups) => {
            let options = groups.iter().flat_map(|group| &group.options);
            options.map(|it| it.value.to_string()).collect()
        }
        _ => return None,
    };
    Some(Selector {
        setter: Setter::ConfigOption(option.id.to_string()),
        values,
        now: Some(select.current_value.to_string()),
        before: None,
    })
}

/// The list of models that agents told before there were options.
fn models(models: &Value) -> Option<Selector> {
    listed(
        Setter::Model,
        &models["availableModels"],
        "modelId",
        &models["currentModelId"],
    )
}

/// Modes, where two of them at least are called like think levels. Most agents' modes say what the agent may do.
fn modes(modes: &Value) -> Option<Selector> {
    let selector = listed(
        Setter::Mode,
        &modes["availableModes"],
        "id",
        &modes["currentModeId"],
    )?;
    let levels = ThinkLevel::ALL
        .iter()
        .filter(|level| value_of(&selector.values, **level).is_some());
    (levels.count() > 1).then_some(selector)
}

fn listed(setter: Setter, list: &Value, id: &str, now: &Value) -> Option<Selector> {
    let values = list.as_array()?.iter();
    let values: Vec<String> = values
        .filter_map(|value| value[id].as_str().map(str::to_owned))
        .collect();
    Some(Selector {
        setter,
        values,
        now: now.as_str().map(str::to_owned),
        before: None,
    })
}

/// The agent's value for a think level.
fn value_of(values: &[String], level: ThinkLevel) -> Option<&str> {
    let names: &[&str] = match level {
        ThinkLevel::Off => &["off", "none", "disabled"],
        ThinkLevel::Minimal => &["minimal"],
        ThinkLevel::Low => &["low"],
        ThinkLevel::Medium => &["medium"],
        ThinkLevel::High => &["high"],
        ThinkLevel::XHigh => &["xhigh", "x-high", "extra-high", "extra_high"],
        ThinkLevel::Max => &["max", "maximum"],
    };
    let is_level = |value: &&String| names.iter().any(|name| value.eq_ignore_ascii_case(name));
    values.iter().find(is_level).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(id: &str, category: &str, now: &str, values: &[&str]) -> Value {
        let values: Vec<Value> = values
            .iter()
            .map(|value| json!({"value": value, "name": value}))
            .collect();
        json!({"id": id, "name": id, "category": category, "type": "select", "currentValue": now, "options": values})
    }

    fn model(name: &str) -> Option<ModelOverride> {
        ModelOverride::parse(name)
    }

    #[test]
    fn options_are_set_by_their_own_ids_and_go_back() {
        let mut offered = OfferedLevels::of_session(&json!({"configOptions": [
            option("mode", "mode", "ask", &["ask", "code"]),
            option("which", "model", "a/small", &["a/small", "b/large"]),
            option("effort", "thought_level", "medium", &["none", "medium", "high"]),
        ]}));
        assert_eq!(offered.supports().think.options(), ["off", "medium", "high"]);
        assert_eq!(offered.supports().model.options(), ["a/small", "b/large"]);
        let set = offered
            .set_model("s", model("acp/large").as_ref())
            .expect("another model");
        assert_eq!(set.method, "session/set_config_option");
        assert_eq!(
            set.params,
            json!({"sessionId": "s", "configId": "which", "value": "b/large"})
        );
        offered.is_set(RunLevel::Model, "b/large");
        assert_eq!(
            offered.set_model("s", model("b/large").as_ref()),
            None,
            "it has it"
        );
        let back = offered.set_model("s", None).expect("the one before");
        assert_eq!(back.value, "a/small");
        offered.is_set(RunLevel::Model, "a/small");
        assert_eq!(offered.set_model("s", None), None, "no run asked for another one");
        let off = offered.set_think("s", Some(ThinkLevel::Off)).expect("a level");
        assert_eq!(off.params["value"], "none");
        assert_eq!(
            offered.set_think("s", Some(ThinkLevel::Max)),
            None,
            "there is none"
        );
    }

    #[test]
    fn another_model_may_have_other_levels() {
        let thinks = option("effort", "thought_level", "low", &["low", "high"]);
        let models = option("which", "model", "a", &["a", "b"]);
        let mut offered = OfferedLevels::of_session(&json!({"configOptions": [models, thinks]}));
        offered.take_options(&json!({"configOptions": []}));
        assert!(
            offered.think.is_some(),
            "an answer without options says nothing new"
        );
        assert!(offered.set_model("s", model("b").as_ref()).is_some());
        offered.is_set(RunLevel::Model, "b");
        offered.take_options(&json!({"configOptions": [option("which", "model", "b", &["a", "b"])]}));
        assert_eq!(
            offered.set_model("s", None).map(|set| set.value),
            Some("a".to_owned())
        );
        assert_eq!(
            offered.supports().think,
            LevelSupport::Unsupported("acp cannot set a think level: the agent offers none".to_owned())
        );
    }

    #[test]
    fn lists_from_before_options_are_taken_and_modes_where_they_are_levels() {
        let models = json!({"currentModelId": "x", "availableModels": [
            {"modelId": "x", "name": "X"}, {"modelId": "y", "name": "Y"}]});
        let modes = |ids: &[&str]| {
            let all: Vec<Value> = ids.iter().map(|id| json!({"id": id, "name": id})).collect();
            json!({"currentModeId": ids[0], "availableModes": all})
        };
        let answer = json!({"models": models, "modes": modes(&["off", "low", "high"])});
        let mut offered = OfferedLevels::of_session(&answer);
        let set = offered.set_model("s", model("y").as_ref()).expect("a model");
        assert_eq!(
            (set.method, set.params),
            ("session/set_model", json!({"sessionId": "s", "modelId": "y"}))
        );
        let set = offered.set_think("s", Some(ThinkLevel::Low)).expect("a level");
        assert_eq!(
            (set.method, set.params),
            ("session/set_mode", json!({"sessionId": "s", "modeId": "low"}))
        );
        let other = OfferedLevels::of_session(&json!({"modes": modes(&["ask", "code"])}));
        assert_eq!(other, OfferedLevels::default());
    }
}
