//! Speech: text to voice notes, and voice messages to text.

mod audio;
mod client;
mod command;
mod elevenlabs;
mod fault;
mod ogg;
mod openai;
mod pcm;
mod peaks;
mod speaker;
#[cfg(feature = "strict-server")]
pub mod strict;
mod tone;
mod transcribe;
mod voice;
mod words;

pub use audio::Note;
pub use client::Service;
pub use command::{CommandVoice, DEFAULT_COMMAND};
pub use elevenlabs::ElevenLabsVoice;
pub use fault::SpeechError;
pub use openai::OpenAiVoice;
pub use pcm::AudioError;
pub use speaker::{Speaker, Spoken};
pub use tone::ToneVoice;
pub use transcribe::{MAX_TRANSCRIPT, Transcriber};
pub use voice::Voice;
pub use words::Words;
