//! Models and think levels that the agent offers, where the variable `OFFERS` says so.

use serde_json::{Value, json};
use std::env;

/// What is offered, in one of the protocol's ways: `options`, or `lists` of models and modes from before there were
/// options. The large model does not think. A value that ends with `refused` is offered and not taken.
pub(super) struct Offer {
    way: Option<String>,
    model: String,
    effort: String,
    host: String,
}

impl Offer {
    /// As the variable says.
    pub(super) fn from_env() -> Self {
        Self {
            way: env::var("OFFERS").ok(),
            model: "a/small".to_owned(),
            effort: "medium".to_owned(),
            host: "sandbox".to_owned(),
        }
    }

    /// What the answer to `session/new` and `session/load` has of it.
    pub(super) fn told(&self) -> Value {
        let named = |ids: &[&str], id: &str| -> Vec<Value> {
            ids.iter()
                .map(|value| json!({id: value, "name": value}))
                .collect()
        };
        let models = ["a/small", "b/large", "b/refused"];
        match self.way.as_deref() {
            Some("options") => {
                let option = |id: &str, category: &str, now: &str, values: &[&str]| {
                    json!({"id": id, "name": id, "category": category, "type": "select", "currentValue": now,
                        "options": named(values, "value")})
                };
                let mut options = vec![
                    option("mode", "mode", "ask", &["ask", "code"]),
                    option("which", "model", &self.model, &models),
                    option("where", "_exec_host", &self.host, &["sandbox", "gateway"]),
                ];
                if self.model != "b/large" {
                    options.push(option(
                        "effort",
                        "thought_level",
                        &self.effort,
                        &["none", "medium", "high"],
                    ));
                }
                json!({"configOptions": options})
            }
            Some("lists") => json!({
                "models": {"currentModelId": self.model, "availableModels": named(&models, "modelId")},
                "modes": {"currentModeId": self.effort, "availableModes": named(&["off", "medium", "high"], "id")}
            }),
            _ => json!({}),
        }
    }

    /// Sets what is asked for; `None` where it is refused.
    pub(super) fn set(&mut self, method: &str, params: &Value) -> Option<Value> {
        let value = ["value", "modelId", "modeId"]
            .iter()
            .find_map(|name| params[*name].as_str())
            .unwrap_or_default();
        if value.ends_with("refused") {
            return None;
        }
        match (method, params["configId"].as_str()) {
            ("session/set_model", _) | (_, Some("which")) => value.clone_into(&mut self.model),
            (_, Some("where")) => value.clone_into(&mut self.host),
            ("session/set_mode", _) | (_, Some("effort")) => value.clone_into(&mut self.effort),
            _ => {}
        }
        match self.told() {
            told if told["configOptions"].is_array() => Some(told),
            _ => Some(json!({"configOptions": []})),
        }
    }
}
