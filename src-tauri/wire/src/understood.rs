//! What was understood of a file that came with a message.

use crate::closed::closed_set;
use serde::{Deserialize, Serialize};

closed_set! {
    /// The way in which a file is understood for the agent.
    pub enum Understanding {
        Transcript = "transcript": "What is said in it was written down.",
        Description = "description": "The agent's own model described the picture.",
        Text = "text": "The text of the document was read.",
    }
}

/// What was understood of a file, or why nothing was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct UnderstoodFile {
    /// The file's number in its message, from 0.
    pub index: u32,
    /// Its name, as the platform gives it.
    pub name: String,
    /// The way.
    pub how: Understanding,
    /// The model or the reader; empty where an older journal does not tell.
    pub by: String,
    /// Milliseconds that it took.
    pub took_ms: u64,
    /// The text, as the agent was given it; none where nothing was understood.
    pub text: Option<String>,
    /// Bytes of the whole text; where it is longer than what was read, those of the file.
    pub bytes: u64,
    /// True where the agent was given only the beginning of the text.
    pub cut: bool,
    /// The reason for which nothing was understood, in words; empty where something was.
    pub why: String,
}
