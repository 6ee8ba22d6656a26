//! The closed sets, as data.

use crate::{ActionAccess, ActionConfirmation, TurnKind};
use serde::{Deserialize, Serialize};

/// A value of a closed set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct CatalogEntry {
    /// Public name.
    pub code: String,
    /// In words.
    pub about: String,
}

/// The closed sets, as data; answer of `catalog`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Catalog {
    /// Hold reasons.
    pub hold_reasons: Vec<CatalogEntry>,
    /// Diagnostics.
    pub diagnostics: Vec<CatalogEntry>,
    /// Reasons of ranges.
    pub range_reasons: Vec<CatalogEntry>,
    /// Outcomes.
    pub outcomes: Vec<CatalogEntry>,
    /// Stages.
    pub stages: Vec<CatalogEntry>,
    /// Gates.
    pub gates: Vec<CatalogEntry>,
    /// Filter fields.
    pub filter_fields: Vec<CatalogEntry>,
    /// Ready-made directives to insert: the text as code, what it does.
    pub templates: Vec<CatalogEntry>,
    /// What users can write with a slash: each command and directive by its name, what it does.
    pub commands: Vec<CatalogEntry>,
    /// The actions that an agent may ask for, those that are off, too.
    pub actions: Vec<CatalogAction>,
}

/// An action, as somebody who writes one by hand needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct CatalogAction {
    /// Its name.
    pub name: String,
    /// Its effect, in words.
    pub about: String,
    /// The people at whose word it is carried out.
    pub access: ActionAccess,
    /// The turns in which it is carried out.
    pub turns: Vec<TurnKind>,
    /// The confirmation that it needs.
    pub confirmation: ActionConfirmation,
    /// The keys of its payload, required ones first.
    pub keys: Vec<PayloadKey>,
    /// An example with its required keys, to fill in: the action as JSON.
    pub template: String,
    /// The setting that switches it on, where it is off.
    pub off: Option<String>,
}

/// A key of an action's payload, from the schema of the action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PayloadKey {
    /// The key.
    pub name: String,
    /// Its meaning, in words; empty where the schema has none.
    pub about: String,
    /// True where the payload needs it.
    pub required: bool,
    /// The JSON types of its value, such as `string`; empty where it takes any.
    pub types: Vec<String>,
    /// The values that it takes, as JSON; empty where it takes more than can be listed.
    pub values: Vec<String>,
}
