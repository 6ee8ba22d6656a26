//! Text to speech and back, through real connections and programs.

mod command;
#[cfg(feature = "test-peers")]
mod peers;
mod services;
mod transcribe;

use crate::support::PausedClock;
use foldback_agents::speech::{Note, Speaker, SpeechError, Spoken, ToneVoice, Voice};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// A speaker with a limit that no test reaches.
fn speaker(voice: impl Voice + 'static) -> Speaker {
    Speaker::new(Arc::new(voice), 500, Duration::from_mins(10), PausedClock::new())
}

async fn speak(voice: impl Voice + 'static, text: &str) -> Result<Option<Spoken>, SpeechError> {
    speaker(voice).speak(text, &CancellationToken::new()).await
}

/// The sound of a text, the same every time.
async fn sound(text: &str) -> Note {
    speak(ToneVoice, text).await.unwrap().unwrap().note
}

#[tokio::test]
async fn a_tone_is_as_long_as_its_words_and_the_same_every_time() {
    let note = sound("One two, **three**!").await;
    assert!(note.duration.abs_diff(Duration::from_millis(900)) < Duration::from_millis(1));
    assert_eq!(note, sound("One two, three!").await);
    let peaks = note.peaks(9).unwrap();
    assert_eq!(peaks.len(), 9);
    assert!(peaks[0] > 10 && peaks[2] < 5 && peaks[3] > 10, "{peaks:?}");
}

#[tokio::test]
async fn nothing_to_say_is_not_said_and_too_much_is_cut_and_told() {
    assert_eq!(speak(ToneVoice, "https://example.org").await, Ok(None));
    let long = "A sentence of some words. ".repeat(100);
    let spoken = speak(ToneVoice, &long).await.unwrap().unwrap();
    assert!(spoken.cut > 2_000, "{}", spoken.cut);
}

/// A voice that never ends.
struct Mute;

#[async_trait::async_trait]
impl Voice for Mute {
    fn backend(&self) -> &'static str {
        "mute"
    }

    async fn say(&self, _text: &str) -> Result<Vec<u8>, SpeechError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_voice_that_never_ends_is_given_up_in_time_or_when_the_process_ends() {
    let limit = Duration::from_secs(20);
    let speaker = Speaker::new(Arc::new(Mute), 500, limit, PausedClock::new());
    let cancel = CancellationToken::new();
    assert_eq!(
        speaker.speak("hi", &cancel).await,
        Err(SpeechError::TimedOut(limit))
    );
    cancel.cancel();
    assert_eq!(speaker.speak("hi", &cancel).await, Err(SpeechError::Cancelled));
}

/// Two minutes of sound are encoded beside the thread that answers everybody else.
#[tokio::test]
async fn a_long_tone_holds_nobody_up() {
    let text = "word ".repeat(400);
    tokio::select! {
        biased;
        _ = ToneVoice.say(&text) => panic!("it was encoded here"),
        () = std::future::ready(()) => {}
    }
}
