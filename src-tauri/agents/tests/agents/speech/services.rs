//! OpenAI-compatible services and ElevenLabs.

use super::{sound, speak};
use foldback_agents::{
    Secret,
    speech::{
        ElevenLabsVoice, OpenAiVoice, Service, Speaker, SpeechError, Voice,
        strict::{Answer, KEY, MODEL, SpeechServer, VOICE},
    },
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

fn service(server: &SpeechServer, key: &str) -> Service {
    Service {
        base_url: server.root(),
        api_key: Some(Secret::new(key)),
    }
}

fn openai(server: &SpeechServer) -> OpenAiVoice {
    OpenAiVoice::new(service(server, KEY), MODEL, VOICE).unwrap()
}

fn elevenlabs(server: &SpeechServer) -> ElevenLabsVoice {
    ElevenLabsVoice::new(service(server, KEY), Some(MODEL.to_owned()), VOICE).unwrap()
}

#[tokio::test]
async fn both_services_say_a_text_as_it_is_meant() {
    let server = SpeechServer::start().await.unwrap();
    let note = sound("Hey you").await;
    for _ in 0..2 {
        server.answer(Answer::Bytes(note.bytes.clone()));
    }
    let text = "**Hey** \"you\" $(id)";
    let voices: [Arc<dyn Voice>; 2] = [Arc::new(openai(&server)), Arc::new(elevenlabs(&server))];
    for voice in voices {
        let clock = crate::support::PausedClock::new();
        let speaker = Speaker::new(voice, 500, Duration::from_mins(10), clock);
        let spoken = speaker.speak(text, &CancellationToken::new()).await;
        assert_eq!(spoken.unwrap().unwrap().note, note, "{}", speaker.backend());
    }
    let asked: Vec<_> = server.asked().into_iter().map(|a| (a.service, a.text)).collect();
    let said = "Hey \"you\" $(id)".to_owned();
    assert_eq!(asked, [("openai", said.clone()), ("elevenlabs", said)]);
    assert_eq!(server.refused(), [""; 0]);
}

/// What a service may do instead of speaking, and what is said about it.
#[tokio::test]
async fn every_other_answer_is_told_in_words() {
    let server = SpeechServer::start().await.unwrap();
    let quota = || "You exceeded your current quota".to_owned();
    for (answer, expected) in [
        (
            Answer::Refusal(429, quota()),
            "openai refused with HTTP 429: You exceeded your current quota",
        ),
        (
            Answer::Refusal(500, String::new()),
            "openai refused with HTTP 500: Internal Server Error",
        ),
        (Answer::Bytes(Vec::new()), "the sound is empty"),
        (
            Answer::Bytes(b"ID3 an MP3".to_vec()),
            "this is neither Ogg/Opus nor WAV but MP3 or AAC",
        ),
        (
            Answer::Bytes(b"{\"ok\":true}".to_vec()),
            "this is neither Ogg/Opus nor WAV but text",
        ),
        (
            Answer::Endless(50_000_000),
            "the answer has more than 32000000 bytes",
        ),
        (
            Answer::Bytes(vec![0; 50_000_000]),
            "the answer has more than 32000000 bytes",
        ),
    ] {
        let about = format!("{answer:.80?}").chars().take(60).collect::<String>();
        server.answer(answer);
        let error = speak(openai(&server), "hi").await.unwrap_err().to_string();
        assert_eq!(error, expected, "{about}");
    }
    server.answer(Answer::Cut(b"OggS".to_vec()));
    let error = speak(elevenlabs(&server), "hi").await.unwrap_err().to_string();
    assert!(error.starts_with("elevenlabs cannot be reached: "), "{error}");
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_not_repeated() {
    let server = SpeechServer::start().await.unwrap();
    let wrong = "sk-wrong-987654321";
    let voices: [Arc<dyn Voice>; 2] = [
        Arc::new(OpenAiVoice::new(service(&server, wrong), MODEL, VOICE).unwrap()),
        Arc::new(ElevenLabsVoice::new(service(&server, wrong), None, VOICE).unwrap()),
    ];
    for voice in voices {
        let error = voice.say("hi").await.unwrap_err().to_string();
        assert!(error.contains("HTTP 401: Incorrect API key provided"), "{error}");
        assert!(!error.contains(wrong), "{error}");
    }
    assert_eq!(server.asked(), []);
}

/// The voice's name is one part of the path: it leads nowhere else.
#[tokio::test]
async fn a_voice_of_strange_signs_stays_a_voice() {
    let server = SpeechServer::start().await.unwrap();
    let voice = ElevenLabsVoice::new(service(&server, KEY), None, "../audio/speech?x=1#").unwrap();
    let error = voice.say("hi").await.unwrap_err().to_string();
    assert!(
        error.contains("voice_id ../audio/speech?x=1# was not found"),
        "{error}"
    );
}

#[tokio::test]
async fn silence_ends_with_the_limit_and_with_the_process() {
    let server = SpeechServer::start().await.unwrap();
    server.answer(Answer::Silence(b"OggS".to_vec()));
    let clock = crate::openai::HandClock::new();
    let limit = Duration::from_secs(20);
    let speaker = Speaker::new(Arc::new(openai(&server)), 500, limit, clock.clone());
    let cancel = CancellationToken::new();
    let late = async {
        while server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        clock.advance(limit);
    };
    let (spoken, ()) = tokio::join!(speaker.speak("hi", &cancel), late);
    assert_eq!(spoken, Err(SpeechError::TimedOut(limit)));

    server.answer(Answer::Silence(Vec::new()));
    let end = async {
        while server.asked().len() < 2 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (spoken, ()) = tokio::join!(speaker.speak("hi", &cancel), end);
    assert_eq!(spoken, Err(SpeechError::Cancelled));
}

#[tokio::test]
async fn addresses_and_keys_that_cannot_be_used_are_settings_that_are_wrong() {
    for (base_url, key, said) in [
        ("ftp://host/v1", "k", "neither http nor https"),
        (
            "https://me:secret@host/v1",
            "k",
            "credentials belong into api_key",
        ),
        ("https://host/v1?x=1", "k", "a query"),
        ("nonsense", "k", "relative URL"),
        ("https://host/v1", "a\nb", "a character that HTTP does not allow"),
    ] {
        let service = Service {
            base_url: base_url.to_owned(),
            api_key: Some(Secret::new(key)),
        };
        let error = OpenAiVoice::new(service, MODEL, VOICE).err().unwrap().to_string();
        assert!(error.contains(said) && !error.contains("secret@"), "{error}");
    }
}

#[tokio::test]
async fn the_server_refuses_what_is_a_little_wrong() {
    let server = SpeechServer::start().await.unwrap();
    let model = OpenAiVoice::new(service(&server, KEY), "other", VOICE).unwrap();
    assert!(
        model
            .say("hi")
            .await
            .unwrap_err()
            .to_string()
            .contains("no such model")
    );
    let voice = OpenAiVoice::new(service(&server, KEY), MODEL, "bass").unwrap();
    assert!(
        voice
            .say("hi")
            .await
            .unwrap_err()
            .to_string()
            .contains("no such voice")
    );
    let long = "a".repeat(4_097);
    let error = openai(&server).say(&long).await.unwrap_err().to_string();
    assert!(error.contains("longer than 4096"), "{error}");
    assert!(openai(&server).say("").await.is_err());
    assert_eq!(server.refused().len(), 4);
}
