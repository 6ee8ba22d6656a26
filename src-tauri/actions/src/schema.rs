//! Payloads against the schema of their action: a finding for each place that does not fit, with what to change there.

use foldback_wire::PayloadFinding;
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;

/// Most findings that are told of one payload.
const MOST_FINDINGS: usize = 16;
/// Most bytes of one finding's words.
const MOST_WORDS: usize = 300;

/// A schema that payloads are checked against.
#[derive(Debug)]
pub(crate) struct PayloadSchema(Validator);

impl PayloadSchema {
    /// Reads a schema. It refers to nothing outside of itself.
    ///
    /// # Errors
    /// It is no schema, in words.
    pub(crate) fn read(schema: &Value) -> Result<Self, String> {
        jsonschema::validator_for(schema)
            .map(Self)
            .map_err(|error| error.to_string())
    }

    /// The places that do not fit, in the order of the schema, at most 16; none where all of it fits.
    pub(crate) fn findings(&self, payload: &Value) -> Vec<PayloadFinding> {
        self.0
            .iter_errors(payload)
            .map(|error| finding(&error, payload))
            .take(MOST_FINDINGS)
            .collect()
    }
}

fn finding(error: &ValidationError<'_>, payload: &Value) -> PayloadFinding {
    let at = error.instance_path().to_string();
    // The words name the place and the rule: the value is the agent's own, and it may be long.
    let problem = error.masked_with("the value").to_string();
    PayloadFinding {
        change: shortened(&change(error, &at, payload)),
        problem: shortened(&problem),
        at: shortened(&at),
    }
}

/// The change that mends it.
fn change(error: &ValidationError<'_>, at: &str, payload: &Value) -> String {
    let here = if at.is_empty() {
        "the payload".to_owned()
    } else {
        format!("`{at}`")
    };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("add {property} to {here}")
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names: Vec<_> = unexpected.iter().map(|name| format!("`{name}`")).collect();
            format!("remove {} from {here}", names.join(", "))
        }
        // An object that may have no key at all: the error does not name those that it has.
        ValidationErrorKind::FalseSchema => match payload.pointer(at).and_then(Value::as_object) {
            Some(written) => {
                let names: Vec<_> = written.keys().map(|name| format!("`{name}`")).collect();
                format!("remove {} from {here}", names.join(", "))
            }
            None => format!("remove {here}"),
        },
        ValidationErrorKind::Type { kind } => match kind {
            jsonschema::error::TypeKind::Single(kind) => format!("make {here} a JSON {kind}"),
            jsonschema::error::TypeKind::Multiple(kinds) => {
                let kinds: Vec<_> = kinds.iter().map(|kind| kind.to_string()).collect();
                format!("make {here} a JSON {}", kinds.join(" or "))
            }
        },
        ValidationErrorKind::MinLength { limit } => format!("give {here} at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("give {here} at most {limit} characters"),
        ValidationErrorKind::Minimum { limit } => format!("give {here} a number of at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("give {here} a number of at most {limit}"),
        ValidationErrorKind::MinItems { limit } => format!("give {here} at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("give {here} at most {limit} items"),
        ValidationErrorKind::Enum { options } => format!("give {here} one of {options}"),
        ValidationErrorKind::Constant { expected_value } => format!("give {here} the value {expected_value}"),
        ValidationErrorKind::Pattern { pattern } => format!("give {here} a text that matches `{pattern}`"),
        ValidationErrorKind::Format { format } => format!("give {here} a text of the form {format}"),
        _ => format!("write {here} as the schema of the action has it"),
    }
}

fn shortened(words: &str) -> String {
    if words.len() <= MOST_WORDS {
        return words.to_owned();
    }
    format!("{}…", &words[..words.floor_char_boundary(MOST_WORDS)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn findings(payload: &Value) -> Vec<(String, String)> {
        let schema = json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "minLength": 1, "maxLength": 10},
                "timeout": {"type": "integer", "minimum": 1, "maximum": 60},
                "mode": {"enum": ["fast", "slow"]},
                "names": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            },
            "required": ["command"],
            "additionalProperties": false,
        });
        let found = PayloadSchema::read(&schema).unwrap().findings(payload);
        found
            .into_iter()
            .map(|finding| (finding.at, finding.change))
            .collect()
    }

    #[test]
    fn every_place_that_does_not_fit_is_told_with_what_to_change() {
        assert_eq!(findings(&json!({"command": "df"})), []);
        for (payload, at, change) in [
            (json!({}), "", "add \"command\" to the payload"),
            (json!({"command": 7}), "/command", "make `/command` a JSON string"),
            (
                json!({"command": ""}),
                "/command",
                "give `/command` at least 1 characters",
            ),
            (
                json!({"command": "a", "timeout": 90}),
                "/timeout",
                "give `/timeout` a number of at most 60",
            ),
            (
                json!({"command": "a", "timout": 1}),
                "",
                "remove `timout` from the payload",
            ),
            (
                json!({"command": "a", "mode": "x"}),
                "/mode",
                "give `/mode` one of [\"fast\",\"slow\"]",
            ),
            (
                json!({"command": "a", "names": ["a", 1]}),
                "/names/1",
                "make `/names/1` a JSON string",
            ),
            (json!([]), "", "make the payload a JSON object"),
        ] {
            assert_eq!(
                findings(&payload),
                [(at.to_owned(), change.to_owned())],
                "{payload}"
            );
        }
        let two = findings(&json!({"timeout": "soon"}));
        assert_eq!(two.len(), 2, "{two:?}");
    }

    #[test]
    fn a_payload_without_keys_names_those_that_are_written() {
        let schema = json!({"type": "object", "additionalProperties": false});
        let schema = PayloadSchema::read(&schema).unwrap();
        assert_eq!(schema.findings(&json!({})), []);
        let found = schema.findings(&json!({"of": "me"}));
        let told: Vec<_> = found
            .iter()
            .map(|finding| (finding.at.as_str(), finding.change.as_str()))
            .collect();
        assert_eq!(told, [("", "remove `of` from the payload")]);
    }

    #[test]
    fn findings_are_few_and_short() {
        let long = "x".repeat(2_000);
        let wrong: Value = json!({"type": "array", "items": {"type": "string"}});
        let schema = PayloadSchema::read(&wrong).unwrap();
        assert_eq!(schema.findings(&json!(vec![1; 50])).len(), MOST_FINDINGS);
        let found = findings(&json!({"command": "a", (long.as_str()): 1}));
        assert!(found[0].1.len() <= MOST_WORDS + 3, "{}", found[0].1.len());
        assert!(PayloadSchema::read(&json!({"type": "nonsense"})).is_err());
        // Nothing is fetched: neither from the network nor from files.
        assert!(PayloadSchema::read(&json!({"$ref": "https://example.com/x.json"})).is_err());
        assert!(PayloadSchema::read(&json!({"$ref": "file:///etc/passwd"})).is_err());
    }
}
