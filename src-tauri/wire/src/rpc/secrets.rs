//! The secrets that are masked in what an agent says, and why.

use super::CatalogEntry;
use crate::closed::closed_set;
use serde::{Deserialize, Serialize};

closed_set! {
    /// The source of a pattern of secrets.
    pub enum SecretSource {
        Known = "known": "Masked wherever redaction is on.",
        Optional = "optional": "Masked only where a setting of its own is on.",
        Own = "own": "A pattern of the operator.",
    }
}

/// One kind of secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SecretEntry {
    /// Its name, as holds and findings print it.
    pub id: String,
    /// Its kind, in a few words.
    pub about: String,
    /// Its source.
    pub source: SecretSource,
    /// True where this bot masks it.
    pub on: bool,
    /// The setting that decides that, with its value.
    pub setting: String,
    /// A text with such a secret (made up), and what is shown of it; for a pattern of the operator the
    /// pattern itself, and nothing. Empty for the bot's own credentials.
    pub example: String,
    /// The masked form of the example; empty for a pattern of the operator.
    pub shown: String,
}

/// Answer of `secrets`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Secrets {
    /// True where anything is masked.
    pub enabled: bool,
    /// The setting that decides that, with its value.
    pub setting: String,
    /// The treatment of secrets in a user's own message: the setting with its value, and in words.
    pub inbound: CatalogEntry,
    /// Every kind there is: the known ones, those with a setting of their own, the operator's.
    pub kinds: Vec<SecretEntry>,
    /// The words that make the value after them a secret.
    pub words: Vec<String>,
    /// Texts that are never masked.
    pub allow: Vec<String>,
}
