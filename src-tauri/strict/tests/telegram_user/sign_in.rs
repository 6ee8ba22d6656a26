//! Signing in.

use crate::place::{
    API_ID, CODE, HASH, OWN, PASSWORD, PHONE, Place, USERNAME, account, app, channel, made, write_session,
};
use crate::shared::run::Run;
use foldback_channels::{SignInStep, TelegramSignIn, TelegramUserApp, telegram_session_file};
use foldback_strict::Mishap;
use foldback_strict::mtproto::MtprotoServer;
use foldback_wire::{ChannelState, RefusalCode, Secret};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// A server with a key agreed on and nobody signed in, and the data folder with that key.
async fn stranger(password: Option<&str>) -> (MtprotoServer, TempDir) {
    let server = MtprotoServer::start(account(password, false)).await.unwrap();
    let data = tempfile::tempdir().unwrap();
    write_session(data.path(), &server.root(), None, &json!([]));
    (server, data)
}

fn kept(data: &TempDir) -> Value {
    let text = std::fs::read(telegram_session_file(data.path(), &channel())).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[tokio::test]
async fn a_code_signs_in_and_the_session_is_kept() {
    let (server, data) = stranger(None).await;
    let app = app(&server.root()).unwrap();
    let sign_in = TelegramSignIn::begin(app, data.path(), &channel()).await.unwrap();
    assert_eq!(
        sign_in.enter_code("11111").await.unwrap(),
        SignInStep::AnotherCode
    );
    assert_eq!(kept(&data)["account"], Value::Null, "nobody is signed in yet");
    let done = sign_in.enter_code(&format!(" {CODE}\n")).await.unwrap();
    assert_eq!(done, SignInStep::Done(USERNAME.into()));
    assert_eq!(kept(&data)["account"], OWN);
    let mode = std::fs::metadata(sign_in.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(server.broken(), []);
    // The channel works with it.
    let adapter = made(&server.root(), data.path().into(), data.path().into()).unwrap();
    let mut run = Run::of(&Arc::new(adapter));
    run.until(ChannelState::Up).await;
    run.end().await;
}

#[tokio::test]
async fn the_password_is_proven_without_being_sent() {
    let (server, data) = stranger(Some(PASSWORD)).await;
    let app = app(&server.root()).unwrap();
    let sign_in = TelegramSignIn::begin(app, data.path(), &channel()).await.unwrap();
    assert_eq!(
        sign_in.enter_code(CODE).await.unwrap(),
        SignInStep::Password(None)
    );
    assert_eq!(
        sign_in.enter_password(&Secret::new("another one")).await.unwrap(),
        SignInStep::AnotherPassword
    );
    let done = sign_in.enter_password(&Secret::new(PASSWORD)).await.unwrap();
    assert_eq!(done, SignInStep::Done(USERNAME.into()));
    assert_eq!(kept(&data)["account"], OWN);
    assert_eq!(server.broken(), []);
}

#[tokio::test]
async fn what_telegram_refuses_is_said_and_holds_no_secret() {
    let (server, data) = stranger(None).await;
    let root = server.root();
    let wrong = TelegramUserApp::new(&(API_ID + 1).to_string(), Secret::new(HASH), PHONE, &root).unwrap();
    let refused = async |app| {
        let begun = TelegramSignIn::begin(app, data.path(), &channel()).await;
        begun.err().expect("it is refused")
    };
    let refusal = refused(wrong).await;
    assert!(refusal.detail.contains("API_ID_INVALID"), "{refusal}");
    assert!(!refusal.detail.contains(HASH));
    server.plan("auth.sendCode", Mishap::RateLimited(Duration::from_hours(1)));
    let refusal = refused(app(&root).unwrap()).await;
    assert_eq!(
        (refusal.code, refusal.retry_after),
        (RefusalCode::RateLimited, Some(Duration::from_hours(1)))
    );
    assert_eq!(kept(&data)["account"], Value::Null);
}

#[tokio::test]
async fn another_number_or_address_begins_another_session() {
    let place = Place::open().await;
    for other in [
        TelegramUserApp::new(
            &API_ID.to_string(),
            Secret::new(HASH),
            "+4915112345679",
            &place.server.root(),
        ),
        app("tcp://127.0.0.1:9"),
    ] {
        let adapter = foldback_channels::TelegramUser::new(
            channel(),
            foldback_channels::profile(foldback_channels::platform::TELEGRAM_USER),
            other.unwrap(),
            place.data.path().into(),
            foldback_channels::Folder::new(place.dir.path(), 1),
            Arc::new(crate::shared::time::Hasty),
        );
        let mut run = Run::of(&Arc::new(adapter));
        let why = run.until(ChannelState::Down).await;
        assert!(why.contains("nobody has signed in"), "{why}");
    }
    assert_eq!(place.server.calls(), 0);
}

#[test]
fn settings_that_are_none_are_named() {
    let root = "tcp://127.0.0.1:9";
    let made = |id: &str, phone: &str| TelegramUserApp::new(id, Secret::new(HASH), phone, root);
    assert!(made("4242", PHONE).is_ok());
    for (id, phone, says) in [
        ("abc", PHONE, "client_id is the app's api_id"),
        ("-1", PHONE, "client_id"),
        ("4242", "015112345678", "account is the phone number"),
        ("4242", "@robin", "account"),
    ] {
        let refusal = made(id, phone).unwrap_err();
        assert!(refusal.detail.contains(says), "{refusal}");
    }
}
