//! A voice that says nothing: a tone as long as the words would take. It needs neither a service nor a program,
//! so that a voice note can be tried out, and it is the same every time, so that fixtures can expect one.

use super::{
    audio::Note,
    fault::SpeechError,
    pcm::{Pcm, RATE},
    voice::Voice,
};
use async_trait::async_trait;

/// Samples of a word: 300 ms, of which the last third is silent.
const WORD: usize = 14_400;
/// Samples of a word that sound.
const SOUNDS: usize = 9_600;
/// Words after which the tone ends: two minutes.
const WORDS: usize = 400;

/// The backend `tone`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToneVoice;

#[async_trait]
impl Voice for ToneVoice {
    fn backend(&self) -> &'static str {
        "tone"
    }

    async fn say(&self, text: &str) -> Result<Vec<u8>, SpeechError> {
        let words = text.split_whitespace().take(WORDS);
        let lengths: Vec<usize> = words.map(|word| word.chars().count()).collect();
        // Two minutes take a second or two to encode, and nobody else is to wait for it.
        match tokio::task::spawn_blocking(move || sound(&lengths)).await {
            Ok(sound) => sound,
            Err(_) => Err(SpeechError::Cancelled),
        }
    }
}

/// The tones of words of these lengths.
fn sound(words: &[usize]) -> Result<Vec<u8>, SpeechError> {
    let samples = words.iter().flat_map(|length| {
        // A word's length gives its pitch, so that a person hears that words differ.
        let pitch = 220.0 + 20.0 * (*length).min(20) as f32;
        (0..WORD).map(move |at| tone(pitch, at))
    });
    let pcm = Pcm {
        samples: samples.collect(),
        rate: RATE,
    };
    Ok(Note::encode(&pcm)?.bytes)
}

/// A sample of a sine that rises and falls, so that it does not click.
fn tone(pitch: f32, at: usize) -> i16 {
    if at >= SOUNDS {
        return 0;
    }
    let time = at as f32 / RATE as f32;
    let swell = (std::f32::consts::PI * at as f32 / SOUNDS as f32).sin();
    (8_000.0 * swell * (std::f32::consts::TAU * pitch * time).sin()) as i16
}
