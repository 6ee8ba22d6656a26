//! What the adapter makes of refusals and of answers that do not come.

use crate::front::a_wait_is_read_from_the_header;
use crate::place::{APP_SECRET, Place, TOKEN, VERIFY, adapter, made, number, post_signed};
use crate::shared::calls::{file, reply};
use crate::shared::run::Run;
use axum::http::StatusCode;
use foldback_channels::LimitScope;
use foldback_strict::Mishap;
use foldback_wire::{FileKind, Operation, RefusalCode, Secret};
use std::time::Duration;

#[tokio::test]
async fn what_a_front_end_asks_for_stands_in_the_header() {
    a_wait_is_read_from_the_header::<Place>(LimitScope::Channel).await;
}

#[tokio::test]
async fn an_upload_that_got_no_answer_has_shown_nobody_anything() {
    let place = Place::open().await;
    for mishap in [Mishap::Failed, Mishap::FailedAfter, Mishap::Lost, Mishap::Broken] {
        place.server.plan("media", mishap);
        let refusal = place
            .perform(file("a.txt", FileKind::File, None))
            .await
            .unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Transient, false),
            "{mishap:?}"
        );
    }
    place.server.plan("messages", Mishap::Lost);
    assert!(
        place
            .perform(file("a.txt", FileKind::File, None))
            .await
            .unwrap_err()
            .maybe_done
    );
}

#[tokio::test]
async fn a_message_that_is_not_there_is_gone() {
    let place = Place::open().await;
    let react = Operation::React {
        message: "wamid.abc".into(),
        emoji: "👍".into(),
        emoji_sent: "👍".into(),
    };
    for operation in [reply("hi", "wamid.abc"), react] {
        let refusal = place.perform(operation).await.unwrap_err();
        assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Gone, false));
    }
}

#[tokio::test]
async fn a_limit_says_whether_it_is_that_of_a_person_or_of_the_number() {
    let place = Place::open().await;
    for (error, scope, wait) in [
        (131_056, LimitScope::Chat, Some(Duration::from_secs(6))),
        (130_429, LimitScope::Channel, None),
        (80_007, LimitScope::Channel, None),
    ] {
        let body = format!(r#"{{"error": {{"code": {error}}}}}"#);
        place
            .server
            .answer_instead("messages", StatusCode::BAD_REQUEST, &body);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.scope, refusal.retry_after),
            (RefusalCode::RateLimited, scope, wait),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_status_of_too_many_calls_is_a_limit_whatever_its_words_are() {
    let place = Place::open().await;
    for (body, code, scope) in [
        (
            r#"{"error": {"message": "slow down"}}"#,
            RefusalCode::RateLimited,
            LimitScope::Channel,
        ),
        (
            r#"{"error": {"code": 999999}}"#,
            RefusalCode::RateLimited,
            LimitScope::Channel,
        ),
        (
            r#"{"error": {"code": 131016}}"#,
            RefusalCode::RateLimited,
            LimitScope::Channel,
        ),
        (
            r#"{"error": {"code": 131056}}"#,
            RefusalCode::RateLimited,
            LimitScope::Chat,
        ),
        // The account, which no pause mends.
        (
            r#"{"error": {"code": 131031}}"#,
            RefusalCode::Unauthorized,
            LimitScope::Channel,
        ),
    ] {
        let status = StatusCode::TOO_MANY_REQUESTS;
        place.server.answer_instead("messages", status, body);
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!((refusal.code, refusal.scope), (code, scope), "{body}");
        assert!(!refusal.maybe_done, "{body}");
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
        (RefusalCode::Unauthorized, false)
    );
    assert!(
        refusal.detail.contains("whatsapp_business_messaging"),
        "{}",
        refusal.detail
    );
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
    assert_eq!(ended.code, RefusalCode::Unauthorized);
    said.push(format!("{ended:?} {ended}"));
    place.server.plan("messages", Mishap::Lost);
    said.push(format!("{:?}", place.send("hi").await));
    let (run, callback) = Run::up(&place.adapter).await;
    let ask = format!("{callback}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=x");
    let refused = reqwest::get(ask).await.unwrap();
    said.push(format!("{:?}", refused.headers()));
    said.push(refused.text().await.unwrap());
    assert_eq!(post_signed(&callback, Some("sha256=00"), vec![1]).await, 401);
    run.end().await;
    for text in said {
        for secret in [TOKEN, APP_SECRET, VERIFY] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}

#[test]
fn what_is_missing_is_said() {
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
