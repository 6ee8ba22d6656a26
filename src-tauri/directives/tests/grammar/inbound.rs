//! The vectors of users' messages.

use foldback_directives::inbound::{Settings, Think};
use serde_json::Value;

/// The files of vectors: those given and those of ours.
pub(crate) const FILES: [&str; 2] = ["inbound.jsonl", "own-inbound.jsonl"];

pub(crate) struct Vector {
    /// Its id, and its name where it has one.
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) settings: Settings,
    pub(crate) expect: Value,
}

/// The vectors of a file in `fixtures/vectors`.
pub(crate) fn vectors(file: &str) -> Vec<Vector> {
    let path = format!("{}/../../fixtures/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(vector).collect()
}

fn vector(line: &str) -> Vector {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let text = |key: &str| value[key].as_str().unwrap_or_default();
    let settings = &value["settings"];
    let words = |key: &str| -> Option<Vec<String>> {
        let list = settings[key].as_array()?.iter();
        Some(list.filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let levels = |words: Vec<String>| words.iter().filter_map(|word| Think::from_code(word)).collect();
    Vector {
        id: format!("{} {}", text("id"), text("name")),
        text: text("input").to_owned(),
        settings: Settings {
            authorized: settings["authorized"].as_bool().unwrap_or(true),
            aliases: words("aliases").unwrap_or_default(),
            models: words("models"),
            think: words("think").map(levels),
        },
        expect: value["expect"].clone(),
    }
}
