//! The declaration of an action, once: the table, the checks, the documents and the tools of agents come from it.

use foldback_wire::{ActionAccess, ActionConfirmation, TurnKind};
use schemars::JsonSchema;
use serde_json::Value;
use std::time::Duration;

/// Most bytes of a payload, whatever its row says: what one JSON value of an answer may have.
pub const MOST_PAYLOAD_BYTES: usize = 65_536;

/// An action.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRow {
    /// Its name, the `type` of a JSON action: 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`.
    pub name: String,
    /// Its effect, in one sentence for agents and people.
    pub about: String,
    /// The JSON Schema of its payload, which is an object.
    pub payload: Value,
    /// The people at whose word it is carried out.
    pub access: ActionAccess,
    /// The turns in which it is carried out.
    pub turns: Vec<TurnKind>,
    /// The confirmation that it needs.
    pub confirmation: ActionConfirmation,
    /// Its limits.
    pub limits: ActionLimits,
}

/// The limits of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionLimits {
    /// Most bytes of the payload as JSON text; [`MOST_PAYLOAD_BYTES`] where it names more.
    pub payload_bytes: usize,
    /// Longest time that it may take; then its interface ends it and tells what came by then.
    pub time: Duration,
    /// Most bytes that are kept of each of its results, half of them from the beginning and half from the end.
    pub output_bytes: usize,
}

impl Default for ActionLimits {
    fn default() -> Self {
        Self {
            payload_bytes: MOST_PAYLOAD_BYTES,
            time: Duration::from_mins(1),
            output_bytes: 8 * 1024,
        }
    }
}

impl ActionRow {
    /// A row with the schema of a payload type, which owners only may use, in a turn of a message or a delivery, each time
    /// with a confirmation.
    pub fn of<Payload: JsonSchema>(name: &str, about: &str) -> Self {
        Self {
            name: name.to_owned(),
            about: about.to_owned(),
            payload: payload_schema::<Payload>(),
            access: ActionAccess::Owner,
            turns: vec![TurnKind::Message, TurnKind::Delivery],
            confirmation: ActionConfirmation::Always,
            limits: ActionLimits::default(),
        }
    }
}

/// The JSON Schema of a type, with nothing in it that an agent does not need.
pub fn payload_schema<Payload: JsonSchema>() -> Value {
    let mut schema = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.meta_schema = None;
            settings.inline_subschemas = true;
        })
        .into_generator()
        .into_root_schema_for::<Payload>()
        .to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.shift_remove("title");
    }
    schema
}
