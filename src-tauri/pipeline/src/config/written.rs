//! The keys that a configuration sets, to tell a value that a person wrote from a default.

use super::Config;
use foldback_wire::SettingSource;
use serde_json::Value;
use std::collections::BTreeSet;

/// The full names of the keys that are written, such as `channels.slack.allow_from`, and of the tables around them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenKeys(BTreeSet<String>);

impl WrittenKeys {
    /// Adds the keys of these tables.
    pub fn add_tables(&mut self, tables: &Value) {
        self.add(tables, "");
    }

    fn add(&mut self, value: &Value, above: &str) {
        let Value::Object(table) = value else { return };
        for (key, value) in table {
            let name = if above.is_empty() {
                key.clone()
            } else {
                format!("{above}.{key}")
            };
            self.add(value, &name);
            self.0.insert(name);
        }
    }
}

impl Config {
    /// The place that the value of a setting comes from, by its full name: the channel's table, another table, or the
    /// default where nothing is written. A setting of the chat, such as `/send`, comes from the session.
    pub fn source_of(&self, setting: &str) -> SettingSource {
        if setting.starts_with('/') {
            return SettingSource::Session;
        }
        match self.written.0.contains(setting) {
            true if setting.starts_with("channels.") => SettingSource::Channel,
            true => SettingSource::Global,
            false => SettingSource::Default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;
    use SettingSource::{Channel, Default, Global, Session};

    #[test]
    fn a_value_comes_from_the_table_in_which_it_is_written_else_it_is_the_default() {
        let text = "queue.per_sender = 3\n[channels.slack]\nkind = \"loopback\"\nallow_from = []\n";
        let config = parse(text, std::path::Path::new("foldback.toml")).unwrap();
        let sources = [
            "channels.slack.allow_from",
            "channels.slack.allow_bots",
            "queue.per_sender",
            "store.keep",
            "/send on",
        ]
        .map(|setting| config.source_of(setting));
        assert_eq!(sources, [Channel, Default, Global, Default, Session]);
    }
}
