//! The seam between speech and whatever gives it a voice.

use super::fault::SpeechError;
use async_trait::async_trait;

/// Most bytes of sound that a voice may give: ten minutes of WAV at 22 kHz are about as much.
pub(super) const MAX_SOUND: usize = 32_000_000;

/// Something that says a text. A call that is dropped ends whatever it began: a connection, a program.
#[async_trait]
pub trait Voice: Send + Sync {
    /// The backend's name, such as `openai` or `command`.
    fn backend(&self) -> &'static str;

    /// Says a text. The sound is what the backend gives, Ogg/Opus or WAV; the caller looks at it
    /// ([`Note::of`](super::Note::of)). It is at most 32 MB; what is longer is refused while it comes.
    async fn say(&self, text: &str) -> Result<Vec<u8>, SpeechError>;
}
