//! What the adapter sends.

use crate::place::{ANA, BEA, GROUP, Place};
use crate::shared::calls::{file, reply, said, target, voice, voice_reply};
use crate::shared::run::Run;
use crate::shared::sent::sent_file;
use foldback_channels::contract::{Subject, check};
use foldback_wire::{FileKind, MessageFlags, Operation, RefusalCode};
use serde_json::json;

fn react(message: &str, emoji: &str) -> Operation {
    Operation::React {
        message: message.into(),
        emoji: emoji.into(),
        emoji_sent: emoji.into(),
    }
}

fn hello() -> serde_json::Value {
    json!({"type": "text", "text": {"body": "hi"}})
}

#[tokio::test]
async fn it_keeps_the_contract() {
    let place = Place::open().await;
    // Typing is shown under a message that came in.
    let mut run = Run::registered(&place).await;
    let theirs = place.server.write(ANA, hello());
    assert_eq!(run.message().await.message.to_string(), theirs);
    place.server.unregister();
    run.end().await;
    let subject = Subject::new(
        place.adapter.clone(),
        target(ANA, None),
        theirs.into(),
        "wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI0000000000000000AA==".into(),
        "a.txt",
    );
    let sent = place.server.keep(b"hello");
    let subject = subject.with_sent(sent_file(&sent), *b"hello", "1");
    check(&subject).await.unwrap();
}

