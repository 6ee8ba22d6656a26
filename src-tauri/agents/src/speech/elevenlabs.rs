//! The backend `elevenlabs`: `POST /v1/text-to-speech/{voice_id}`.
//! <https://elevenlabs.io/docs/api-reference/text-to-speech/convert>

use super::{
    client::{Caller, Service},
    fault::SpeechError,
    voice::{MAX_SOUND, Voice},
};
use async_trait::async_trait;
use serde_json::json;

/// Opus at 48 kHz, at the rate at which we encode ourselves: every plan has it.
const FORMAT: &str = "opus_48000_32";

/// Says texts through ElevenLabs.
pub struct ElevenLabsVoice {
    caller: Caller,
    model: Option<String>,
    voice: String,
}

impl ElevenLabsVoice {
    /// Where it is, unless another address is named.
    pub const BASE_URL: &str = "https://api.elevenlabs.io/v1";

    /// A voice by its id; the service's own default model where none is named.
    ///
    /// # Errors
    /// Where an address or a key cannot be used.
    pub fn new(
        service: Service,
        model: Option<String>,
        voice: impl Into<String>,
    ) -> Result<Self, SpeechError> {
        Ok(Self {
            caller: Caller::new("elevenlabs", service, "xi-api-key", "")?,
            model,
            voice: voice.into(),
        })
    }
}

#[async_trait]
impl Voice for ElevenLabsVoice {
    fn backend(&self) -> &'static str {
        "elevenlabs"
    }

    async fn say(&self, text: &str) -> Result<Vec<u8>, SpeechError> {
        let mut body = json!({"text": text});
        if let Some(model) = &self.model {
            body["model_id"] = json!(model);
        }
        let request = self
            .caller
            .post(&["text-to-speech", &self.voice])
            .query(&[("output_format", FORMAT)])
            .json(&body);
        self.caller.answer(request, "the answer", MAX_SOUND).await
    }
}
