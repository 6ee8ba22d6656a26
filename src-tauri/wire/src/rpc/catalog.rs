//! The closed sets, as data.

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
}
