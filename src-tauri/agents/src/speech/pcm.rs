//! Sound as samples, and why bytes are none.

use std::time::Duration;

/// Samples a second of Opus in Ogg, always (RFC 7845, section 4).
pub(super) const RATE: u32 = 48_000;
/// Longest speech. What is longer was not meant as a voice note.
pub(super) const LONGEST: Duration = Duration::from_mins(10);

/// Why bytes are no speech.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AudioError {
    /// There is no sound in it.
    #[error("the sound is empty")]
    Empty,
    /// It plays for longer than ten minutes.
    #[error("the sound is longer than {} minutes", LONGEST.as_secs() / 60)]
    TooLong,
    /// It is something else; what, as far as that can be seen.
    #[error("this is neither Ogg/Opus nor WAV but {0}")]
    Other(String),
    /// It begins as it should, and is broken.
    #[error("the sound is broken: {0}")]
    Broken(String),
}

/// Sound in one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pcm {
    pub(super) samples: Vec<i16>,
    /// Samples a second.
    pub(super) rate: u32,
}
