//! What the adapter makes of refusals and of answers that do not come.

use crate::place::{CHAT, Place, TOKEN, adapter, said};
use foldback_channels::strict::Mishap;
use foldback_channels::{ChannelAdapter, Folder, Telegram, profile};
use foldback_wire::{ChannelId, FileKind, Operation, Platform, RefusalCode, Secret};
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn mishaps_are_told_apart() {
    let place = Place::open().await;
    let wait = Duration::from_secs(3);
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
        place.server.plan("sendMessage", mishap);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.retry_after, refusal.maybe_done),
            (code, retry_after, maybe_done),
            "{mishap:?}: {refusal:?}"
        );
        assert_eq!(place.server.messages(CHAT).len(), arrived, "{mishap:?}");
    }
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn who_does_not_want_to_hear_is_told_from_who_is_gone() {
    let place = Place::open().await;
    place.server.block(CHAT, true);
    assert_eq!(place.send("hi").await.unwrap_err().code, RefusalCode::Forbidden);
    place.server.block(CHAT, false);
    let refusal = place.perform_in(1, None, said("hi")).await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Gone, false));
}

#[tokio::test]
async fn a_server_that_is_not_there_has_done_nothing() {
    let place = Place::open().await;
    let root = place.server.root();
    drop(place.server);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let refusal = place.adapter.perform(foldback_channels::Call {
        target: foldback_wire::Target {
            chat: CHAT.to_string().into(),
            thread: None,
        },
        operation: said("hi"),
        key: "k".into(),
    });
    let refusal = refusal.await.unwrap_err();
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
    let wrong = format!("{TOKEN}x");
    let impostor = adapter(&place.server, &wrong, place.dir.path());
    let (sink, mut signals) = tokio::sync::mpsc::channel(16);
    let ended = impostor
        .run(sink, tokio_util::sync::CancellationToken::new())
        .await
        .unwrap_err();
    assert_eq!(ended.code, RefusalCode::Forbidden);
    let mut said = vec![format!("{ended:?} {ended}")];
    while let Some(signal) = signals.recv().await {
        said.push(format!("{signal:?}"));
    }
    place.server.plan("sendMessage", Mishap::Lost);
    said.push(format!("{:?}", place.send("hi").await));
    for text in said {
        assert!(!text.contains("AAtoken"), "{text}");
    }
}

#[tokio::test]
async fn ids_that_are_none_never_leave_the_machine() {
    let place = Place::open().await;
    for id in [
        "",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "+",
        "-",
        "0x10",
        "１",
        "9223372036854775808",
        "abc",
        "1;drop",
        "../1",
        "1\n",
    ] {
        let delete = Operation::Delete { message: id.into() };
        let refusal = place.perform(delete).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Gone, false),
            "{id:?}"
        );
    }
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn large_ids_arrive_to_the_last_digit() {
    let place = Place::open().await;
    for chat in [9_007_199_254_740_993, i64::MAX, i64::MIN] {
        place.server.open_chat(chat, &[]);
        place.perform_in(chat, None, said("hi")).await.unwrap();
        assert_eq!(place.server.messages(chat).len(), 1);
    }
}

#[tokio::test]
async fn a_file_that_may_not_be_sent_is_refused_here() {
    let place = Place::open().await;
    std::os::unix::fs::symlink("/etc/passwd", place.dir.path().join("link.txt")).unwrap();
    for path in ["link.txt", "../a.txt", "/etc/passwd", "nothing.txt", ""] {
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

#[tokio::test]
async fn what_telegram_cannot_read_goes_without_markup() {
    let place = Place::open().await;
    place.server.read_no_markup();
    place.server.forbid_voice(CHAT);
    let file = |path: &str, kind, caption: Option<&str>| Operation::SendFile {
        path: path.into(),
        kind,
        caption: caption.map(Into::into),
        reply_to: None,
        checked: None,
    };
    for (operation, instead) in [
        (said("**big** news"), false),
        (file("a.txt", FileKind::File, Some("**big** news")), false),
        (file("a.ogg", FileKind::Audio, Some("**big** news")), true),
    ] {
        let before = place.server.calls();
        let ack = place.perform(operation).await.unwrap();
        let warning = ack.warning.unwrap();
        assert!(warning.contains("sent without markup"), "{warning}");
        assert_eq!(warning.contains("sendAudio instead"), instead, "{warning}");
        assert_eq!(place.server.calls() - before, if instead { 3 } else { 2 });
        let posted = place.server.messages(CHAT).pop().unwrap().1;
        assert_eq!(
            (posted.text.as_str(), posted.raw.as_str()),
            ("big news", "big news")
        );
    }
    let posted = place.server.messages(CHAT);
    let files = posted.iter().filter_map(|(_, posted)| posted.file.as_ref());
    assert_eq!(
        files
            .map(|file| (file.field.as_str(), file.bytes.is_empty()))
            .collect::<Vec<_>>(),
        [("document", false), ("audio", false)]
    );
}

#[test]
fn the_token_travels_encrypted_or_not_at_all() {
    for (root, fine) in [
        ("https://api.telegram.org", true),
        ("https://bots.example.org:8443/telegram/", true),
        ("http://127.0.0.1:8081", true),
        ("http://localhost:8081", true),
        ("http://api.telegram.org", false),
        ("http://127.0.0.1.example.org", false),
        ("ftp://api.telegram.org", false),
        ("api.telegram.org", false),
        ("", false),
    ] {
        let telegram = Telegram::new(
            ChannelId::new("telegram"),
            profile(Platform::Telegram),
            Secret::new(TOKEN),
            root,
            Folder::new("/tmp", 1),
            Arc::new(crate::place::Hasty),
            Arc::new(crate::place::Even),
        );
        assert_eq!(telegram.is_ok(), fine, "{root}");
    }
}
