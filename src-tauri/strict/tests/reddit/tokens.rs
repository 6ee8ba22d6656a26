//! Access tokens.

use crate::place::{PASSWORD, Place, SECRET, TOKEN, account, made};
use crate::shared::run::Run;
use foldback_channels::{RedditAccount, RedditLogin};
use foldback_strict::Mishap;
use foldback_wire::{RefusalCode, Secret};
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn many_calls_share_a_token_and_a_refused_one_is_renewed() {
    let place = Place::open().await;
    let sent = futures::future::join_all((0..8).map(|_| place.send("hi"))).await;
    assert!(sent.iter().all(Result::is_ok));
    assert_eq!(place.server.given(), 1);
    place.server.expire();
    place.send("hi").await.unwrap();
    assert_eq!(place.server.given(), 2);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_token_is_renewed_before_its_end() {
    // Half of it is left out where it lasts less than two minutes.
    let place = Place::lasting(0).await;
    place.send("hi").await.unwrap();
    place.send("hi").await.unwrap();
    assert_eq!(place.server.given(), 2);
}

#[tokio::test]
async fn where_no_token_comes_nothing_was_done() {
    let place = Place::open().await;
    for mishap in [
        Mishap::Failed,
        Mishap::FailedAfter,
        Mishap::Lost,
        Mishap::RateLimited(Duration::from_secs(2)),
    ] {
        place.server.plan("access_token", mishap);
        let refusal = place.send("hi").await.unwrap_err();
        assert!(!refusal.maybe_done, "{mishap:?}: {refusal:?}");
    }
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn a_script_app_logs_in_with_the_password() {
    let place = Place::open().await;
    let by_password = RedditAccount {
        login: RedditLogin::Password(Secret::new(PASSWORD)),
        ..account()
    };
    let mut run = Run::of(&Arc::new(made(by_password, &place.server.root()).unwrap()));
    run.until(foldback_wire::ChannelState::Up).await;
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn wrong_credentials_end_the_run_and_are_named_without_being_told() {
    let place = Place::open().await;
    let wrong = |text: &str| Secret::new(format!("{text}x"));
    let accounts = [
        (
            RedditAccount {
                login: RedditLogin::RefreshToken(wrong(TOKEN)),
                ..account()
            },
            "the refresh token",
        ),
        (
            RedditAccount {
                login: RedditLogin::Password(wrong(PASSWORD)),
                ..account()
            },
            "the name or the password",
        ),
        (
            RedditAccount {
                client_secret: wrong(SECRET),
                ..account()
            },
            "client_id or client_secret",
        ),
        (
            RedditAccount {
                name: "somebody_else".into(),
                ..account()
            },
            "it belongs to Foldback_Bot",
        ),
    ];
    for (account, says) in accounts {
        let mut run = Run::of(&Arc::new(made(account, &place.server.root()).unwrap()));
        while run.signals.recv().await.is_some() {}
        let ended = run.task.await.unwrap().unwrap_err();
        assert_eq!(ended.code, RefusalCode::Unauthorized);
        assert!(ended.detail.contains(says), "{ended}");
        for secret in [TOKEN, PASSWORD, SECRET] {
            assert!(!ended.detail.contains(secret), "{ended}");
        }
    }
    assert_eq!(place.server.broken(), []);
}

#[test]
fn a_name_is_written_without_its_sign() {
    for name in ["u/foldback", "", "ab", "a name"] {
        let account = RedditAccount {
            name: name.into(),
            ..account()
        };
        let refusal = made(account, "https://oauth.reddit.com").err().unwrap();
        assert!(refusal.detail.contains("no name on Reddit"), "{refusal}");
    }
}
