//! What goes wrong on the way from text to speech, and back.

use super::pcm::AudioError;
use std::time::Duration;

/// Why nothing was said, or nothing understood. No message holds a key or the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpeechError {
    /// The setting cannot be used.
    #[error("{0}")]
    Setting(String),
    /// Nobody answers there, or the connection broke.
    #[error("{backend} cannot be reached: {detail}")]
    Unreachable {
        /// Which backend.
        backend: &'static str,
        /// Why.
        detail: String,
    },
    /// It answered with a refusal.
    #[error("{backend} refused with HTTP {status}: {detail}")]
    Refused {
        /// Which backend.
        backend: &'static str,
        /// The status.
        status: u16,
        /// Its words, shortened.
        detail: String,
    },
    /// It answered something that is no answer.
    #[error("{backend} answered something else: {detail}")]
    Answer {
        /// Which backend.
        backend: &'static str,
        /// What is wrong.
        detail: String,
    },
    /// More than is taken came, or was to be sent.
    #[error("{what} has more than {limit} bytes")]
    TooLarge {
        /// What.
        what: &'static str,
        /// Most bytes.
        limit: usize,
    },
    /// The program cannot be started, or failed.
    #[error("{program}: {detail}")]
    Command {
        /// Its name.
        program: String,
        /// What happened.
        detail: String,
    },
    /// What came is no speech.
    #[error(transparent)]
    Audio(#[from] AudioError),
    /// It took too long.
    #[error("nothing came within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    /// It was given up: nobody waits for it any more.
    #[error("given up")]
    Cancelled,
}

impl SpeechError {
    /// Failure in words of ours alone, for a place that other people's words may not reach.
    pub fn kind(&self) -> String {
        match self {
            Self::Unreachable { backend, .. } => format!("{backend} cannot be reached"),
            Self::Refused { backend, status, .. } => format!("{backend} refused with HTTP {status}"),
            Self::Answer { backend, .. } => format!("{backend} answered something else"),
            Self::Command { program, .. } => format!("{program} failed"),
            Self::Setting(_)
            | Self::TooLarge { .. }
            | Self::Audio(_)
            | Self::TimedOut(_)
            | Self::Cancelled => self.to_string(),
        }
    }
}
