//! What the adapter makes of refusals and of answers that do not come.

use crate::place::{DIRECT, Place, ROOM, TOKEN, adapter, said};
use crate::run::Run;
use foldback_channels::strict::Mishap;
use foldback_channels::{Call, ChannelAdapter, Discord, Folder, profile};
use foldback_wire::{ChannelId, FileKind, Operation, Platform, RefusalCode, Secret, Target};
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn mishaps_are_told_apart() {
    let place = Place::open().await;
    let wait = Duration::from_millis(3_250);
    for (mishap, code, retry_after, maybe_done, arrived) in [
        (
            Mishap::RateLimited(wait),
            RefusalCode::RateLimited,
            Some(wait),
            false,
            0,
        ),
        (Mishap::Failed, RefusalCode::Transient, None, true, 0),
        (Mishap::FailedAfter, RefusalCode::Transient, None, true, 1),
        (Mishap::Lost, RefusalCode::Transient, None, true, 2),
        (Mishap::Broken, RefusalCode::Transient, None, true, 2),
    ] {
        place.server.plan("create_message", mishap);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.retry_after, refusal.maybe_done),
            (code, retry_after, maybe_done),
            "{mishap:?}: {refusal:?}"
        );
        assert_eq!(place.server.messages(ROOM).len(), arrived, "{mishap:?}");
    }
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn a_limit_for_all_calls_is_told_as_such() {
    let place = Place::open().await;
    place.server.limit_globally(Duration::from_hours(1));
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::RateLimited, false)
    );
    let wait = refusal.retry_after.unwrap();
    assert!(wait > Duration::from_mins(50), "{wait:?}");
    assert!(
        refusal.detail.contains("all calls of this bot"),
        "{}",
        refusal.detail
    );
}

#[tokio::test]
async fn a_call_that_may_have_arrived_is_sent_once() {
    let place = Place::open().await;
    let call = Call {
        target: Target {
            chat: ROOM.to_string().into(),
            thread: None,
        },
        operation: said("hi"),
        key: "fb-19a2b3c4d5e-7f".into(),
    };
    place.server.plan("create_message", Mishap::Lost);
    assert!(place.adapter.perform(call.clone()).await.unwrap_err().maybe_done);
    let ack = place.adapter.perform(call.clone()).await.unwrap();
    let messages = place.server.messages(ROOM);
    assert_eq!(messages.len(), 1);
    assert_eq!(ack.message, Some(messages[0].0.to_string().into()));
    let long = Call {
        key: "a key that is longer than a nonce may be".into(),
        ..call
    };
    let first = place.adapter.perform(long.clone()).await.unwrap();
    assert_eq!(first, place.adapter.perform(long).await.unwrap());
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn who_does_not_want_to_hear_is_told_from_who_is_gone() {
    let place = Place::open().await;
    let refusal = place.perform_in(99, None, said("hi")).await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Gone, false));
    for (code, message) in [
        (50_001, "Missing Access"),
        (50_007, "Cannot send messages to this user"),
        (50_013, "Missing Permissions"),
    ] {
        place.server.close_channel(DIRECT, code, message);
        let refusal = place.perform_in(DIRECT, None, said("hi")).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Forbidden, false)
        );
        assert_eq!(refusal.detail, format!("{message} (code {code})"));
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_has_done_nothing() {
    let place = Place::open().await;
    let root = place.server.root();
    let (adapter, server) = (place.adapter, place.server);
    drop(server);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let call = Call {
        target: Target {
            chat: ROOM.to_string().into(),
            thread: None,
        },
        operation: said("hi"),
        key: "k".into(),
    };
    let refusal = adapter.perform(call).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Transient, false),
        "{refusal:?}"
    );
    assert!(
        !refusal.detail.contains(TOKEN) && !refusal.detail.contains(&root),
        "{}",
        refusal.detail
    );
}

#[tokio::test]
async fn no_refusal_holds_the_token() {
    let place = Place::open().await;
    let impostor = Arc::new(adapter(&place.server, &format!("{TOKEN}x"), place.dir.path()));
    let mut texts = vec![format!("{:?}", Run::of(&impostor).end().await)];
    for mishap in [Mishap::Lost, Mishap::Broken, Mishap::Failed] {
        place.server.plan("create_message", mishap);
        texts.push(format!("{:?}", place.send("hi").await));
    }
    let odd = adapter(&place.server, "a-token\nof-two-lines", place.dir.path());
    let odd = Run::of(&Arc::new(odd));
    let (mut signals, stop) = (odd.signals, odd.stop);
    signals.recv().await;
    texts.push(format!("{:?}", signals.recv().await));
    stop.cancel();
    for text in texts {
        assert!(!text.contains("a-token"), "{text}");
    }
}

#[tokio::test]
async fn ids_that_are_none_never_leave_the_machine() {
    let place = Place::open().await;
    for id in [
        "",
        "0",
        "007",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "+1",
        "-1",
        "0x10",
        "１",
        "1/../2",
        "../gateway",
        "1?x=2",
        "1#",
        "%31",
        "@me",
        "<@1>",
        "18446744073709551616",
        "99999999999999999999999",
        "1\n2",
        "1\0",
        "NaN",
        "null",
    ] {
        for (target, operation) in [
            ((id, None), said("hi")),
            (("1", Some(id)), said("hi")),
            (("1", None), Operation::Delete { message: id.into() }),
            (
                ("1", None),
                Operation::EditText {
                    message: id.into(),
                    text: "x".into(),
                },
            ),
            (
                ("1", None),
                Operation::SendText {
                    text: "x".into(),
                    reply_to: Some(id.into()),
                },
            ),
        ] {
            let (chat, thread) = target;
            let call = Call {
                target: Target {
                    chat: chat.into(),
                    thread: thread.map(Into::into),
                },
                operation,
                key: "k".into(),
            };
            let refusal = place.adapter.perform(call).await.unwrap_err();
            assert_eq!(
                (refusal.code, refusal.maybe_done),
                (RefusalCode::Gone, false),
                "{id:?}"
            );
        }
    }
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn a_file_that_may_not_be_sent_never_leaves_the_machine() {
    let place = Place::open().await;
    for path in ["../a.txt", "/etc/passwd", "none.txt", "."] {
        let file = Operation::SendFile {
            path: path.into(),
            kind: FileKind::File,
            caption: None,
            reply_to: None,
            checked: None,
        };
        let refusal = place.perform(file).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Rejected, false),
            "{path}"
        );
    }
    assert_eq!(place.server.calls(), 0);
}

#[test]
fn the_token_goes_nowhere_in_the_open() {
    for (root, ok) in [
        ("https://discord.com", true),
        ("https://discord.example/below/", true),
        ("http://127.0.0.1:4000", true),
        ("http://discord.com", false),
        ("ws://discord.com", false),
        ("discord.com", false),
        ("", false),
    ] {
        let made = Discord::new(
            ChannelId::new("discord"),
            profile(Platform::Discord),
            Secret::new(TOKEN),
            root,
            Folder::new(".", 1),
            Arc::new(crate::place::Hasty),
            Arc::new(crate::place::Even),
        );
        assert_eq!(made.is_ok(), ok, "{root}");
    }
}
