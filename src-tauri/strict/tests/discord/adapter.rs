//! What the adapter sends.

use crate::flagged::flagged;
use crate::place::{DIRECT, Place, ROOM, THREAD, TOKEN, adapter, adapter_that};
use crate::shared::calls::{file, reply, said, target, voice, voice_reply};
use crate::shared::sent::sent_file;
use foldback_channels::contract::{Subject, check};
use foldback_channels::{Call, ChannelAdapter, Mention, platform, profile};
use foldback_wire::{Capabilities, FileKind, MessageFlags, Operation, RefusalCode, Target, Timestamp};
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn it_keeps_the_contract() {
    for (chat, thread, place_of_it) in [
        (ROOM, None, ROOM),
        (ROOM, Some(THREAD), THREAD),
        (DIRECT, None, DIRECT),
    ] {
        let place = Place::open().await;
        let theirs = place.server.write(place_of_it, &json!({"content": "hi"}));
        let target = Target {
            chat: chat.to_string().into(),
            thread: thread.map(|thread: u64| thread.to_string().into()),
        };
        let subject = Subject::new(
            place.adapter.clone(),
            target,
            theirs.to_string().into(),
            "999999".into(),
            "a.ogg",
        );
        let sent = place.server.keep(b"hello");
        let gone = sent.replace("/attachments/", "/attachments/0");
        let subject = subject.with_sent(sent_file(&sent), *b"hello", gone);
        check(&subject).await.unwrap();
    }
}

