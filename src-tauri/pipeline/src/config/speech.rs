//! Speech: text to voice notes, and voice messages to text.

use super::{ByteSize, Interval, Secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings by which `<voice>` is spoken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpeechConfig {
    /// The backend that speaks. With `none` agents are not taught `<voice>`, and one that comes is skipped.
    pub backend: SpeechBackend,
    /// The address at which the service listens, such as `http://127.0.0.1:8880/v1`. Needed for `openai`; that of
    /// ElevenLabs is known.
    pub base_url: Option<String>,
    /// The key of the service, by reference.
    pub api_key: Option<Secret>,
    /// Lets the key travel unencrypted: to an `http://` address on another machine.
    pub allow_plain_http: bool,
    /// The model. Needed for `openai`; ElevenLabs has a default.
    pub model: Option<String>,
    /// The voice: a name for `openai` and `command`, an id for `elevenlabs`.
    pub voice: Option<String>,
    /// The program of `command` with its arguments, `espeak-ng` when empty. It writes WAV or Ogg/Opus to its
    /// output. An argument `{text}` is the text, and without one the text is its input; `{voice}` anywhere is the
    /// voice. No shell reads any of it.
    pub command: Vec<String>,
    /// Most characters that are spoken at once, without markup; what is longer ends after a sentence, and the
    /// journal says so. OpenAI takes 4096.
    pub max_chars: usize,
    /// Longest wait for the sound of all directives of a message. The text after them waits as long.
    pub timeout: Interval,
    /// The most sound that is kept beside the journal, to be heard again in the window; the oldest goes first. `0B`
    /// keeps none.
    pub keep: ByteSize,
}

impl Default for SpeechConfig {
    fn default() -> Self {
        Self {
            backend: SpeechBackend::None,
            base_url: None,
            api_key: None,
            allow_plain_http: false,
            model: None,
            voice: None,
            command: Vec::new(),
            max_chars: 1_000,
            timeout: Interval::seconds(20),
            keep: ByteSize(50_000_000),
        }
    }
}

/// The backend that speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpeechBackend {
    /// Nothing.
    #[default]
    None,
    /// An OpenAI-compatible service: `POST /audio/speech`.
    Openai,
    /// ElevenLabs.
    Elevenlabs,
    /// A program on this machine.
    Command,
    /// No words but a tone as long as they would take, to try voice notes out without a service.
    Tone,
}

/// Settings by which voice messages of people are written down for the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TranscriptionConfig {
    /// The backend that writes it down.
    pub backend: TranscriptionBackend,
    /// The address at which the service listens, such as `https://api.openai.com/v1`.
    pub base_url: Option<String>,
    /// The key of the service, by reference.
    pub api_key: Option<Secret>,
    /// Lets the key travel unencrypted: to an `http://` address on another machine.
    pub allow_plain_http: bool,
    /// The model.
    pub model: Option<String>,
    /// Largest voice message, inclusive. OpenAI takes 25 MB.
    pub max_size: ByteSize,
    /// Longest wait for the text of one voice message. The turn waits as long for up to three, which are written down at
    /// once.
    pub timeout: Interval,
}

impl Default for TranscriptionConfig {
    fn default() -> Self {
        Self {
            backend: TranscriptionBackend::None,
            base_url: None,
            api_key: None,
            allow_plain_http: false,
            model: None,
            max_size: ByteSize(25_000_000),
            timeout: Interval::seconds(60),
        }
    }
}

/// The backend that writes voice messages down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TranscriptionBackend {
    /// Nothing.
    #[default]
    None,
    /// An OpenAI-compatible service: `POST /audio/transcriptions`.
    Openai,
}
