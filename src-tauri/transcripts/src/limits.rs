//! Bounds of reading, and why a file is not read at all.

use std::io;

/// Most bytes that reading takes and holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Longest line, or element of a JSON document, in bytes; a longer one is left out and named.
    pub line: usize,
    /// Largest file in bytes; a larger one is refused.
    pub file: u64,
    /// Most damaged places that are listed; all are counted.
    pub damaged: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            line: 16_000_000,
            file: 256_000_000,
            damaged: 1_000,
        }
    }
}

impl ReadLimits {
    /// Refuses a file by its size, before any of it is read.
    ///
    /// # Errors
    /// When it is larger than [`Self::file`].
    pub const fn check_size(&self, bytes: u64) -> Result<(), Refusal> {
        if bytes > self.file {
            Err(Refusal::TooLarge { limit: self.file })
        } else {
            Ok(())
        }
    }
}

/// Why a file is not read; one sentence, without anything of its content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing stands in it.
    #[error("the file is empty")]
    Empty,
    /// No format is recognised in it.
    #[error(
        "this is no transcript of a known format; `foldback import --formats` lists those that are known"
    )]
    Unrecognised,
    /// It is packed.
    #[error("the file is packed ({0}); unpack it first")]
    Packed(&'static str),
    /// It is larger than the limit.
    #[error("the file is larger than {} MB; split it, or raise --max-file", limit / 1_000_000)]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// It is a recording of a newer version.
    #[error("the recording has version {version}, and this program knows {known}; use a newer Foldback")]
    NewerRecording {
        /// Its version.
        version: u64,
        /// The newest version that is known.
        known: u64,
    },
    /// The system refused to read it.
    #[error("the file cannot be read: {0}")]
    Input(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Input(error.to_string())
    }
}
