//! Which account is meant.

use crate::place::{ANA, BEN, ME, Place, several};
use foldback_strict::signal::Start;
use foldback_wire::{ChannelState, RefusalCode};
use serde_json::{Value, json};

#[tokio::test]
async fn an_account_that_is_not_there_ends_the_run() {
    for (accounts, account, said) in [
        (vec![], None, "no account; register"),
        (vec![], Some(ME), "no account +4915500000001"),
        (vec![ANA], Some(ME), "no account +4915500000001"),
        (vec![ANA, ME], None, "several accounts"),
    ] {
        let start = Start {
            accounts: accounts.iter().map(ToString::to_string).collect(),
            ..Start::default()
        };
        let place = Place::started(start, account).await;
        let mut run = place.run();
        let why = run.until(ChannelState::Down).await;
        let refusal = run.task.await.unwrap().unwrap_err();
        assert_eq!(
            (refusal.code, refusal.detail.as_str()),
            (RefusalCode::Unauthorized, why.as_str())
        );
        assert!(why.contains(said), "{why}");
    }
}

#[tokio::test]
async fn the_only_account_needs_no_name() {
    let place = Place::started(several(), None).await;
    let mut run = place.run();
    assert_eq!(run.until(ChannelState::Up).await, format!("connected as {ME}"));
    place.send("hi").await.unwrap();
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_daemon_for_one_account_says_whose_it_is() {
    let start = Start {
        accounts: vec![BEN.into()],
        single: true,
        automatic: false,
    };
    let place = Place::started(start, None).await;
    let mut run = place.run();
    assert_eq!(run.until(ChannelState::Up).await, "connected");
    let quote = |author: &str| json!({"id": 7, "author": author, "authorNumber": author, "text": "x"});
    for (account, author, mentioned) in [(BEN, BEN, true), (BEN, ME, false), (ME, ME, true)] {
        let sent = 5 + i64::from(mentioned) + i64::from(account == ME);
        let data = json!({"timestamp": sent, "message": "hi", "quote": quote(author)});
        let envelope = json!({"source": ANA, "sourceNumber": ANA, "dataMessage": data});
        place
            .server
            .receive(json!({"account": account, "envelope": envelope}));
        let message = run.message().await;
        assert_eq!(
            (message.account.as_deref(), message.mentioned),
            (Some(account), mentioned)
        );
    }
}

#[tokio::test]
async fn a_daemon_for_another_account_is_found_out() {
    let place = Place::started(
        Start {
            single: true,
            ..several()
        },
        Some(ME),
    )
    .await;
    let mut run = place.run();
    run.up().await;
    place.server.receive(json!({"account": BEN, "envelope": {}}));
    let why = run.until(ChannelState::Down).await;
    assert!(
        why.contains("has the account +33987654321, not +4915500000001"),
        "{why}"
    );
    assert_eq!(
        run.task.await.unwrap().unwrap_err().code,
        RefusalCode::Unauthorized
    );
}

#[tokio::test]
async fn messages_for_the_other_accounts_of_a_daemon_are_not_ours() {
    let start = Start {
        accounts: vec![ME.into(), BEN.into()],
        single: false,
        automatic: true,
    };
    let place = Place::started(start, Some(ME)).await;
    let mut run = place.run();
    run.up().await;
    let envelope = |sent: i64| json!({"source": ANA, "sourceNumber": ANA, "dataMessage": {"timestamp": sent, "message": "hi"}});
    place
        .server
        .receive(json!({"account": BEN, "envelope": envelope(5)}));
    place
        .server
        .receive(json!({"account": ME, "envelope": envelope(6)}));
    assert_eq!(run.message().await.at.0, 6);
    let none: Value = json!(null);
    place.server.receive(none);
    place
        .server
        .receive(json!({"account": ME, "envelope": envelope(7)}));
    assert_eq!(run.message().await.at.0, 7);
}