#[tokio::test]
async fn text_is_shown_in_its_styles_and_breaks_no_rule() {
    let place = Place::open().await;
    let theirs = place.server.write(ANA, hello());
    let ack = place
        .perform(reply(
            "**Hi** *there* ~~no~~ `a*b` [here](https://e.org)\n\n- one",
            &theirs,
        ))
        .await
        .unwrap();
    let (id, posted) = place.server.messages(ANA).pop().unwrap();
    assert!(ack.sent_at.is_some(), "the `Date` of the answer");
    assert_eq!((ack.message, ack.warning), (Some(id.into()), None));
    assert_eq!(
        posted.text,
        "*Hi* _there_ ~no~ `a*b` here (https://e.org)\n\n- one"
    );
    assert_eq!(posted.reply_to, Some(theirs));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn people_without_a_number_and_groups_are_written_to() {
    let place = Place::open().await;
    for chat in [BEA, GROUP] {
        place.perform_in(chat, said("hi")).await.unwrap();
        assert_eq!(place.server.messages(chat).len(), 1, "{chat}");
    }
    place.perform_in(&format!("+{ANA}"), said("hi")).await.unwrap();
    assert_eq!(place.server.messages(ANA).len(), 1);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn the_length_that_counts_is_that_of_the_rendered_text() {
    let place = Place::open().await;
    // The link is written out, with a blank before it.
    let link = format!(
        "[{}](https://e.org)",
        "x".repeat(4_096 - " (https://e.org)".len() + 1)
    );
    let refusal = place.send(&link).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done, place.server.calls()),
        (RefusalCode::TooLong, false, 0)
    );
    let wide = "🎉".repeat(4_096);
    place.send(&wide).await.unwrap();
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn files_go_as_what_they_are() {
    let place = Place::open().await;
    for (path, kind, caption) in [
        ("a.txt", FileKind::File, Some("**The** report")),
        ("a.csv", FileKind::File, None),
        ("a.png", FileKind::Image, Some("Look")),
        ("a.mp4", FileKind::File, None),
        ("a.mp3", FileKind::Audio, None),
        ("a.ogg", FileKind::Audio, None),
        ("a.ogg", FileKind::File, None),
    ] {
        let ack = place.perform(file(path, kind, caption)).await.unwrap();
        assert_eq!(ack.warning, None, "{path}");
    }
    let sent = place.server.messages(ANA);
    let seen: Vec<_> = sent
        .iter()
        .map(|(_, posted)| {
            let media = posted.media.as_ref().unwrap();
            (
                posted.kind.as_str(),
                media.mime.as_str(),
                media.name.as_str(),
                posted.filename.as_deref(),
                posted.text.as_str(),
                posted.voice,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (
                "document",
                "text/plain",
                "a.txt",
                Some("a.txt"),
                "*The* report",
                false
            ),
            ("document", "text/plain", "a.csv", Some("a.csv"), "", false),
            ("image", "image/png", "a.png", None, "Look", false),
            ("video", "video/mp4", "a.mp4", None, "", false),
            ("audio", "audio/mpeg", "a.mp3", None, "", false),
            ("audio", "audio/ogg", "a.ogg", None, "", true),
            ("audio", "audio/ogg", "a.ogg", None, "", false),
        ]
    );
    assert_eq!(sent[0].1.media.as_ref().unwrap().bytes, b"hello");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn audio_with_a_caption_never_leaves_the_machine() {
    let place = Place::open().await;
    let with_caption = file("a.mp3", FileKind::Audio, Some("The *song*"));
    let refusal = place.perform(with_caption).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unsupported);
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn voice_is_a_voice_message_where_it_can_be() {
    let place = Place::open().await;
    assert_eq!(place.perform(voice("a.ogg")).await.unwrap().warning, None);
    let ack = place.perform(voice("a.mp3")).await.unwrap();
    assert!(ack.warning.unwrap().contains("Ogg with Opus"));
    let sent: Vec<_> = place
        .server
        .messages(ANA)
        .into_iter()
        .map(|(_, posted)| (posted.kind, posted.voice))
        .collect();
    assert_eq!(sent, [("audio".into(), true), ("audio".into(), false)]);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_voice_note_answers_a_message() {
    let place = Place::open().await;
    let theirs = place.server.write(ANA, hello());
    place.perform(voice_reply("a.ogg", &theirs)).await.unwrap();
    let (_, posted) = place.server.messages(ANA).pop().unwrap();
    assert_eq!((posted.voice, posted.reply_to), (true, Some(theirs)));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_is_too_large_or_no_media_never_leaves_the_machine() {
    let place = Place::open().await;
    for (name, size) in [
        ("large.png", 5_000_001),
        ("large.mp3", 16_000_001),
        ("large.mp4", 16_000_001),
        ("large.pdf", 100_000_001),
    ] {
        let path = place.dir.path().join(name);
        std::fs::File::create(path).unwrap().set_len(size).unwrap();
        let refusal = place.perform(file(name, FileKind::File, None)).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::TooLong, false),
            "{name}"
        );
    }
    let refusal = place
        .perform(file("a.zip", FileKind::File, None))
        .await
        .unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unsupported);
    assert!(refusal.detail.contains("a.zip"), "{}", refusal.detail);
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn reactions_are_put_on_and_changed() {
    let place = Place::open().await;
    let theirs = place.server.write(ANA, hello());
    for emoji in ["👍", "🎉"] {
        let ack = place.perform(react(&theirs, emoji)).await.unwrap();
        assert_eq!(ack.message, None, "a reaction is no message");
        let (id, posted) = place.server.messages(ANA).pop().unwrap();
        assert_eq!(posted.reaction.as_deref(), Some(emoji));
        assert_eq!(
            ack.also.len(),
            1,
            "a platform's word for a reaction that fails later"
        );
        assert_ne!(ack.also[0].as_str(), id);
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn typing_is_shown_under_the_latest_message_and_reads_no_other() {
    let place = Place::open().await;
    let nothing_yet = place.perform(Operation::Typing).await.unwrap_err();
    assert_eq!(
        (nothing_yet.code, place.server.calls()),
        (RefusalCode::Unsupported, 0)
    );
    let mut run = Run::registered(&place).await;
    let at = |seconds: &str| json!({"type": "text", "text": {"body": "hi"}, "timestamp": seconds});
    let first = place.server.write(ANA, at("1750000002"));
    run.message().await;
    // It comes later, but was written earlier.
    let late = place.server.write(ANA, at("1750000001"));
    run.message().await;
    place.send("**answer**").await.unwrap();
    place.perform(Operation::Typing).await.unwrap();
    let read: Vec<_> = place
        .server
        .messages(ANA)
        .into_iter()
        .filter_map(|(id, posted)| posted.read.then_some(id))
        .collect();
    assert_ne!(first, late);
    assert_eq!((read, place.server.typing(ANA)), (vec![first], 1));
    assert_eq!(place.server.broken(), []);
    run.end().await;
}

#[tokio::test]
async fn there_is_no_edit_and_no_removal() {
    let place = Place::open().await;
    let message = place.send("hi").await.unwrap().message.unwrap();
    for operation in [
        Operation::EditText {
            message: message.clone(),
            text: "ho".into(),
            flags: MessageFlags::default(),
        },
        Operation::Delete { message },
    ] {
        let refusal = place.perform(operation).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Unsupported);
    }
    assert_eq!(place.server.calls(), 1);
}

#[tokio::test]
async fn the_file_that_is_sent_is_no_larger_than_its_kind_may_be() {
    let place = Place::open().await;
    let document = std::fs::File::create(place.dir.path().join("a.pdf")).unwrap();
    document.set_len(5_000_001).unwrap();
    let refusal = place
        .perform(file("a.pdf", FileKind::Image, None))
        .await
        .unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::TooLong, false));
    assert!(refusal.detail.contains("the channel's limit"), "{refusal}");
    place.perform(file("a.pdf", FileKind::File, None)).await.unwrap();
    assert_eq!(place.server.messages(ANA).len(), 1);
    assert_eq!(place.server.broken(), []);
}
