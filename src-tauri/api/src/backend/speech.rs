//! What speaks and what listens, as the configuration says; and voice notes for the window.

use super::Backend;
use crate::failure;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use foldback_agents::speech::{
    CommandVoice, ElevenLabsVoice, Note, OpenAiVoice, Service, Speaker, SpeechError, ToneVoice, Transcriber,
    Voice,
};
use foldback_pipeline::{
    Speech, VoiceOutput, Voices,
    config::{
        self, Config, CredentialReader, SpeechBackend, SpeechConfig, TranscriptionBackend,
        TranscriptionConfig,
    },
};
use foldback_wire::{
    Clock,
    rpc::{Failure, VoiceOf, VoiceSound},
};
use std::{path::PathBuf, sync::Arc};
use tokio_util::sync::CancellationToken;

/// Largest sound that a window is given.
const MAX_HEARD: usize = 10_000_000;
/// Parts of a waveform.
const PARTS: usize = 48;

/// Why speech cannot be set up. The message names the key.
#[derive(Debug, thiserror::Error)]
pub enum SpeechSetupError {
    /// A key is missing.
    #[error("{0} is not set")]
    Missing(String),
    /// A value cannot be used.
    #[error("{key}: {detail}")]
    Unusable {
        /// The key.
        key: String,
        /// Why.
        detail: String,
    },
}

/// A table of the configuration that names a service.
struct Table<'a> {
    name: &'static str,
    credentials: &'a CredentialReader,
}

impl Table<'_> {
    fn unusable(&self, key: &str, detail: &impl ToString) -> SpeechSetupError {
        SpeechSetupError::Unusable {
            key: if key.is_empty() {
                self.name.to_owned()
            } else {
                format!("{}.{key}", self.name)
            },
            detail: detail.to_string(),
        }
    }

    fn needed(&self, value: Option<&String>, key: &str) -> Result<String, SpeechSetupError> {
        let missing = || SpeechSetupError::Missing(format!("{}.{key}", self.name));
        value.cloned().ok_or_else(missing)
    }

    fn service(&self, base_url: String, key: Option<&config::Secret>) -> Result<Service, SpeechSetupError> {
        let key = key.map(|key| self.credentials.read(key)).transpose();
        let api_key = key.map_err(|error| self.unusable("api_key", &error))?;
        Ok(Service { base_url, api_key })
    }

    fn checked<T>(&self, made: Result<T, SpeechError>) -> Result<T, SpeechSetupError> {
        made.map_err(|error| self.unusable("", &error))
    }
}

/// What a configuration says. What is spoken is kept in `voices`.
pub(super) fn build(
    config: &Config,
    credentials: &CredentialReader,
    voices: PathBuf,
    clock: &Arc<dyn Clock>,
) -> Result<Speech, SpeechSetupError> {
    let SpeechConfig {
        max_chars,
        timeout,
        keep,
        ..
    } = &config.speech;
    let output = match voice(&config.speech, credentials)? {
        None => VoiceOutput::Off,
        Some(voice) => VoiceOutput::Speaker(Speaker::new(voice, *max_chars, timeout.0, Arc::clone(clock))),
    };
    Ok(Speech {
        output,
        transcriber: transcriber(&config.transcription, credentials, clock)?.map(Arc::new),
        voices: (keep.0 > 0).then(|| Voices::new(voices, keep.0)),
    })
}

fn voice(
    config: &SpeechConfig,
    credentials: &CredentialReader,
) -> Result<Option<Arc<dyn Voice>>, SpeechSetupError> {
    let name = "speech";
    let table = Table { name, credentials };
    let voice = config.voice.as_ref();
    Ok(Some(match config.backend {
        SpeechBackend::None => return Ok(None),
        SpeechBackend::Tone => Arc::new(ToneVoice),
        SpeechBackend::Command => {
            let made = CommandVoice::new(&config.command, voice.map(String::as_str));
            Arc::new(table.checked(made)?)
        }
        SpeechBackend::Openai => {
            let base_url = table.needed(config.base_url.as_ref(), "base_url")?;
            let service = table.service(base_url, config.api_key.as_ref())?;
            let model = table.needed(config.model.as_ref(), "model")?;
            let made = OpenAiVoice::new(service, model, table.needed(voice, "voice")?);
            Arc::new(table.checked(made)?)
        }
        SpeechBackend::Elevenlabs => {
            let known = || ElevenLabsVoice::BASE_URL.to_owned();
            let base_url = config.base_url.clone().unwrap_or_else(known);
            let service = table.service(base_url, config.api_key.as_ref())?;
            let made = ElevenLabsVoice::new(service, config.model.clone(), table.needed(voice, "voice")?);
            Arc::new(table.checked(made)?)
        }
    }))
}

fn transcriber(
    config: &TranscriptionConfig,
    credentials: &CredentialReader,
    clock: &Arc<dyn Clock>,
) -> Result<Option<Transcriber>, SpeechSetupError> {
    if config.backend == TranscriptionBackend::None {
        return Ok(None);
    }
    let name = "transcription";
    let table = Table { name, credentials };
    let base_url = table.needed(config.base_url.as_ref(), "base_url")?;
    let service = table.service(base_url, config.api_key.as_ref())?;
    let model = table.needed(config.model.as_ref(), "model")?;
    let most = usize::try_from(config.max_size.0).unwrap_or(usize::MAX);
    let made = Transcriber::new(service, model, most, config.timeout.0, Arc::clone(clock));
    table.checked(made).map(Some)
}

impl Backend {
    /// The sound of a voice note.
    pub(super) async fn sound_of(&self, of: VoiceOf) -> Result<VoiceSound, Failure> {
        let note = match of {
            VoiceOf::Kept { name } => self.kept_voice(name).await?,
            VoiceOf::Words { text } => self.speak_now(&text).await?,
        };
        if note.bytes.len() > MAX_HEARD {
            return Err(failure::no_voice("it is larger than 10 MB"));
        }
        let shape = tokio::task::spawn_blocking(move || note.peaks(PARTS).map(|peaks| (note, peaks)));
        let (note, peaks) = shape
            .await
            .map_err(|error| failure::internal(&error))?
            .map_err(|error| failure::no_voice(&error.to_string()))?;
        Ok(VoiceSound {
            base64: STANDARD.encode(&note.bytes),
            duration_ms: u64::try_from(note.duration.as_millis()).unwrap_or(u64::MAX),
            peaks,
        })
    }

    async fn kept_voice(&self, name: String) -> Result<Note, Failure> {
        let gone = || failure::no_voice("it is not kept any more: speech.keep holds only the latest");
        let voices = self.shared.speech.voices.clone().ok_or_else(gone)?;
        let read = tokio::task::spawn_blocking(move || voices.read(&name)).await;
        let bytes = read
            .map_err(|error| failure::internal(&error))?
            .map_err(|error| failure::no_voice(&error.to_string()))?
            .ok_or_else(gone)?;
        Note::of(bytes).map_err(|error| failure::no_voice(&error.to_string()))
    }

    async fn speak_now(&self, text: &str) -> Result<Note, Failure> {
        let VoiceOutput::Speaker(speaker) = &self.shared.speech.output else {
            return Err(failure::no_voice("speech is not configured"));
        };
        match speaker.speak(text, &CancellationToken::new()).await {
            Ok(Some(spoken)) => Ok(spoken.note),
            Ok(None) => Err(failure::no_voice("there are no words in it")),
            Err(error) => Err(failure::no_voice(&error.to_string())),
        }
    }
}
