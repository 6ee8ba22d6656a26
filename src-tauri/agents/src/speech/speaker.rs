//! A voice with its limits: what the pipeline asks.

use super::{audio::Note, fault::SpeechError, voice::Voice, words::Words};
use foldback_wire::Clock;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Says texts within limits of time and length.
#[derive(Clone)]
pub struct Speaker {
    voice: Arc<dyn Voice>,
    max_chars: usize,
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

/// A text that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The words that are heard.
    pub text: String,
    /// The sound.
    pub note: Note,
    /// Characters that were not said because the text is too long.
    pub cut: usize,
}

impl Speaker {
    /// A voice that says at most `max_chars` characters at once, within `timeout`.
    pub fn new(voice: Arc<dyn Voice>, max_chars: usize, timeout: Duration, clock: Arc<dyn Clock>) -> Self {
        Self {
            voice,
            max_chars,
            timeout,
            clock,
        }
    }

    /// The voice's name.
    pub fn backend(&self) -> &'static str {
        self.voice.backend()
    }

    /// Says the words of a text. `None` where it has none.
    ///
    /// # Errors
    /// What the voice says, `TimedOut` after the limit, `Cancelled` when `cancel` is.
    pub async fn speak(&self, text: &str, cancel: &CancellationToken) -> Result<Option<Spoken>, SpeechError> {
        self.speak_within(self.timeout, text, cancel).await
    }

    /// How long a text may take.
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The same as [`Self::speak`] for one of several texts that may take so long together: what is left of that.
    ///
    /// # Errors
    /// The same.
    pub async fn speak_within(
        &self,
        left: Duration,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<Option<Spoken>, SpeechError> {
        let Some(Words { text, cut }) = Words::of(text, self.max_chars) else {
            return Ok(None);
        };
        if left.is_zero() {
            return Err(SpeechError::TimedOut(self.timeout));
        }
        let until = self.clock.now().plus(left);
        let note = async {
            let sound = self.voice.say(&text).await?;
            // Long sound takes a second or two to encode, and nobody else is to wait for it.
            match tokio::task::spawn_blocking(|| Note::of(sound)).await {
                Ok(note) => Ok(note?),
                Err(_) => Err(SpeechError::Cancelled),
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(SpeechError::Cancelled),
            note = note => note.map(|note| Some(Spoken { text, note, cut })),
            () = self.clock.sleep_until(until) => Err(SpeechError::TimedOut(self.timeout)),
        }
    }
}
