//! The request's body.

use super::config::{ConfigError, OpenAiConfig};
use crate::history::Exchange;
use serde_json::{Map, Value, json};

/// Fields that only Foldback writes: with others here the answer would not be the one it waits for.
const RESERVED: [&str; 3] = ["model", "messages", "stream"];

/// Refuses extra fields that would break the request.
pub(crate) fn check_extra(extra: &Map<String, Value>) -> Result<(), ConfigError> {
    match RESERVED.into_iter().find(|name| extra.contains_key(*name)) {
        Some(name) => Err(ConfigError::Reserved {
            name: name.to_owned(),
        }),
        None => Ok(()),
    }
}

/// The body that asks `prompt` after `history`.
pub(crate) fn body(config: &OpenAiConfig, history: &[Exchange], prompt: &str) -> Value {
    let message = |role: &str, content: &str| json!({"role": role, "content": content});
    let mut messages: Vec<Value> = Vec::with_capacity(history.len() * 2 + 2);
    messages.extend(config.system.as_deref().map(|system| message("system", system)));
    for exchange in history {
        messages.push(message("user", &exchange.prompt));
        messages.push(message("assistant", &exchange.reply));
    }
    messages.push(message("user", prompt));
    let mut fields = Map::new();
    fields.insert("model".to_owned(), json!(config.model));
    fields.insert("messages".to_owned(), Value::Array(messages));
    fields.insert("stream".to_owned(), json!(true));
    fields.insert("stream_options".to_owned(), json!({"include_usage": true}));
    for (name, value) in &config.extra {
        if value.is_null() {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), value.clone());
        }
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_was_said_before() {
        let mut config = OpenAiConfig::new("http://127.0.0.1/v1", "m");
        config.system = Some("Be brief.".to_owned());
        let history = [Exchange {
            prompt: "one".to_owned(),
            reply: "1".to_owned(),
        }];
        assert_eq!(
            body(&config, &history, "two"),
            json!({"model": "m", "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "one"},
                {"role": "assistant", "content": "1"},
                {"role": "user", "content": "two"},
            ], "stream": true, "stream_options": {"include_usage": true}})
        );
    }

    #[test]
    fn extra_fields_are_added_and_taken_out() {
        let mut config = OpenAiConfig::new("http://127.0.0.1/v1", "m");
        config.extra.insert("temperature".to_owned(), json!(0.2));
        config.extra.insert("stream_options".to_owned(), Value::Null);
        let body = body(&config, &[], "hi");
        assert_eq!(body.get("temperature"), Some(&json!(0.2)));
        assert_eq!(body.get("stream_options"), None);
        config.extra.insert("stream".to_owned(), json!(false));
        let error = check_extra(&config.extra).expect_err("reserved");
        assert_eq!(
            error.to_string(),
            "extra field `stream` is written by Foldback itself"
        );
    }
}
