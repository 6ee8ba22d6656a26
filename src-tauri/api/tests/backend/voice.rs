//! Voice notes in the window: heard again where they are kept, spoken on demand in Compose, honest where they are gone.

use crate::host::Host;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use foldback_agents::speech::Note;
use foldback_api::{Backend, Setup, call};
use foldback_pipeline::config::{ByteSize, SpeechBackend};
use foldback_wire::{
    Actor,
    rpc::{BubblePart, ComposeResult, TurnDetail, VoiceOf, VoiceSound},
};
use serde_json::{Value, json};
use std::{fs, time::Duration};

const OUTPUT: &str = "<actions><voice>Hey, three words</voice></actions>And in writing";

async fn speaking(keep: u64) -> Host {
    Host::start_with(|setup| {
        setup.demo = false;
        setup.config.speech.backend = SpeechBackend::Tone;
        setup.config.speech.keep = ByteSize(keep);
    })
    .await
}

/// The voice note that the user sees at the end of a turn.
async fn seen(host: &Host, turn: u64) -> (String, bool, Option<VoiceOf>, Option<u64>) {
    let detail: TurnDetail = host.call("turn", json!({ "turn": turn })).await;
    let at = json!({"turn": turn, "seq": detail.head, "byte": null});
    let moment: foldback_wire::rpc::Moment = host.call("turn_at", at).await;
    let voice = moment
        .seen
        .bubbles
        .into_iter()
        .find_map(|bubble| match bubble.part {
            BubblePart::Voice {
                text,
                note,
                sound,
                duration_ms,
            } => Some((text, note, sound, duration_ms)),
            _ => None,
        });
    voice.expect("a voice note")
}

#[tokio::test(start_paused = true)]
async fn what_was_spoken_is_heard_again() {
    let host = speaking(1_000_000).await;
    for (channel, native) in [("telegram", true), ("discord", false)] {
        let turn = host.say(channel, "talk", OUTPUT).await;
        let (text, note, sound, duration_ms) = seen(&host, turn).await;
        assert_eq!(
            (text.as_str(), note, duration_ms),
            ("Hey, three words", native, Some(900))
        );
        let of = serde_json::to_value(sound.unwrap()).unwrap();
        assert_eq!(of["of"], "kept");
        let heard: VoiceSound = host.call("voice", of).await;
        assert_eq!((heard.duration_ms, heard.peaks.len()), (900, 48));
        assert!(heard.peaks.iter().any(|peak| *peak > 10), "{:?}", heard.peaks);
        let note = Note::of(STANDARD.decode(heard.base64).unwrap()).unwrap();
        assert_eq!(note.duration, Duration::from_millis(900));
    }
    let detail: TurnDetail = host.call("turn", json!({ "turn": 1 })).await;
    let spoken = detail
        .ledger
        .iter()
        .find_map(|entry| entry.spoken.as_ref())
        .unwrap();
    assert_eq!((spoken.backend.as_str(), spoken.duration_ms), ("tone", 900));
}

/// Two processes with one configuration, and so one folder of files, and two journals.
#[tokio::test]
async fn a_start_with_another_journal_leaves_alone_what_waits_to_be_sent() {
    let folder = tempfile::tempdir().unwrap();
    let start = async |journal: &str| {
        let mut setup = Setup::embedded(folder.path().to_owned(), folder.path().join("f"), Actor::Console);
        setup.demo = false;
        setup.config.speech.backend = SpeechBackend::Tone;
        setup.config.store.file = Some(journal.into());
        Backend::open(setup).await.unwrap()
    };
    let spoken = || {
        let folders = fs::read_dir(folder.path().join("data/outbound/.voice"))
            .into_iter()
            .flatten();
        let files = folders.flat_map(|of| fs::read_dir(of.unwrap().path()).unwrap());
        files.count()
    };
    let running = start("one.sqlite").await;
    let off = json!({"channel": "telegram", "on": false});
    call(&running, "channel_switch", off).await.unwrap();
    let say = json!({"channel": "telegram", "user_text": "talk", "agent_output": OUTPUT});
    call(&running, "compose_send", say).await.unwrap();
    while spoken() == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    start("other.sqlite").await.shutdown().await.unwrap();
    assert_eq!(spoken(), 1);
    running.shutdown().await.unwrap();
    start("one.sqlite").await.shutdown().await.unwrap();
    assert_eq!(spoken(), 1, "it still waits");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_kept_says_so() {
    let host = speaking(0).await;
    let turn = host.say("telegram", "talk", OUTPUT).await;
    assert_eq!(seen(&host, turn).await.2, None);
    let name = "a".repeat(64);
    for name in [name.as_str(), "../../etc/passwd", ""] {
        let (code, message, _) = host.failure("voice", json!({"of": "kept", "name": name})).await;
        assert_eq!(code, "no_voice");
        assert!(message.contains("not kept any more"), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_preview_speaks_nothing_until_it_is_asked() {
    let host = speaking(1_000_000).await;
    let args = json!({"user_text": "talk", "agent_output": OUTPUT, "channels": ["slack"]});
    let composed: ComposeResult = host.call("compose", args).await;
    let bubbles = &composed.previews[0].bubbles;
    let Some(BubblePart::Voice {
        text, note, sound, ..
    }) = bubbles.get(1).map(|bubble| &bubble.part)
    else {
        panic!("{bubbles:?}");
    };
    assert_eq!((text.as_str(), *note), ("Hey, three words", false));
    let of: Value = serde_json::to_value(sound.as_ref().unwrap()).unwrap();
    assert_eq!(of, json!({"of": "words", "text": "Hey, three words"}));
    assert!(!host.folder.path().join("voices").exists(), "nothing was spoken");
    assert!(
        !host.folder.path().join("data/outbound/.voice").exists(),
        "nothing was written"
    );
    let heard: VoiceSound = host.call("voice", of).await;
    assert_eq!(heard.duration_ms, 900);
    let (code, ..) = host.failure("voice", json!({"of": "words", "text": "***"})).await;
    assert_eq!(code, "no_voice");
}

#[tokio::test(start_paused = true)]
async fn without_speech_nothing_is_spoken() {
    let host = Host::start().await;
    let (_, message, _) = host.failure("voice", json!({"of": "words", "text": "Hey"})).await;
    assert!(message.contains("speech is not configured"), "{message}");
}
