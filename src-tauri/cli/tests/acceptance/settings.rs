//! Settings that findings and answers name: each of them exists.

use crate::foldback::foldback;
use serde_json::Value;
use std::{fs, path::Path};

/// Top-level tables of the configuration.
const TABLES: [&str; 9] = [
    "agent",
    "channels",
    "files",
    "outbox",
    "output",
    "queue",
    "speech",
    "store",
    "transcription",
];

/// Every setting in the text of these sources; a name that is filled in at run time stands in braces. Calls are code.
fn named_in(source: &str) -> Vec<String> {
    let is_key = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '{' | '}');
    let mut rest = source;
    let mut named = Vec::new();
    while let Some(begin) = rest.find(is_key) {
        let word = &rest[begin..];
        let end = word.find(|letter| !is_key(letter)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let setting = word.trim_end_matches('.');
        let in_table = setting
            .split_once('.')
            .is_some_and(|(table, key)| TABLES.contains(&table) && !key.is_empty());
        if in_table && !after.starts_with('(') {
            named.push(setting.to_owned());
        }
        rest = after;
    }
    named
}

/// The schemas that a schema stands for: behind its reference, or one of several.
fn meant<'a>(root: &'a Value, at: &'a Value) -> Vec<&'a Value> {
    let referred = at["$ref"]
        .as_str()
        .and_then(|name| root.pointer(name.trim_start_matches('#')));
    let several = ["anyOf", "allOf", "oneOf"]
        .into_iter()
        .filter_map(|name| at[name].as_array())
        .flatten();
    let further = referred
        .into_iter()
        .chain(several)
        .flat_map(|other| meant(root, other));
    std::iter::once(at).chain(further).collect()
}

/// A part in braces stands for a name that a person gives, or for any key.
fn exists(root: &Value, at: &Value, keys: &[&str]) -> bool {
    let [key, rest @ ..] = keys else { return true };
    meant(root, at).into_iter().any(|table| {
        let is_open = key.starts_with('{');
        let properties = table["properties"].as_object().into_iter().flatten();
        let mut fitting = properties
            .filter(|(name, _)| is_open || name == key)
            .map(|(_, schema)| schema)
            .chain(table.get("additionalProperties").filter(|more| more.is_object()));
        fitting.any(|schema| exists(root, schema, rest))
    })
}

#[test]
fn every_setting_that_doctor_and_why_name_is_in_the_schema() {
    let schema: Value = serde_json::from_str(&foldback(&["schema", "config"], "").stdout).unwrap();
    let is_setting = |name: &str| exists(&schema, &schema, &name.split('.').collect::<Vec<_>>());
    assert!(is_setting("agent.acp.env") && is_setting("channels.{id}.token"));
    assert!(!is_setting("agent.acp.api_key") && !is_setting("channels.{id}.tokens"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src/doctor", "../api/src/why"].map(|folder| root.join(folder));
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    files.push(root.join("../api/src/why.rs"));
    let mut count = 0;
    for file in files {
        for name in named_in(&fs::read_to_string(&file).unwrap()) {
            count += 1;
            assert!(is_setting(&name), "{} names {name}", file.display());
        }
    }
    assert!(count > 30, "{count}");
}
