//! What the adapter sends.

use crate::flagged::flagged;
use crate::place::{CHAT, FORUM, Place};
use crate::shared::calls::{file, reply, said, target, voice, voice_reply};
use crate::shared::sent::sent_file;
use foldback_channels::contract::{Subject, check};
use foldback_wire::{FileKind, MessageFlags, Operation, RefusalCode, Timestamp};
use serde_json::json;

#[tokio::test]
async fn it_keeps_the_contract() {
    let place = Place::open().await;
    let theirs = place.server.write(CHAT, json!({"text": "hi", "date": 1}));
    let target = target(CHAT, None);
    let theirs = theirs.to_string();
    let subject = Subject::new(
        place.adapter.clone(),
        target,
        theirs.into(),
        "999999".into(),
        "a.ogg",
    );
    let sent = place.server.keep(b"hello");
    let subject = subject.with_sent(sent_file(&sent), *b"hello", "AgACgone");
    check(&subject).await.unwrap();
}

#[tokio::test]
async fn text_is_shown_in_its_markup_and_breaks_no_rule() {
    let place = Place::open().await;
    let ack = place
        .send("**Hi** `a < b` & [here](https://e.org/?a=1&b=\"2\")\n\n- one\n- two")
        .await
        .unwrap();
    let messages = place.server.messages(CHAT);
    let (id, message) = &messages[0];
    assert_eq!(ack.message, Some(id.to_string().into()));
    assert_eq!(ack.sent_at, Some(Timestamp(1_000)), "the `date` of the answer");
    assert_eq!(message.text, "Hi a < b & here\n\n• one\n• two");
    assert!(
        message
            .raw
            .starts_with("<b>Hi</b> <code>a &lt; b</code> &amp; <a href="),
        "{}",
        message.raw
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn whatever_an_agent_writes_breaks_no_rule() {
    let place = Place::open().await;
    for text in [
        "</b> <script>x</script> &amp; &lt;",
        "> quote\n> > nested <b>\n\n```rust\"><i>\nlet a = \"<&>\";\n```",
        "| a | b |\n| - | - |\n| <i> | &amp; |",
        "**unclosed *and [odd](javascript:\"'<>) ~~x",
        "# Heading **with** `code`",
        "\\*not bold\\* a*b*c snake_case_name",
    ] {
        let ack = place.send(text).await.unwrap();
        assert_eq!(ack.warning, None, "{text}");
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_message_without_previews_or_sound_says_so() {
    let place = Place::open().await;
    let quiet = MessageFlags {
        silent: true,
        suppress_embeds: true,
        only_for: None,
    };
    let ack = place
        .perform(flagged(said("https://e.org"), &quiet))
        .await
        .unwrap();
    for operation in [file("a.txt", FileKind::File, None), voice("a.ogg")] {
        place.perform(flagged(operation, &quiet)).await.unwrap();
    }
    place.send("https://e.org").await.unwrap();
    let edit = Operation::EditText {
        message: ack.message.unwrap(),
        text: "https://e.org/2".into(),
        flags: quiet,
    };
    place.perform(edit).await.unwrap();
    let seen: Vec<_> = place
        .server
        .messages(CHAT)
        .into_iter()
        .map(|(_, posted)| (posted.silent, posted.no_previews, posted.edits))
        .collect();
    assert_eq!(
        seen,
        [
            (true, true, 1),
            (true, false, 0),
            (true, false, 0),
            (false, false, 0)
        ],
        "files have no previews of links"
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_voice_note_answers_a_message() {
    let place = Place::open().await;
    let theirs = place.server.write(CHAT, json!({"text": "hi", "date": 1}));
    let answer = voice_reply("a.ogg", &theirs.to_string());
    place.perform(answer).await.unwrap();
    let (_, posted) = place.server.messages(CHAT).pop().unwrap();
    assert_eq!(posted.reply_to, Some(theirs));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn topics_replies_edits_and_removals() {
    let place = Place::open().await;
    let theirs = place.server.write(FORUM, json!({"text": "hi", "date": 1}));
    let reply = reply("yes", &theirs.to_string());
    let ack = place.perform_in(FORUM, Some("7"), reply).await.unwrap();
    let message = ack.message.unwrap();
    let edit = |text: &str| Operation::EditText {
        message: message.clone(),
        text: text.into(),
        flags: MessageFlags::default(),
    };
    assert!(
        !place
            .perform_in(FORUM, None, edit("*well*"))
            .await
            .unwrap()
            .unchanged
    );
    assert!(
        place
            .perform_in(FORUM, None, edit("*well*"))
            .await
            .unwrap()
            .unchanged
    );
    let (_, posted) = place.server.messages(FORUM).pop().unwrap();
    assert_eq!(
        (posted.text.as_str(), posted.reply_to, posted.thread, posted.edits),
        ("well", Some(theirs), Some(7), 1)
    );
    let delete = Operation::Delete { message };
    place.perform_in(FORUM, None, delete.clone()).await.unwrap();
    assert_eq!(place.server.messages(FORUM).len(), 1);
    let again = place.perform_in(FORUM, None, delete).await.unwrap_err();
    assert_eq!((again.code, again.maybe_done), (RefusalCode::Gone, false));
    let nowhere = place.perform_in(FORUM, Some("8"), said("x")).await.unwrap_err();
    assert_eq!(nowhere.code, RefusalCode::ChatGone);
}

#[tokio::test]
async fn files_go_by_their_kind() {
    let place = Place::open().await;
    place
        .perform(file("a.txt", FileKind::File, Some("**The** report")))
        .await
        .unwrap();
    place.perform(file("a.png", FileKind::Image, None)).await.unwrap();
    place.perform(file("a.ogg", FileKind::Audio, None)).await.unwrap();
    place.perform(file("a.wav", FileKind::Audio, None)).await.unwrap();
    let sent: Vec<_> = place
        .server
        .messages(CHAT)
        .into_iter()
        .map(|(_, posted)| posted)
        .collect();
    let fields: Vec<_> = sent
        .iter()
        .map(|p| p.file.as_ref().unwrap().field.as_str())
        .collect();
    assert_eq!(fields, ["document", "photo", "voice", "document"]);
    assert_eq!(sent[0].text, "The report");
    let file = sent[0].file.as_ref().unwrap();
    assert_eq!(
        (file.name.as_str(), file.bytes.as_slice()),
        ("a.txt", &b"hello"[..])
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_large_picture_goes_as_a_document() {
    let place = Place::open().await;
    let picture = std::fs::File::create(place.dir.path().join("large.png")).unwrap();
    picture.set_len(10_000_001).unwrap();
    place
        .perform(file("large.png", FileKind::Image, None))
        .await
        .unwrap();
    let (_, posted) = place.server.messages(CHAT).pop().unwrap();
    assert_eq!(posted.file.unwrap().field, "document");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn where_voice_is_forbidden_audio_is_sent() {
    let place = Place::open().await;
    place.server.forbid_voice(CHAT);
    let voice = voice("a.ogg");
    let ack = place.perform(voice).await.unwrap();
    assert!(ack.warning.unwrap().contains("VOICE_MESSAGES_FORBIDDEN"));
    let (_, posted) = place.server.messages(CHAT).pop().unwrap();
    assert_eq!(posted.file.unwrap().field, "audio");
}

#[tokio::test]
async fn reactions_and_typing() {
    let place = Place::open().await;
    let theirs = place.server.write(CHAT, json!({"text": "hi", "date": 1}));
    let react = |emoji_sent: &str| Operation::React {
        message: theirs.to_string().into(),
        emoji: "🎉".into(),
        emoji_sent: emoji_sent.into(),
    };
    place.perform(react("🎉")).await.unwrap();
    place.perform(Operation::Typing).await.unwrap();
    let (_, posted) = place.server.messages(CHAT).pop().unwrap();
    assert_eq!(
        (posted.reaction.as_deref(), place.server.actions(CHAT)),
        (Some("🎉"), 1)
    );
    assert_eq!(place.server.broken(), []);
    let refused = place.perform(react("🦖")).await.unwrap_err();
    assert_eq!(refused.code, RefusalCode::Unsupported);
}
