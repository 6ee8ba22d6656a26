//! Notifications of mentions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whom a mention in a text may notify.
/// <https://docs.discord.com/developers/resources/message#allowed-mentions-object>
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mention {
    /// People named in it.
    Users,
    /// Roles named in it.
    Roles,
    /// All there are (`@everyone`, `@here`).
    Everyone,
}
