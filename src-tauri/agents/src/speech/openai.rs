//! The backend `openai`: `POST /audio/speech` of any OpenAI-compatible service.
//! <https://platform.openai.com/docs/api-reference/audio/createSpeech>

use super::{
    client::{Caller, Service},
    fault::SpeechError,
    voice::{MAX_SOUND, Voice},
};
use async_trait::async_trait;
use serde_json::json;

/// Says texts through an OpenAI-compatible service.
pub struct OpenAiVoice {
    caller: Caller,
    model: String,
    voice: String,
}

impl OpenAiVoice {
    /// A voice of a service, by the names that it gives model and voice.
    ///
    /// # Errors
    /// Where an address or a key cannot be used.
    pub fn new(
        service: Service,
        model: impl Into<String>,
        voice: impl Into<String>,
    ) -> Result<Self, SpeechError> {
        Ok(Self {
            caller: Caller::new("openai", service, "authorization", "Bearer ")?,
            model: model.into(),
            voice: voice.into(),
        })
    }
}

#[async_trait]
impl Voice for OpenAiVoice {
    fn backend(&self) -> &'static str {
        "openai"
    }

    async fn say(&self, text: &str) -> Result<Vec<u8>, SpeechError> {
        let request = self.caller.post(&["audio", "speech"]).json(&json!({
            "model": self.model,
            "voice": self.voice,
            "input": text,
            "response_format": "opus",
        }));
        self.caller.answer(request, "the answer", MAX_SOUND).await
    }
}
