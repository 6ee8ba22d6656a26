//! What the adapter makes of refusals and of answers that do not come.

use crate::place::{ANA, APP_SECRET, Place, Run, TOKEN, VERIFY, adapter, made, number, post_signed, said};
use axum::http::StatusCode;
use foldback_channels::strict::Mishap;
use foldback_wire::{FileKind, Operation, RefusalCode, Secret};
use std::time::Duration;

fn file(path: &str) -> Operation {
    Operation::SendFile {
        path: path.into(),
        kind: FileKind::File,
        caption: None,
        reply_to: None,
        checked: None,
    }
}

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
        place.server.plan("messages", mishap);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.retry_after, refusal.maybe_done),
            (code, retry_after, maybe_done),
            "{mishap:?}: {refusal:?}"
        );
        assert_eq!(place.server.messages(ANA).len(), arrived, "{mishap:?}");
    }
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn an_upload_that_got_no_answer_has_shown_nobody_anything() {
    let place = Place::open().await;
    for mishap in [Mishap::Failed, Mishap::FailedAfter, Mishap::Lost, Mishap::Broken] {
        place.server.plan("media", mishap);
        let refusal = place.perform(file("a.txt")).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Transient, false),
            "{mishap:?}"
        );
    }
    place.server.plan("messages", Mishap::Lost);
    assert!(place.perform(file("a.txt")).await.unwrap_err().maybe_done);
}

#[tokio::test]
async fn a_closed_window_is_explained() {
    let place = Place::open().await;
    place.server.close(ANA, true);
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Forbidden, false)
    );
    assert!(
        refusal.detail.contains("131047") && refusal.detail.contains("ask them to write again"),
        "{}",
        refusal.detail
    );
    place.server.remove(ANA);
    assert_eq!(place.send("hi").await.unwrap_err().code, RefusalCode::Gone);
}

#[tokio::test]
async fn a_message_that_is_not_there_is_gone() {
    let place = Place::open().await;
    let react = Operation::React {
        message: "wamid.abc".into(),
        emoji: "👍".into(),
        emoji_sent: "👍".into(),
    };
    for operation in [said("hi", Some("wamid.abc")), react] {
        let refusal = place.perform(operation).await.unwrap_err();
        assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Gone, false));
    }
}

#[tokio::test]
async fn what_something_in_between_answers_is_neither_the_token_nor_the_end() {
    let place = Place::open().await;
    for (status, body, code, maybe_done) in [
        (503, r#"{"error": {"code": 2}}"#, RefusalCode::Transient, true),
        (
            500,
            r#"{"error": {"code": 131000}}"#,
            RefusalCode::Transient,
            true,
        ),
        (401, "<html>Sign in</html>", RefusalCode::Transient, false),
        (403, "<html>Blocked</html>", RefusalCode::Transient, false),
        (403, "", RefusalCode::Transient, false),
        (200, "<html>Sign in</html>", RefusalCode::Transient, true),
        (
            400,
            r#"{"error": {"message": "no code"}}"#,
            RefusalCode::Rejected,
            false,
        ),
        (
            400,
            r#"{"error": {"code": 613}}"#,
            RefusalCode::RateLimited,
            false,
        ),
    ] {
        let status = StatusCode::from_u16(status).unwrap();
        place.server.answer_instead("messages", status, body);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!((refusal.code, refusal.maybe_done), (code, maybe_done), "{body}");
        assert!(!refusal.detail.contains("copy it again"), "{}", refusal.detail);
    }
}

#[tokio::test]
async fn what_the_token_may_not_do_is_said_with_500_and_is_a_refusal() {
    let place = Place::open().await;
    let answer = r#"{"error": {"message": "(#3) API Method", "code": 3}}"#;
    place
        .server
        .answer_instead("messages", StatusCode::INTERNAL_SERVER_ERROR, answer);
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Forbidden, false)
    );
    assert!(
        refusal.detail.contains("whatsapp_business_messaging"),
        "{}",
        refusal.detail
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_has_done_nothing() {
    let place = Place::open().await;
    let root = place.server.root();
    let adapter = adapter(&place.server, number(), place.dir.path());
    drop(place.server);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let call = foldback_channels::Call {
        target: crate::place::target(ANA),
        operation: said("hi", None),
        key: "k".into(),
    };
    let refusal = foldback_channels::ChannelAdapter::perform(&*adapter, call)
        .await
        .unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Transient, false),
        "{refusal:?}"
    );
    assert!(!refusal.detail.contains(&root), "{}", refusal.detail);
}

