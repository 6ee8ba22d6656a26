//! Tokens, of which each refresh token is used once.

use crate::place::{ANA, BOT, CLIENT, NAME, Place, TOKEN, app, made, named};
use crate::shared::calls::{call, said, target};
use crate::shared::run::Run;
use foldback_channels::{ChannelAdapter, Signal, XApp};
use foldback_strict::Mishap;
use foldback_strict::x::XClient;
use foldback_wire::{ChannelState, RefusalCode, Secret};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

/// The file of the refresh token.
fn kept(place: &Place) -> PathBuf {
    let mut kept = all_kept(place);
    assert_eq!(kept.len(), 1, "{kept:?}");
    kept.remove(0)
}

/// The files of refresh tokens.
fn all_kept(place: &Place) -> Vec<PathBuf> {
    let files = fs::read_dir(place.dir.path())
        .unwrap()
        .map(|file| file.unwrap().path());
    files
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("x-token-")
        })
        .collect()
}

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
async fn the_next_process_goes_on_with_the_token_that_is_kept_for_its_owner_alone() {
    let place = Place::open().await;
    place.send("hi").await.unwrap();
    let file = kept(&place);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("refresh-1") && !text.contains(TOKEN), "{text}");
    for _ in 0..3 {
        let next = place.restarted();
        next.perform(call(target(place.post, None), said("hi")))
            .await
            .unwrap();
    }
    assert_eq!((place.server.given(), place.server.broken()), (4, vec![]));
}

#[tokio::test]
async fn another_authorization_is_used_instead_of_what_is_kept() {
    let place = Place::open().await;
    place.send("hi").await.unwrap();
    let app = XApp {
        // The app was authorized anew, and the server's next token is configured.
        refresh_token: Secret::new("refresh-1"),
        ..app()
    };
    let adapter = made(app, &place.server.root(), place.dir.path()).unwrap();
    adapter
        .perform(call(target(place.post, None), said("hi")))
        .await
        .unwrap();
    let mut kept = all_kept(&place).into_iter();
    assert!(kept.any(|file| fs::read_to_string(file).unwrap().contains("refresh-2")));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_channel_that_is_called_otherwise_goes_on_with_its_token() {
    let place = Place::open().await;
    place.send("hi").await.unwrap();
    let renamed = named("posts", app(), &place.server.root(), place.dir.path()).unwrap();
    renamed
        .perform(call(target(place.post, None), said("hi")))
        .await
        .unwrap();
    assert!(fs::read_to_string(kept(&place)).unwrap().contains("refresh-2"));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_used_token_ends_the_run_and_is_named_without_being_told() {
    let place = Place::open().await;
    place.send("hi").await.unwrap();
    fs::remove_file(kept(&place)).unwrap();
    let mut run = Run::of(&place.restarted());
    let mut said = Vec::new();
    while let Some(signal) = run.signals.recv().await {
        said.push(format!("{signal:?}"));
    }
    let ended = run.task.await.unwrap().unwrap_err();
    assert_eq!(ended.code, RefusalCode::Unauthorized);
    assert!(ended.detail.contains("authorize the app anew"), "{ended}");
    assert!(!said.iter().any(|text| text.contains(TOKEN)), "{said:?}");
    assert_eq!(place.server.broken().len(), 1, "a token is not used twice");
}

#[tokio::test]
async fn a_token_that_cannot_be_kept_is_used_and_told_of() {
    let place = Place::open().await;
    // A folder in the place of the file that is begun with.
    place.send("hi").await.unwrap();
    let begun = kept(&place).with_extension("part");
    fs::create_dir(&begun).unwrap();
    place.server.expire();
    let mut run = Run::of(&place.adapter);
    let warned = loop {
        match run.next().await {
            Signal::Warned(what) => break what,
            Signal::State {
                state: ChannelState::Down,
                why,
            } => panic!("{why}"),
            _ => {}
        }
    };
    assert!(
        warned.contains("cannot be written") && !warned.contains("refresh-"),
        "{warned}"
    );
    place.server.mention(ANA, "@foldback_bot hi", None);
    assert_eq!(run.message().await.text, "@foldback_bot hi");
    run.end().await;
}

#[tokio::test]
async fn a_confidential_client_shows_its_secret() {
    let client = XClient {
        secret: Some("client-secret-of-a-test".into()),
        ..XClient::public(CLIENT, TOKEN, BOT, NAME)
    };
    let place = Place::of(client).await;
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Unauthorized, false)
    );
    let app = XApp {
        client_secret: Some(Secret::new("client-secret-of-a-test")),
        ..app()
    };
    let adapter = Arc::new(made(app, &place.server.root(), place.dir.path()).unwrap());
    adapter
        .perform(call(target(place.post, None), said("hi")))
        .await
        .unwrap();
}

#[tokio::test]
async fn where_no_token_comes_nothing_was_done() {
    let place = Place::open().await;
    place.server.plan("token", Mishap::Failed);
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Transient, false)
    );
    assert!(place.send("hi").await.is_ok());
}

#[tokio::test]
async fn an_answer_that_is_lost_costs_the_authorization() {
    let place = Place::open().await;
    place.server.plan("token", Mishap::Lost);
    assert_eq!(place.send("hi").await.unwrap_err().code, RefusalCode::Transient);
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unauthorized);
    assert!(refusal.detail.contains("authorize the app anew"), "{refusal}");
}
