//! The schema in which the agent is told who writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema of the data about the sender that stands before a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum SenderSchema {
    /// All that is known of sender, chat and message.
    #[default]
    #[serde(rename = "foldback.sender.v1")]
    Foldback,
    /// The block `<sender_context>` of openab, for an agent that was made for it.
    #[serde(rename = "openab.sender.v1")]
    Openab,
}

impl SenderSchema {
    /// Its name in the configuration and in the data.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Foldback => "foldback.sender.v1",
            Self::Openab => "openab.sender.v1",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_the_data_names_it() {
        for schema in [SenderSchema::Foldback, SenderSchema::Openab] {
            assert_eq!(serde_json::to_value(schema).unwrap(), schema.code());
        }
    }
}
