//! The actions as somebody needs them who writes one by hand: from their rows.

use foldback_actions::{ActionRow, ActionTable, known_actions};
use foldback_pipeline::config::Config;
use foldback_wire::rpc::{CatalogAction, PayloadKey};
use serde_json::{Map, Value, json};

/// All actions by name, with the setting of those that are off.
pub(super) fn actions(config: &Config, table: &ActionTable) -> Vec<CatalogAction> {
    let bash = &config.actions.bash;
    let known = known_actions(bash.timeout.0, bash.most_output());
    let off = known.iter().filter(|known| table.row(&known.row.name).is_none());
    let off = off.map(|known| action(&known.row, Some(known.setting)));
    let mut all: Vec<_> = table.rows().map(|row| action(row, None)).chain(off).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

fn action(row: &ActionRow, off: Option<&str>) -> CatalogAction {
    let keys = keys(&row.payload);
    let payload: Map<_, _> = keys
        .iter()
        .filter(|key| key.required)
        .map(|key| (key.name.clone(), to_fill_in(key)))
        .collect();
    CatalogAction {
        name: row.name.clone(),
        about: row.about.clone(),
        access: row.access,
        turns: row.turns.clone(),
        confirmation: row.confirmation,
        // The order of the keys is what makes it an action where it stands by itself.
        template: format!(
            "{{\"type\":{},\"payload\":{}}}",
            Value::from(row.name.as_str()),
            Value::Object(payload)
        ),
        keys,
        off: off.map(str::to_owned),
    }
}

/// A value for a key that is required: the first one that it takes, or an empty one of its type.
fn to_fill_in(key: &PayloadKey) -> Value {
    if let Some(first) = key.values.first() {
        return serde_json::from_str(first).unwrap_or_default();
    }
    match key.types.first().map(String::as_str) {
        Some("string") => json!(""),
        Some("integer" | "number") => json!(1),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => Value::Null,
    }
}

/// The keys of a payload, required ones first, each as the schema has it.
fn keys(schema: &Value) -> Vec<PayloadKey> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|key| key == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut keys: Vec<_> = properties
        .into_iter()
        .flatten()
        .map(|(name, of_key)| PayloadKey {
            name: name.clone(),
            about: text(of_key, "description"),
            required: is_required(name),
            types: types(of_key),
            values: values(of_key),
        })
        .collect();
    keys.sort_by_key(|key| !key.required);
    keys
}

fn text(schema: &Value, key: &str) -> String {
    schema
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// The types of a value; without null, which says no more than leaving the key out.
fn types(schema: &Value) -> Vec<String> {
    let named: Vec<&Value> = match schema.get("type") {
        Some(Value::Array(all)) => all.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let names = named.into_iter().filter_map(Value::as_str);
    names.filter(|name| *name != "null").map(str::to_owned).collect()
}

/// The values that a schema lists, as JSON: those of an enum, in its branches too, and of a boolean.
fn values(schema: &Value) -> Vec<String> {
    let mut listed: Vec<String> = Vec::new();
    let branches = ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| schema.get(key)?.as_array());
    for branch in branches.flatten() {
        listed.extend(values(branch));
    }
    let of_enum = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let constant = schema.get("const").into_iter();
    listed.extend(
        of_enum
            .chain(constant)
            .filter(|value| !value.is_null())
            .map(Value::to_string),
    );
    if listed.is_empty() && types(schema) == ["boolean"] {
        return vec!["true".to_owned(), "false".to_owned()];
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;

    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Payload {
        /// The room that it lights.
        room: Option<String>,
        /// The colour.
        colour: Colour,
        shade: Option<Colour>,
        bright: Option<bool>,
        level: u8,
        names: Vec<String>,
        any: Option<Value>,
    }

    #[derive(JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Colour {
        /// As the sky.
        Blue,
        /// As a rose.
        DeepRed,
    }

    #[test]
    fn the_keys_of_a_payload_are_told_with_meaning_types_and_values_required_ones_first() {
        let row = ActionRow::of::<Payload>("light", "Switches a light.");
        let told = action(&row, None);
        let names: Vec<_> = told
            .keys
            .iter()
            .map(|key| (key.name.as_str(), key.required))
            .collect();
        let required = |name| (name, true);
        let open = |name| (name, false);
        assert_eq!(
            names,
            [
                required("colour"),
                required("level"),
                required("names"),
                open("room"),
                open("shade"),
                open("bright"),
                open("any"),
            ]
        );
        let key = |name: &str| told.keys.iter().find(|key| key.name == name).unwrap();
        assert_eq!(
            (key("room").about.as_str(), &key("room").types[..]),
            ("The room that it lights.", &["string".to_owned()][..])
        );
        for name in ["colour", "shade"] {
            assert_eq!(key(name).values, ["\"blue\"", "\"deep_red\""], "{name}");
        }
        assert_eq!(key("bright").values, ["true", "false"]);
        assert_eq!((key("any").types.len(), key("any").values.len()), (0, 0));
        assert_eq!(
            told.template,
            r#"{"type":"light","payload":{"colour":"blue","level":1,"names":[]}}"#
        );
    }

    #[test]
    fn actions_that_are_off_are_told_with_the_setting_that_switches_them_on() {
        let all = actions(&Config::default(), &ActionTable::default());
        let told: Vec<_> = all
            .iter()
            .map(|action| (action.name.as_str(), action.off.as_deref()))
            .collect();
        let event = Some("actions.event.enabled");
        assert_eq!(
            told,
            [
                ("bash", Some("actions.bash.enabled")),
                ("event", event),
                ("event_cancel", event),
                ("event_list", event),
                ("terminal", Some("actions.terminal.enabled")),
            ]
        );
        assert!(
            all.iter()
                .flat_map(|action| &action.keys)
                .all(|key| !key.about.is_empty())
        );
    }
}
