//! What the adapter sends.

use crate::flagged::flagged;
use crate::place::{ANA, BEN, GROUP, Place, SUPERGROUP};
use crate::shared::calls::{call, file, reply, said, target, voice, voice_reply};
use crate::shared::sent::sent_file;
use foldback_channels::{ChannelAdapter as _, LimitScope};
use foldback_strict::Mishap;
use foldback_wire::{FileKind, MessageFlags, Operation, RefusalCode};
use std::time::Duration;

fn edit(message: &foldback_wire::MessageId, text: &str) -> Operation {
    Operation::EditText {
        message: message.clone(),
        text: text.into(),
        flags: MessageFlags::default(),
    }
}

#[tokio::test]
async fn a_text_arrives_with_its_emphasis_beside_it() {
    let place = Place::open().await;
    let ack = place
        .send("🎉 **bold** and `code`\n\n```\na\nb\n```")
        .await
        .unwrap();
    let arrived = place.server.messages(ANA);
    assert_eq!(arrived[0].text, "🎉 bold and code\n\na\nb");
    assert_eq!(
        arrived[0].looks(),
        [("bold", 3, 4), ("code", 12, 4), ("pre", 18, 3)]
    );
    assert_eq!(ack.message.unwrap().as_str(), arrived[0].id.to_string());
    assert!(ack.sent_at.is_some());
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn every_kind_of_chat_takes_texts_and_gives_their_ids() {
    let place = Place::open().await;
    for chat in [ANA, GROUP, SUPERGROUP] {
        let first = place
            .perform_in(chat, said("one"))
            .await
            .unwrap()
            .message
            .unwrap();
        let second = place
            .perform_in(chat, reply("two", first.as_str()))
            .await
            .unwrap();
        let arrived = place.server.messages(chat);
        assert_eq!(
            second.message.unwrap().as_str(),
            arrived[1].id.to_string(),
            "{chat}"
        );
        assert_eq!(arrived[1].reply_to, Some(arrived[0].id), "{chat}");
        assert_eq!(first.as_str(), arrived[0].id.to_string());
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn flags_are_passed_on() {
    let place = Place::open().await;
    let flags = MessageFlags {
        silent: true,
        suppress_embeds: true,
        ..MessageFlags::default()
    };
    place
        .perform(flagged(said("https://example.org"), &flags))
        .await
        .unwrap();
    place.perform(said("aloud")).await.unwrap();
    let arrived = place.server.messages(ANA);
    let told: Vec<_> = arrived.iter().map(|m| (m.is_silent, m.has_no_preview)).collect();
    assert_eq!(told, [(true, true), (false, false)]);
}

#[tokio::test]
async fn a_message_is_edited_reacted_to_and_deleted() {
    let place = Place::open().await;
    for chat in [ANA, GROUP, SUPERGROUP] {
        let message = place
            .perform_in(chat, said("one"))
            .await
            .unwrap()
            .message
            .unwrap();
        let perform = |operation| place.perform_in(chat, operation);
        assert!(!perform(edit(&message, "**two**")).await.unwrap().unchanged);
        assert!(perform(edit(&message, "**two**")).await.unwrap().unchanged);
        let react = Operation::React {
            message: message.clone(),
            emoji: "👍".into(),
            emoji_sent: "👍".into(),
        };
        assert!(!perform(react.clone()).await.unwrap().unchanged);
        assert!(perform(react).await.unwrap().unchanged);
        let there = &place.server.messages(chat)[0];
        assert_eq!((there.text.as_str(), there.edits), ("two", 1));
        assert_eq!(there.reaction.as_deref(), Some("👍"));
        let delete = Operation::Delete {
            message: message.clone(),
        };
        assert!(!perform(delete.clone()).await.unwrap().unchanged);
        assert!(perform(delete).await.unwrap().unchanged);
        assert!(place.server.messages(chat).is_empty(), "{chat}");
        let gone = perform(edit(&message, "three")).await.unwrap_err();
        assert_eq!(gone.code, RefusalCode::Gone, "{gone}");
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_reaction_that_is_none_and_an_edit_of_somebody_elses_message_are_refused() {
    let place = Place::open().await;
    let theirs = place.server.write(ANA, ANA, "mine").to_string();
    let react = Operation::React {
        message: theirs.as_str().into(),
        emoji: "🦆".into(),
        emoji_sent: "🦆".into(),
    };
    let refusal = place.perform(react).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unsupported, "{refusal}");
    let refusal = place
        .perform(edit(&theirs.as_str().into(), "x"))
        .await
        .unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Forbidden, "{refusal}");
}

#[tokio::test]
async fn somebody_sees_that_an_answer_is_written() {
    let place = Place::open().await;
    place.perform(Operation::Typing).await.unwrap();
    place.perform_in(GROUP, Operation::Typing).await.unwrap();
    assert_eq!(place.server.typing(), [ANA, GROUP]);
}

#[tokio::test]
async fn files_arrive_whole_by_their_kind() {
    let place = Place::open().await;
    // More than one part, and not a whole number of them.
    let large: Vec<u8> = (0..1_300_001_u32).map(|at| (at % 251) as u8).collect();
    std::fs::write(place.dir.path().join("large.bin"), &large).unwrap();
    let caption = Some("**see** here");
    place
        .perform(file("large.bin", FileKind::File, caption))
        .await
        .unwrap();
    place.perform(file("a.png", FileKind::Image, None)).await.unwrap();
    place.perform(voice("a.ogg")).await.unwrap();
    place
        .perform_in(SUPERGROUP, file("a.txt", FileKind::File, None))
        .await
        .unwrap();
    let arrived = place.server.messages(ANA);
    let files: Vec<_> = arrived.iter().map(|m| m.file.clone().unwrap()).collect();
    assert_eq!(
        files[0],
        ("large.bin".into(), "application/octet-stream".into(), large)
    );
    assert_eq!(
        (arrived[0].text.as_str(), arrived[0].looks()),
        ("see here", vec![("bold", 0, 3)])
    );
    assert_eq!(
        (files[1].1.as_str(), &files[1].2[..]),
        ("image/jpeg", &b"PNG"[..])
    );
    assert_eq!((files[2].1.as_str(), arrived[2].is_voice), ("audio/ogg", true));
    let town = place.server.messages(SUPERGROUP)[0].file.clone().unwrap();
    assert_eq!(town, ("a.txt".into(), "text/plain".into(), b"hello".to_vec()));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_failed_upload_has_done_nothing() {
    let place = Place::open().await;
    for mishap in [Mishap::Failed, Mishap::FailedAfter, Mishap::Lost, Mishap::Broken] {
        place.server.plan("upload.saveFilePart", mishap);
        let refusal = place
            .perform(file("a.txt", FileKind::File, None))
            .await
            .unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Transient, false),
            "{mishap:?}: {refusal:?}"
        );
    }
    assert!(place.server.messages(ANA).is_empty());
}

#[tokio::test]
async fn a_message_that_is_sent_again_is_not_doubled() {
    let mut place = Place::open().await;
    let intent = call(target(ANA, None), said("once"));
    for mishap in [Mishap::Lost, Mishap::FailedAfter] {
        place.server.plan("messages.sendMessage", mishap);
        let refusal = place.adapter.perform(intent.clone()).await.unwrap_err();
        // Telegram says of the second that it had it.
        if mishap == Mishap::Lost {
            assert!(refusal.maybe_done);
        }
    }
    // A process later.
    place.restart();
    let ack = place.adapter.perform(intent).await.unwrap();
    let arrived = place.server.messages(ANA);
    assert_eq!(arrived.len(), 1);
    assert_eq!(ack.message.unwrap().as_str(), arrived[0].id.to_string());
    assert!(ack.unchanged);
    // Another intent with the same text is another message.
    place.send("once").await.unwrap();
    assert_eq!(place.server.messages(ANA).len(), 2);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_flood_wait_says_how_long() {
    let place = Place::open().await;
    for (method, operation) in [
        ("messages.sendMessage", said("x")),
        ("messages.setTyping", Operation::Typing),
        ("upload.saveFilePart", file("a.txt", FileKind::File, None)),
    ] {
        place
            .server
            .plan(method, Mishap::RateLimited(Duration::from_secs(41)));
        let refusal = place.perform_in(BEN, operation).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::RateLimited);
        assert_eq!(refusal.retry_after, Some(Duration::from_secs(41)), "{method}");
        assert_eq!((refusal.scope, refusal.maybe_done), (LimitScope::Route, false));
    }
}

#[tokio::test]
async fn another_salt_is_taken_up_in_between() {
    let place = Place::open().await;
    for _ in 0..3 {
        place.send("x").await.unwrap();
        place.server.renew_salt();
    }
    place.send("x").await.unwrap();
    assert_eq!(place.server.messages(ANA).len(), 4);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_voice_note_answers_a_message() {
    let place = Place::open().await;
    let theirs = place.server.write(ANA, ANA, "say something");
    place
        .perform(voice_reply("a.ogg", &theirs.to_string()))
        .await
        .unwrap();
    let arrived = &place.server.messages(ANA)[1];
    assert_eq!((arrived.is_voice, arrived.reply_to), (true, Some(theirs)));
}

#[tokio::test]
async fn a_handle_that_is_none_asks_nobody() {
    let place = Place::open().await;
    for handle in ["", "a", "{}", "https://example.org/x"] {
        let refusal = place
            .adapter
            .fetch(&"4711".into(), &sent_file(handle), 9)
            .await
            .unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Rejected, "{handle}");
    }
    assert_eq!(place.server.calls(), 0);
}
