//! Voice messages to text: `POST /audio/transcriptions` of any OpenAI-compatible service.
//! <https://platform.openai.com/docs/api-reference/audio/createTranscription>

use super::{
    client::{Caller, Service},
    fault::SpeechError,
};
use foldback_wire::Clock;
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Longest transcript, in bytes. An hour of speech has a tenth of it.
pub const MAX_TRANSCRIPT: usize = 1_000_000;

/// The ending by which services know what a file holds; they look at nothing else.
/// `audio/aac` is none that they take
/// (<https://platform.openai.com/docs/api-reference/audio/createTranscription>).
const ENDINGS: [(&str, &str); 11] = [
    ("audio/ogg", "ogg"),
    ("audio/opus", "ogg"),
    ("audio/mpeg", "mp3"),
    ("audio/mp3", "mp3"),
    ("audio/mp4", "m4a"),
    ("audio/m4a", "m4a"),
    ("audio/x-m4a", "m4a"),
    ("audio/wav", "wav"),
    ("audio/x-wav", "wav"),
    ("audio/flac", "flac"),
    ("audio/webm", "webm"),
];

/// Writes down what is said in sound.
pub struct Transcriber {
    ear: Ear,
    max_size: usize,
}

/// What hears it.
enum Ear {
    Service(Listener),
    /// The sound is its own words.
    Plain,
}

/// A model of a service.
struct Listener {
    caller: Caller,
    model: String,
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

impl Transcriber {
    /// A model of a service, for sound of at most `max_size` bytes, within `timeout`.
    ///
    /// # Errors
    /// Where an address or a key cannot be used.
    pub fn new(
        service: Service,
        model: impl Into<String>,
        max_size: usize,
        timeout: Duration,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, SpeechError> {
        let ear = Ear::Service(Listener {
            caller: Caller::new("transcription", service, "authorization", "Bearer ")?,
            model: model.into(),
            timeout,
            clock,
        });
        Ok(Self { ear, max_size })
    }

    /// One for replays, which call no service and have no sound: what stands in for it is the words in UTF-8.
    pub const fn plain() -> Self {
        Self {
            ear: Ear::Plain,
            max_size: MAX_TRANSCRIPT,
        }
    }

    /// The model that writes it down.
    pub fn model(&self) -> &str {
        match &self.ear {
            Ear::Service(listener) => &listener.model,
            Ear::Plain => "plain",
        }
    }

    /// Whether a media type is sound that can be written down.
    pub fn takes(media_type: &str) -> bool {
        ending(media_type).is_some()
    }

    /// What is said, without white space around it; empty where nothing is.
    ///
    /// # Errors
    /// What the service says, `TooLarge` beyond the limit, `TimedOut` after the limit, `Cancelled` when `cancel` is.
    pub async fn transcribe(
        &self,
        media_type: &str,
        bytes: Vec<u8>,
        cancel: &CancellationToken,
    ) -> Result<String, SpeechError> {
        let ending = ending(media_type).ok_or_else(|| {
            SpeechError::Setting(format!("{media_type} is no sound that can be written down"))
        })?;
        if bytes.len() > self.max_size {
            return Err(SpeechError::TooLarge {
                what: "the voice message",
                limit: self.max_size,
            });
        }
        let listener = match &self.ear {
            Ear::Service(listener) => listener,
            Ear::Plain => return Ok(String::from_utf8_lossy(&bytes).trim().to_owned()),
        };
        let until = listener.clock.now().plus(listener.timeout);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(SpeechError::Cancelled),
            text = listener.ask(ending, media_type, bytes) => text,
            () = listener.clock.sleep_until(until) => Err(SpeechError::TimedOut(listener.timeout)),
        }
    }
}

impl Listener {
    async fn ask(&self, ending: &str, media_type: &str, bytes: Vec<u8>) -> Result<String, SpeechError> {
        #[derive(Deserialize)]
        struct Answer {
            text: String,
        }
        // The name that the sender gave it is nobody else's business.
        let file = Part::bytes(bytes).file_name(format!("voice.{ending}"));
        let kind = media_type.split(';').next().unwrap_or_default().trim();
        let file = file
            .mime_str(kind)
            .map_err(|error| SpeechError::Setting(error.to_string()))?;
        let form = Form::new()
            .text("model", self.model.clone())
            .text("response_format", "json")
            .part("file", file);
        let request = self.caller.post(&["audio", "transcriptions"]).multipart(form);
        let answer = self
            .caller
            .answer(request, "the transcript", MAX_TRANSCRIPT)
            .await?;
        let Answer { text } = serde_json::from_slice(&answer)
            .map_err(|error| self.caller.wrong(format!("no transcript: {error}")))?;
        Ok(text.trim().to_owned())
    }
}

/// The ending for a media type; parameters such as `codecs=opus` do not count.
fn ending(media_type: &str) -> Option<&'static str> {
    let kind = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    ENDINGS
        .iter()
        .find(|(known, _)| *known == kind)
        .map(|(_, ending)| *ending)
}