#[tokio::test]
async fn nothing_that_is_said_holds_a_credential() {
    let place = Place::open().await;
    let mut wrong = number();
    wrong.token = Secret::new(format!("{TOKEN}x"));
    let mut said = vec![format!("{wrong:?}")];
    let mut run = Run::of(&adapter(&place.server, wrong, place.dir.path()));
    while let Some(signal) = run.signals.recv().await {
        said.push(format!("{signal:?}"));
    }
    let ended = run.task.await.unwrap().unwrap_err();
    assert_eq!(ended.code, RefusalCode::Forbidden);
    said.push(format!("{ended:?} {ended}"));
    place.server.plan("messages", Mishap::Lost);
    said.push(format!("{:?}", place.send("hi").await));
    let (run, callback) = Run::up(&place.adapter).await;
    let ask = format!("{callback}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=x");
    let refused = reqwest::get(ask).await.unwrap();
    said.push(format!("{:?}", refused.headers()));
    said.push(refused.text().await.unwrap());
    assert_eq!(post_signed(&callback, Some("sha256=00"), vec![1]).await, 401);
    run.end().await.unwrap();
    for text in said {
        for secret in [TOKEN, APP_SECRET, VERIFY] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}

#[tokio::test]
async fn ids_that_are_none_never_leave_the_machine() {
    let place = Place::open().await;
    for id in [
        "",
        "wamid",
        "wamid.",
        "wamid. a",
        "wamid.a\n",
        "wamid.a\"",
        "wamid.{}",
        "WAMID.abc",
        "abc",
        "../wamid.a",
        "wamid.ä",
    ] {
        let refusal = place.perform(said("hi", Some(id))).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Gone, false),
            "{id:?}"
        );
    }
    for chat in [
        "",
        "1",
        "++16505551234",
        "+US.123",
        "1650 5551234",
        "1650-555-1234",
        "１６５０５５５１２３４",
        "16505551234@c.us",
        "us.123",
        "US.",
        "US.12-3",
        "US.ENT.",
        "USA.123",
        "Y2Fw aV9ncm91cDox",
        "../../messages/1234",
        "16505551234\n",
    ] {
        let refusal = place.perform_in(chat, said("hi", None)).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Gone, false),
            "{chat:?}"
        );
    }
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn a_file_that_may_not_be_sent_is_refused_here() {
    let place = Place::open().await;
    std::os::unix::fs::symlink("/etc/passwd", place.dir.path().join("link.txt")).unwrap();
    for path in ["link.txt", "../a.txt", "/etc/hosts.txt", "nothing.txt"] {
        let refusal = place.perform(file(path)).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Rejected, false),
            "{path}"
        );
    }
    assert_eq!(place.server.calls(), 0);
}

#[test]
fn what_is_missing_is_said_and_the_token_travels_encrypted_or_not_at_all() {
    for (root, fine) in [
        ("https://graph.facebook.com/v26.0", true),
        ("https://proxy.example.org:8443/meta/", true),
        ("http://127.0.0.1:8081/v26.0", true),
        ("http://graph.facebook.com/v26.0", false),
        ("http://127.0.0.1.example.org", false),
        ("ftp://graph.facebook.com", false),
        ("", false),
    ] {
        let whatsapp = made(number(), root, "/tmp".as_ref());
        assert_eq!(whatsapp.is_ok(), fine, "{root}");
    }
    for (id, token, secret, verify, said) in [
        ("", "t", "s", "v", "account"),
        ("+15550783881", "t", "s", "v", "account"),
        ("1/messages", "t", "s", "v", "account"),
        ("1", "", "s", "v", "token is empty"),
        ("1", "t", "", "v", "signing_secret is empty"),
        ("1", "t", "s", "", "verify_token is empty"),
    ] {
        let mut number = number();
        number.id = id.into();
        number.token = Secret::new(token);
        number.app_secret = Secret::new(secret);
        number.verify_token = Secret::new(verify);
        let refusal = made(number, "https://graph.facebook.com/v26.0", "/tmp".as_ref())
            .map(drop)
            .unwrap_err();
        assert!(refusal.detail.contains(said), "{}", refusal.detail);
    }
}
