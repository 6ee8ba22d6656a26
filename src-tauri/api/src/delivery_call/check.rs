//! Requests in our own shape against the JSON Schema of [`DeliveryRequest`]: every mistake at once, each with its path.
//!
//! ```text
//! {"depht": 3, "origin": {"channel": "telegram", "chat": 42}, …}
//!
//! depht: no delivery request has this key; did you mean depth?
//! origin.chat: must be a string, not a number
//! origin.chat_type: is missing
//! ```
//!
//! The check is here and not on the stored type: a journal that a later version wrote may have keys that this one does not
//! know, and must stay readable. A request that comes in now has a sender who can be told.

use super::{UnreadableCall, unreadable};
use foldback_actions::{nearest_name, payload_schema};
use foldback_wire::DeliveryRequest;
use jsonschema::{
    JsonType, ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind},
    paths::LocationSegment,
};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Most mistakes that are told of one request; those behind them are counted.
const MOST_MISTAKES: usize = 16;
/// Most bytes of one mistake's words, which may hold a key of the caller's.
const MOST_WORDS: usize = 400;

/// The schema of a request in which no key but those of the type may stand, with its validator.
static DOOR: LazyLock<Result<(Value, Validator), String>> = LazyLock::new(|| {
    let mut schema = payload_schema::<DeliveryRequest>();
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
    Ok((schema, validator))
});

/// Finds every mistake of a request.
///
/// # Errors
/// With all of them in one text, separated by semicolons, at most 16.
pub(super) fn check(request: &Value) -> Result<(), UnreadableCall> {
    let (schema, validator) = match &*DOOR {
        Ok(door) => door,
        Err(error) => return unreadable(format!("the schema of a request cannot be used: {error}")),
    };
    let mut mistakes: Vec<_> = validator
        .iter_errors(request)
        .flat_map(|error| mistakes_of(&error, schema))
        .collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    let more = mistakes.len().saturating_sub(MOST_MISTAKES);
    mistakes.truncate(MOST_MISTAKES);
    if more > 0 {
        mistakes.push(format!("and {more} more"));
    }
    unreadable(mistakes.join("; "))
}

/// Closes every object of a schema to the keys that it names, and every number to those that its type can hold.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("properties") {
                fields.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            let bounds = match fields.get("format").and_then(Value::as_str) {
                Some("uint32") => Some((0, i64::from(u32::MAX))),
                Some("int32") => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
                _ => None,
            };
            if let Some((least, most)) = bounds {
                fields.insert("minimum".to_owned(), Value::from(least));
                fields.insert("maximum".to_owned(), Value::from(most));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(parts) => parts.iter_mut().for_each(close),
        _ => {}
    }
}

/// The mistakes that one finding of the validator means.
fn mistakes_of(error: &ValidationError<'_>, schema: &Value) -> Vec<String> {
    let at = error.instance_path();
    let path = at
        .iter()
        .fold(String::new(), |path, segment| joined(&path, &segment));
    let here = at
        .iter()
        .try_fold(schema, |schema, segment| below(schema, &segment));
    let words = match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = here.and_then(properties);
            return unexpected
                .iter()
                .map(|key| shortened(&unknown_key(&path, key, known)))
                .collect();
        }
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            let path = joined(&path, &LocationSegment::Property(key.into()));
            return vec![format!("{path}: is missing")];
        }
        ValidationErrorKind::Type { kind } => {
            let kinds: Vec<JsonType> = match kind {
                TypeKind::Single(kind) => vec![*kind],
                TypeKind::Multiple(kinds) => kinds.iter().collect(),
            };
            let kinds = kinds.into_iter().filter(|kind| *kind != JsonType::Null);
            let kinds: Vec<_> = kinds.map(kind_word).collect();
            format!(
                "must be {}, not {}",
                kinds.join(" or "),
                written(error.instance())
            )
        }
        ValidationErrorKind::AnyOf { .. } => {
            // A field that may be left out: the schema has null beside the object.
            format!("must be an object, not {}", written(error.instance()))
        }
        ValidationErrorKind::OneOfNotValid { .. } | ValidationErrorKind::Enum { .. } => {
            format!("must be one of {}", here.map_or_else(String::new, choices))
        }
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}"),
        _ => error.masked_with("the value").to_string(),
    };
    let place = if path.is_empty() { "the request" } else { &path };
    vec![shortened(&format!("{place}: {words}"))]
}

/// A key that a request has not, with the one that was meant, or those that there are.
fn unknown_key(path: &str, key: &str, known: Option<&Map<String, Value>>) -> String {
    let whole = joined(path, &LocationSegment::Property(key.into()));
    let known: Vec<_> = known
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    let instead = match nearest_name(key, known.iter().copied()) {
        Some(meant) => format!(
            "did you mean {}?",
            joined(path, &LocationSegment::Property(meant.into()))
        ),
        None if path.is_empty() => format!("it has {}", known.join(", ")),
        None => format!("{path} has {}", known.join(", ")),
    };
    format!("{whole}: no delivery request has this key; {instead}")
}

/// A path with one more segment: `origin.chat`, `items[0].label`.
fn joined(path: &str, segment: &LocationSegment<'_>) -> String {
    match segment {
        LocationSegment::Index(index) => format!("{path}[{index}]"),
        LocationSegment::Property(key) if path.is_empty() => key.to_string(),
        LocationSegment::Property(key) => format!("{path}.{key}"),
    }
}

/// The schema of a field or an item.
fn below<'a>(schema: &'a Value, segment: &LocationSegment<'_>) -> Option<&'a Value> {
    match segment {
        LocationSegment::Property(key) => properties(schema)?.get(&**key),
        LocationSegment::Index(index) => {
            let one = || schema.get("prefixItems")?.get(index);
            schema.get("items").filter(|items| items.is_object()).or_else(one)
        }
    }
}

/// The fields of an object's schema, also of one that may be null.
fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    let own = schema.get("properties").and_then(Value::as_object);
    own.or_else(|| {
        let mut choices = schema.get("anyOf")?.as_array()?.iter();
        choices.find_map(|choice| choice.get("properties")?.as_object())
    })
}

/// The words that a closed set has.
fn choices(schema: &Value) -> String {
    let listed = schema.get("enum").and_then(Value::as_array);
    let each = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let each = each.filter_map(|choice| choice.get("const"));
    let words = listed.into_iter().flatten().chain(each).filter_map(Value::as_str);
    words.collect::<Vec<_>>().join(", ")
}

const fn kind_word(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

/// The kind of what is written, without its content, which may be long.
const fn written(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn shortened(words: &str) -> String {
    if words.len() <= MOST_WORDS {
        return words.to_owned();
    }
    format!("{}…", &words[..words.floor_char_boundary(MOST_WORDS)])
}
