//! The names of all settings, as an operator writes them.

use super::schema;
use serde_json::Value;
use std::collections::BTreeSet;

/// As deep as tables go, channels of channels and the alternatives of a table included.
const DEEPEST: usize = 6;

/// The path of each setting (`agent.permissions.timeout`), the ends of it that have a point (`permissions.timeout`), and
/// each key that is no English word (`in_chat`). No sentence to people in a chat has one of them.
pub fn setting_names() -> BTreeSet<String> {
    let schema = serde_json::to_value(schema()).unwrap_or_default();
    let mut names = BTreeSet::new();
    collect_names(&schema, &schema, &mut Vec::new(), &mut names);
    names
}

fn collect_names(schema: &Value, at: &Value, path: &mut Vec<String>, names: &mut BTreeSet<String>) {
    if path.len() > DEEPEST {
        return;
    }
    let table = at["$ref"].as_str();
    if let Some(table) = table.and_then(|table| schema.pointer(table.trim_start_matches('#'))) {
        collect_names(schema, table, path, names);
    }
    for of in ["anyOf", "oneOf", "allOf"] {
        for at in at[of].as_array().into_iter().flatten() {
            collect_names(schema, at, path, names);
        }
    }
    if at["additionalProperties"].is_object() {
        path.push("NAME".to_owned());
        collect_names(schema, &at["additionalProperties"], path, names);
        path.pop();
    }
    for (key, at) in at["properties"].as_object().into_iter().flatten() {
        path.push(key.clone());
        for from in 0..path.len() - 1 {
            names.insert(path[from..].join("."));
        }
        if key.contains('_') {
            names.insert(key.clone());
        }
        collect_names(schema, at, path, names);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_their_ends_and_keys_that_are_no_words_are_names() {
        let names = setting_names();
        for known in [
            "agent.permissions.timeout",
            "permissions.timeout",
            "in_chat",
            "max_messages",
            "speech.max_chars",
        ] {
            assert!(names.contains(known), "{known} is not among {names:?}");
        }
        assert!(!names.contains("timeout"), "that is a word");
    }
}
