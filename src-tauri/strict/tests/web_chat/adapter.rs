//! Operations, as a page is shown them.

use crate::place::{Place, here, made, watch};
use crate::shared::calls::{call, file, reply, said, target, voice};
use foldback_channels::{ChannelAdapter, Folder, VisitorLimits, WebChatPlace};
use foldback_wire::{ChatId, FileKind, MessageFlags, MessageId, Operation, RefusalCode};
use serde_json::json;

fn edit(message: &MessageId, text: &str) -> Operation {
    Operation::EditText {
        message: message.clone(),
        text: text.into(),
        flags: MessageFlags::default(),
    }
}

fn react(message: &MessageId, emoji: &str) -> Operation {
    Operation::React {
        message: message.clone(),
        emoji: emoji.into(),
        emoji_sent: emoji.into(),
    }
}

#[tokio::test]
async fn an_answer_streams_as_what_is_added() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let chat = visitor.chat.clone();
    place.perform(&chat, Operation::Typing).await.unwrap();
    assert_eq!(visitor.next().await.data, json!({"type": "typing"}));
    let id = place.perform(&chat, said("Two")).await.unwrap().message.unwrap();
    let message = visitor.next().await.data["message"].clone();
    assert_eq!(
        (&message["id"], &message["from"], &message["text"]),
        (&json!(id), &json!("bot"), &json!("Two"))
    );
    for (text, keep, added) in [
        ("Two 🎉 ro", 3, " 🎉 ro"),
        ("Two 🎉 routes", 9, "utes"),
        ("Three", 1, "hree"),
    ] {
        place.perform(&chat, edit(&id, text)).await.unwrap();
        let expected = json!({"type": "text", "id": id, "keep": keep, "text": added});
        assert_eq!(visitor.next().await.data, expected, "{text}");
    }
    assert!(place.perform(&chat, edit(&id, "Three")).await.unwrap().unchanged);
    assert_eq!(visitor.browser.broken(), []);
}

#[tokio::test]
async fn reactions_replies_files_and_voice_arrive() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let chat = visitor.chat.clone();
    let (_, question) = place.say(&visitor.browser, "q", "which?").await;
    visitor.next().await;
    place
        .perform(&chat, react(&question.message, "👍"))
        .await
        .unwrap();
    let reaction = visitor.next().await.data;
    let expected =
        json!({"type": "reaction", "id": question.message, "emoji": "👍", "from": "bot", "on": true});
    assert_eq!(reaction, expected);
    place
        .perform(&chat, reply("this", question.message.as_str()))
        .await
        .unwrap();
    assert_eq!(
        visitor.next().await.data["message"]["reply_to"],
        json!(question.message)
    );
    place
        .perform(&chat, file("a.png", FileKind::Image, Some("the *map*")))
        .await
        .unwrap();
    let picture = visitor.next().await.data["message"].clone();
    assert_eq!(
        (&picture["text"], &picture["files"][0]["media_type"]),
        (&json!("the *map*"), &json!("image/png"))
    );
    place.perform(&chat, voice("a.ogg")).await.unwrap();
    let spoken = visitor.next().await.data["message"]["files"][0].clone();
    assert_eq!(
        (&spoken["voice"], &spoken["words"]),
        (&json!(true), &json!("hello"))
    );
    for (sent, bytes) in [(&picture["files"][0], b"png".as_slice()), (&spoken, b"OggS")] {
        let path = format!("/files/{}", sent["id"].as_str().unwrap());
        let loaded = visitor.browser.load(&path).await.unwrap();
        assert_eq!((loaded.status, loaded.body.as_slice()), (200, bytes));
    }
    // The copy stays, whatever becomes of the file.
    std::fs::remove_file(place.dir.path().join("a.png")).unwrap();
    let path = format!("/files/{}", picture["files"][0]["id"].as_str().unwrap());
    assert_eq!(visitor.browser.load(&path).await.unwrap().body, b"png");
    assert_eq!(visitor.browser.broken(), []);
}

#[tokio::test]
async fn the_same_key_makes_the_same_message_also_after_a_restart() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    let (said, sent) = (
        call(target(&visitor.chat, None), said("once")),
        file("a.txt", FileKind::File, None),
    );
    let sent = call(target(&visitor.chat, None), sent);
    let first = place.adapter.perform(said.clone()).await.unwrap();
    let file = place.adapter.perform(sent.clone()).await.unwrap();
    let place = place.again().await;
    assert_eq!(place.adapter.perform(said).await.unwrap(), first);
    assert_eq!(place.adapter.perform(sent).await.unwrap(), file);
}

