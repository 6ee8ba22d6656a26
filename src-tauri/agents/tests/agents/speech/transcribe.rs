//! Voice messages to text.

use super::sound;
use foldback_agents::{
    Secret,
    speech::{
        Service, SpeechError, Transcriber,
        strict::{Answer, KEY, MODEL, SpeechServer},
    },
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

const LIMIT: Duration = Duration::from_secs(30);

fn transcriber(server: &SpeechServer, key: &str, clock: Arc<dyn foldback_wire::Clock>) -> Transcriber {
    let service = Service {
        base_url: server.root(),
        api_key: Some(Secret::new(key)),
    };
    Transcriber::new(service, MODEL, 1_000_000, LIMIT, clock).unwrap()
}

async fn written(server: &SpeechServer, media_type: &str, bytes: Vec<u8>) -> Result<String, SpeechError> {
    let clock = crate::support::PausedClock::new();
    let cancel = CancellationToken::new();
    transcriber(server, KEY, clock)
        .transcribe(media_type, bytes, &cancel)
        .await
}

#[tokio::test]
async fn what_is_said_is_written_down() {
    let server = SpeechServer::start().await.unwrap();
    let bytes = sound("Hello there").await.bytes;
    for (media_type, name) in [
        ("audio/ogg; codecs=opus", "voice.ogg"),
        ("Audio/OGG", "voice.ogg"),
        ("audio/mp4", "voice.m4a"),
    ] {
        server.answer(Answer::Bytes(br#"{"text":" Hello there. "}"#.to_vec()));
        let text = written(&server, media_type, bytes.clone()).await;
        assert_eq!(text.as_deref(), Ok("Hello there."), "{media_type}");
        let asked = server.asked().pop().unwrap();
        assert_eq!((asked.text.as_str(), asked.bytes == bytes), (name, true));
    }
    assert_eq!(server.refused(), [""; 0]);
}

#[tokio::test]
async fn every_other_answer_is_told_in_words() {
    let server = SpeechServer::start().await.unwrap();
    for (answer, expected) in [
        (
            Answer::Refusal(429, "slow down".to_owned()),
            "transcription refused with HTTP 429: slow down",
        ),
        (
            Answer::Refusal(500, "oops".to_owned()),
            "transcription refused with HTTP 500: oops",
        ),
        (
            Answer::Bytes(b"plain words".to_vec()),
            "transcription answered something else: no transcript",
        ),
        (
            Answer::Bytes(Vec::new()),
            "transcription answered something else: no transcript",
        ),
        (
            Answer::Endless(50_000_000),
            "the transcript has more than 1000000 bytes",
        ),
    ] {
        server.answer(answer);
        let error = written(&server, "audio/ogg", vec![1])
            .await
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_sound_or_too_much_of_it_is_not_sent() {
    let server = SpeechServer::start().await.unwrap();
    assert!(!Transcriber::takes("video/mp4") && Transcriber::takes("audio/ogg"));
    let error = written(&server, "image/png", vec![1]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "image/png is no sound that can be written down"
    );
    let error = written(&server, "audio/ogg", vec![0; 1_000_001])
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the voice message has more than 1000000 bytes");
    assert_eq!(server.asked(), []);
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_silence_has_an_end() {
    let server = SpeechServer::start().await.unwrap();
    let clock = crate::openai::HandClock::new();
    let cancel = CancellationToken::new();
    let wrong = transcriber(&server, "sk-wrong-1", clock.clone());
    let error = wrong
        .transcribe("audio/ogg", vec![1], &cancel)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("HTTP 401") && !error.contains("sk-wrong-1"),
        "{error}"
    );

    server.answer(Answer::Silence(b"{".to_vec()));
    let silent = transcriber(&server, KEY, clock.clone());
    let late = async {
        while server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        clock.advance(LIMIT);
    };
    let (text, ()) = tokio::join!(silent.transcribe("audio/ogg", vec![1], &cancel), late);
    assert_eq!(text, Err(SpeechError::TimedOut(LIMIT)));
}

/// <https://platform.openai.com/docs/api-reference/audio/createTranscription> names what is taken.
#[test]
fn sound_that_services_refuse_is_not_sent() {
    assert!(!Transcriber::takes("audio/aac") && Transcriber::takes("audio/mp4"));
}