#[tokio::test]
async fn text_goes_as_the_markdown_that_discord_reads() {
    let place = Place::open().await;
    let text =
        "**Hi** `a < b` & [here](https://e.org/?a=1&b=2)\n\n#### Small\n\n| a | b |\n| - | - |\n| 1 | 2 |\n";
    let ack = place.send(text).await.unwrap();
    let messages = place.server.messages(ROOM);
    let (id, message) = &messages[0];
    assert_eq!(ack.message, Some(id.to_string().into()));
    let since_2015 = i64::try_from(id >> 22).unwrap();
    let sent_at = Timestamp(since_2015 + 1_420_070_400_000);
    assert_eq!(ack.sent_at, Some(sent_at), "the time that its id begins with");
    assert_eq!(
        message.text,
        "**Hi** `a < b` & [here](https://e.org/?a=1&b=2)\n\n**Small**\n\n```\na | b\n--+--\n1 | 2\n```\n"
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_an_agent_writes_notifies_nobody() {
    let place = Place::open().await;
    let text = "@everyone @here <@42> <@!42> <@&7> hello";
    let ack = place.send(text).await.unwrap();
    let edit = Operation::EditText {
        message: ack.message.unwrap(),
        text: format!("{text}, again"),
        flags: MessageFlags::default(),
    };
    place.perform(edit).await.unwrap();
    let file = file("a.txt", FileKind::File, Some(text));
    place.perform(file).await.unwrap();
    for (_, message) in place.server.messages(ROOM) {
        assert!(message.text.contains("@everyone"), "it is shown all the same");
        assert_eq!(message.notified.len(), 0, "{:?}", message.notified);
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn mentions_notify_where_a_person_has_allowed_it() {
    let place = Place::open().await;
    for (allowed, notified) in [
        (vec![Mention::Users], vec!["42"]),
        (vec![Mention::Roles], vec!["&7"]),
        (vec![Mention::Everyone], vec!["everyone"]),
        (
            vec![Mention::Users, Mention::Roles, Mention::Everyone],
            vec!["&7", "42", "everyone"],
        ),
    ] {
        let adapter = adapter(&place.server, TOKEN, place.dir.path()).notifying(allowed.clone());
        let call = Call {
            target: target(ROOM, None),
            operation: said("@everyone <@42> <@&7>"),
            key: String::new(),
        };
        adapter.perform(call).await.unwrap();
        let (_, message) = place.server.messages(ROOM).pop().unwrap();
        let told: Vec<&str> = message.notified.iter().map(String::as_str).collect();
        assert_eq!(told, notified, "{allowed:?}");
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_message_without_previews_or_sound_says_so() {
    let place = Place::open().await;
    let (silent, suppress_embeds) = (true, true);
    let quiet = MessageFlags {
        silent,
        suppress_embeds,
        only_for: None,
    };
    let ack = place
        .perform(flagged(said("https://e.org"), &quiet))
        .await
        .unwrap();
    for operation in [file("a.txt", FileKind::File, None), voice("a.ogg")] {
        place.perform(flagged(operation, &quiet)).await.unwrap();
    }
    let flags = |place: &Place| {
        let messages = place.server.messages(ROOM).into_iter();
        messages.map(|(_, posted)| posted.flags).collect::<Vec<_>>()
    };
    assert_eq!(flags(&place), [4 | 4096; 3]);
    let edit = Operation::EditText {
        message: ack.message.unwrap(),
        text: "https://e.org/2".into(),
        flags: quiet,
    };
    place.perform(edit).await.unwrap();
    let loud = place.send("https://e.org").await.unwrap().message.unwrap();
    let edit = Operation::EditText {
        message: loud,
        text: "https://e.org/2".into(),
        flags: MessageFlags {
            suppress_embeds,
            ..MessageFlags::default()
        },
    };
    place.perform(edit).await.unwrap();
    assert_eq!(flags(&place), [4 | 4096, 4 | 4096, 4 | 4096, 4]);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn threads_replies_edits_and_removals() {
    let place = Place::open().await;
    let theirs = place.server.write(THREAD, &json!({"content": "hi"}));
    let reply = |to: u64| reply("yes", &to.to_string());
    let ack = place.perform_in(ROOM, Some(THREAD), reply(theirs)).await.unwrap();
    let message = ack.message.unwrap();
    let edit = Operation::EditText {
        message: message.clone(),
        text: "*well*".into(),
        flags: MessageFlags::default(),
    };
    place.perform_in(ROOM, Some(THREAD), edit).await.unwrap();
    let (_, posted) = place.server.messages(THREAD).pop().unwrap();
    assert_eq!(
        (posted.text.as_str(), posted.reply_to, posted.edits),
        ("*well*", Some(theirs), 1)
    );
    assert_eq!(
        posted.notified.into_iter().collect::<Vec<_>>(),
        [format!("author of {theirs}")]
    );
    assert_eq!(place.server.messages(ROOM).len(), 0, "nothing beside the thread");
    let delete = Operation::Delete { message };
    place
        .perform_in(ROOM, Some(THREAD), delete.clone())
        .await
        .unwrap();
    assert_eq!(place.server.messages(THREAD).len(), 1);
    assert_eq!(place.server.broken(), []);
    let again = place.perform_in(ROOM, Some(THREAD), delete).await.unwrap_err();
    assert_eq!((again.code, again.maybe_done), (RefusalCode::Gone, false));
    // The message answered is elsewhere, or gone: the delivery engine sends without it then.
    for (thread, to) in [(None, theirs), (Some(THREAD), 99)] {
        let refusal = place.perform_in(ROOM, thread, reply(to)).await.unwrap_err();
        assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Gone, false));
    }
    let foreign = Operation::Delete {
        message: theirs.to_string().into(),
    };
    let refusal = place.perform_in(ROOM, Some(THREAD), foreign).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Forbidden);
}

#[tokio::test]
async fn a_voice_note_answers_a_message() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, &json!({"content": "hi"}));
    let answer = voice_reply("a.ogg", &theirs.to_string());
    place.perform(answer).await.unwrap();
    let (_, posted) = place.server.messages(ROOM).pop().unwrap();
    assert_eq!(posted.reply_to, Some(theirs));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn files_and_voice_go_as_attachments() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, &json!({"content": "hi"}));
    let file = Operation::SendFile {
        path: "a.txt".into(),
        kind: FileKind::File,
        caption: Some("**The** report".into()),
        reply_to: Some(theirs.to_string().into()),
        checked: None,
        flags: MessageFlags::default(),
    };
    for operation in [file, voice("a.ogg")] {
        assert!(place.perform(operation).await.unwrap().message.is_some());
    }
    let sent: Vec<_> = place
        .server
        .messages(ROOM)
        .into_iter()
        .map(|(_, posted)| posted)
        .collect();
    assert_eq!(
        (sent[1].text.as_str(), sent[1].reply_to),
        ("**The** report", Some(theirs))
    );
    assert_eq!(
        (sent[1].files[0].name.as_str(), sent[1].files[0].bytes.as_slice()),
        ("a.txt", &b"hello"[..])
    );
    assert_eq!(
        (sent[2].text.as_str(), sent[2].files[0].name.as_str()),
        ("", "a.ogg")
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_file_that_discord_finds_too_large_is_told_as_such() {
    let mut place = Place::open().await;
    let content = std::fs::File::create(place.dir.path().join("large.bin")).unwrap();
    content.set_len(10 * 1_024 * 1_024 + 1).unwrap();
    let large = file("large.bin", FileKind::File, None);
    let refusal = place.perform(large.clone()).await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::TooLong, false));
    assert!(refusal.detail.contains("the channel's limit"), "{refusal}");

    // A server may take less than is known here.
    let can = Capabilities {
        file_limit: None,
        ..profile(platform::DISCORD)
    };
    place.adapter = Arc::new(adapter_that(can, &place.server, TOKEN, place.dir.path()));
    let refusal = place.perform(large).await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::TooLong, false));
    assert!(!refusal.detail.contains("the channel's limit"), "{refusal}");
}

#[tokio::test]
async fn reactions_and_typing() {
    let place = Place::open().await;
    let theirs = place.server.write(ROOM, &json!({"content": "hi"}));
    let react = |emoji_sent: &str| Operation::React {
        message: theirs.to_string().into(),
        emoji: emoji_sent.into(),
        emoji_sent: emoji_sent.into(),
    };
    for emoji in ["👍", "❤️", "🏳️‍🌈"] {
        place.perform(react(emoji)).await.unwrap();
    }
    place.perform(Operation::Typing).await.unwrap();
    let (_, posted) = place.server.messages(ROOM).pop().unwrap();
    assert_eq!(
        posted.reactions.into_iter().collect::<Vec<_>>(),
        ["❤️", "🏳️‍🌈", "👍"]
    );
    assert_eq!(place.server.typing(ROOM), 1);
    assert_eq!(place.server.broken(), []);
    for none in ["x", "a/b", "..", "%2e"] {
        let refusal = place.perform(react(none)).await.unwrap_err();
        assert!(
            matches!(refusal.code, RefusalCode::Unsupported | RefusalCode::Rejected),
            "{none}: {refusal:?}"
        );
    }
}
