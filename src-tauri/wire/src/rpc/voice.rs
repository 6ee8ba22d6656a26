//! Voice notes, to be heard.

use serde::{Deserialize, Serialize};

/// `voice`: which sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum VoiceOf {
    /// One that was spoken in a turn, by the name under which it is kept.
    Kept {
        /// Its name.
        name: String,
    },
    /// The sound of these words: they are spoken now, and sent to nobody.
    Words {
        /// The words.
        text: String,
    },
}

/// Answer of `voice`: Ogg with Opus, at most 10 MB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct VoiceSound {
    /// The file, in base64.
    pub base64: String,
    /// The time for which it plays.
    pub duration_ms: u64,
    /// The loudest sample of each of 48 equal parts, from 0 (silence) to 100.
    pub peaks: Vec<u8>,
}

/// The facts about a spoken text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SpokenSound {
    /// The backend that spoke.
    pub backend: String,
    /// The time for which it plays.
    pub duration_ms: u64,
    /// Size of the file.
    pub bytes: u64,
    /// The name under which it is kept; none where it is not.
    pub kept: Option<String>,
}