#[tokio::test]
async fn ids_that_are_none_change_nothing() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let chat = visitor.chat.clone();
    for id in [
        "",
        "w",
        "w0000000000000000",
        "../w0000000000000000",
        "1700000000123",
        "w000000000000000\n",
    ] {
        let message = MessageId::from(id);
        for operation in [
            reply("x", id),
            edit(&message, "x"),
            react(&message, "👍"),
            Operation::Delete { message },
        ] {
            let what = format!("{operation:?}");
            let refusal = place.perform(&chat, operation).await.expect_err(&what);
            assert_eq!(
                (refusal.code, refusal.maybe_done),
                (RefusalCode::Gone, false),
                "{what}"
            );
        }
    }
    for id in ["", "..", "/", "0123456789abcdef0123456789abcdef", "../../etc"] {
        let refusal = place.perform(&ChatId::from(id), said("x")).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::ChatGone, false),
            "{id}"
        );
    }
    let threaded = call(target(&chat, Some("t")), said("x"));
    let refusal = place.adapter.perform(threaded).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unsupported);
    let theirs = place.say(&visitor.browser, "mine", "mine").await.1.message;
    let refusal = place.perform(&chat, edit(&theirs, "yours")).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Forbidden);
    assert_eq!(
        visitor.next().await.data["message"]["text"],
        "mine",
        "nothing came before it"
    );
}

#[tokio::test]
async fn a_file_that_may_not_be_sent_is_refused() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    std::os::unix::fs::symlink("/etc/passwd", place.dir.path().join("link.txt")).unwrap();
    for path in ["link.txt", "../a.txt", "/etc/hosts", "nothing.txt"] {
        let refusal = place
            .perform(&visitor.chat, file(path, FileKind::File, None))
            .await
            .unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Rejected, false),
            "{path}"
        );
    }
    let now = Folder::new(place.dir.path(), u64::MAX)
        .open("a.ogg")
        .unwrap()
        .identity;
    std::fs::write(place.dir.path().join("a.ogg"), "OggS of somebody else").unwrap();
    for mut operation in [file("a.ogg", FileKind::File, None), voice("a.ogg")] {
        if let Operation::SendFile { checked, .. } | Operation::SendVoice { checked, .. } = &mut operation {
            *checked = Some(now);
        }
        let refusal = place.perform(&visitor.chat, operation).await.unwrap_err();
        assert_eq!(refusal.detail, "a.ogg was changed after it was checked");
    }
    let large = std::fs::File::create(place.dir.path().join("large.bin")).unwrap();
    large.set_len(25_000_001).unwrap();
    let refusal = place
        .perform(&visitor.chat, file("large.bin", FileKind::File, None))
        .await
        .unwrap_err();
    assert_eq!(refusal.code, RefusalCode::TooLong);
    let kept = watch(&visitor.browser, None).await.next().await.unwrap();
    assert_eq!(kept.data["messages"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_address_that_is_taken_is_said_with_what_to_do_and_one_for_all_needs_a_list() {
    let place = Place::open().await;
    let taken = WebChatPlace {
        listen: place.address.strip_prefix("http://").unwrap().parse().unwrap(),
        ..here()
    };
    let second = std::sync::Arc::new(made(taken, place.dir.path()).unwrap());
    let mut run = crate::shared::run::Run::of(&second);
    let why = run.until(foldback_wire::ChannelState::Down).await;
    assert!(why.contains("choose another port"), "{why}");
    run.end().await;
    let open = WebChatPlace {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..here()
    };
    let refusal = made(open, place.dir.path()).err().unwrap();
    assert!(refusal.detail.contains("origins = ["), "{refusal}");
}

#[tokio::test]
async fn a_conversation_keeps_its_last_messages_and_lets_go_of_old_files() {
    let mut place = Place::of(WebChatPlace {
        limits: VisitorLimits {
            messages_per_minute: 1_000,
            ..VisitorLimits::default()
        },
        ..here()
    })
    .await;
    let visitor = place.visitor().await;
    let chat = visitor.chat.clone();
    let large = std::fs::File::create(place.dir.path().join("large.bin")).unwrap();
    large.set_len(20_000_000).unwrap();
    for _ in 0..3 {
        place
            .perform(&chat, file("large.bin", FileKind::File, None))
            .await
            .unwrap();
    }
    let kept = watch(&visitor.browser, None).await.next().await.unwrap();
    let files: Vec<_> = kept.data["messages"].as_array().unwrap()[1..]
        .iter()
        .map(|m| m["files"][0].clone())
        .collect();
    assert_eq!(files[0]["gone"], true);
    let status = async |file: &serde_json::Value| {
        let path = format!("/files/{}", file["id"].as_str().unwrap());
        visitor.browser.load(&path).await.unwrap().status
    };
    assert_eq!((status(&files[0]).await, status(&files[2]).await), (404, 200));
    for n in 0..250 {
        place.perform(&chat, said(&format!("message {n}"))).await.unwrap();
    }
    let kept = watch(&visitor.browser, None).await.next().await.unwrap();
    let messages = kept.data["messages"].as_array().unwrap();
    assert_eq!(
        (messages.len(), &messages[0]["text"]),
        (200, &json!("message 50"))
    );
    assert_eq!(status(&files[2]).await, 404, "a file goes with its message");
    let place = place.again().await;
    let visitor = foldback_strict::web_chat::StrictBrowser::visit(&place.address).unwrap();
    assert_eq!(
        visitor.begin().await.unwrap().status,
        200,
        "another port is another cookie"
    );
}
