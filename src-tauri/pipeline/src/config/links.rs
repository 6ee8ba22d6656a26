//! Links in the messages of people.

use super::{ByteSize, Interval};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings by which the agent is given what stands behind the links in a message. Whoever may write to the bot then
/// chooses addresses that are fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinksConfig {
    /// The way in which links are read; `off` when absent.
    pub mode: LinkMode,
    /// The program of `program` with its arguments. `{url}` in an argument is the link, and without one the link is the last
    /// argument; its output is the text. No shell reads any of it.
    pub command: Vec<String>,
    /// The most that is read of a link; of one with more nothing is. The agent is given at most 16 KiB.
    pub max_size: ByteSize,
    /// The longest wait for all links of the messages that a turn answers.
    pub timeout: Interval,
}

impl Default for LinksConfig {
    fn default() -> Self {
        Self {
            mode: LinkMode::Off,
            command: Vec::new(),
            max_size: ByteSize(1_000_000),
            timeout: Interval::seconds(15),
        }
    }
}

/// The way in which links are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkMode {
    /// Links are text.
    #[default]
    Off,
    /// They are fetched over HTTP, from addresses of the public internet only.
    Fetch,
    /// A program on this machine reads them.
    Program,
}
