//! Receiving that is interrupted: restarts, broken connections, sessions that are none.

use crate::place::{ANA, BEN, GROUP, Place, channel};
use crate::receive::{asked, running};
use crate::shared::run::{Run, until};
use foldback_channels::{Signal, telegram_session_file};
use foldback_strict::Mishap;
use foldback_wire::{ChannelState, RefusalCode};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

#[tokio::test]
async fn what_came_while_nobody_listened_comes_after_a_restart_and_once() {
    let mut place = Place::open().await;
    let mut run = running(&place).await;
    place.server.write(ANA, ANA, "one");
    assert_eq!(run.message().await.text, "one");
    until(|| place.session()["updates"]["pts"] == 2).await;
    run.end().await;
    place.restart();
    place.server.write(ANA, ANA, "two");
    place.server.write(GROUP, BEN, "three");
    let mut run = running(&place).await;
    assert_eq!(run.message().await.text, "two");
    assert_eq!(run.message().await.text, "three");
    place.server.write(ANA, ANA, "four");
    assert_eq!(run.message().await.text, "four");
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_message_that_is_not_kept_is_asked_for_again() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    place.server.write(ANA, ANA, "one");
    // Dropped untold, as where the journal cannot be written.
    drop(run.arrival().await);
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("was not kept"), "{why}");
    assert_eq!(run.message().await.text, "one");
    run.end().await;
}

#[tokio::test]
async fn a_connection_that_breaks_is_made_again_and_misses_nothing() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    let before = asked(&place);
    place.server.cut();
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("broke"), "{why}");
    place.server.write(ANA, ANA, "meanwhile");
    run.until(ChannelState::Up).await;
    assert_eq!(run.message().await.text, "meanwhile");
    assert!(asked(&place) > before);
    // The old connection is none that a call still goes to.
    place.send("hello").await.unwrap();
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_is_sent_beside_receiving_disturbs_no_count() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    let before = asked(&place);
    for at in 0..5 {
        place.send(&format!("mine {at}")).await.unwrap();
        place.server.write(ANA, ANA, &format!("theirs {at}"));
        assert_eq!(run.message().await.text, format!("theirs {at}"));
    }
    until(|| place.session()["updates"]["pts"] == 11).await;
    assert_eq!(asked(&place), before, "nothing was missed");
    run.end().await;
}

#[tokio::test]
async fn counts_that_telegram_does_not_know_are_begun_anew() {
    let mut place = Place::open().await;
    let mut session = place.session();
    session["updates"]["pts"] = 1_000_000.into();
    let path = telegram_session_file(place.data.path(), &channel());
    std::fs::write(path, session.to_string()).unwrap();
    place.restart();
    let mut run = Run::of(&place.adapter);
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("PERSISTENT_TIMESTAMP_INVALID"), "{why}");
    run.until(ChannelState::Up).await;
    until(|| place.server.names().contains(&"updates.getState")).await;
    place.server.write(ANA, ANA, "now");
    assert_eq!(run.message().await.text, "now");
    run.end().await;
}

#[tokio::test]
async fn a_session_that_was_ended_needs_a_person() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    place.server.end_session();
    place.server.cut();
    let why = loop {
        let why = run.until(ChannelState::Down).await;
        if !why.contains("broke") {
            break why;
        }
    };
    assert!(why.contains("AUTH_KEY_UNREGISTERED"), "{why}");
    assert!(why.contains("foldback telegram-user sign-in me"), "{why}");
    assert_eq!(
        run.task.await.unwrap().unwrap_err().code,
        RefusalCode::Unauthorized
    );
}

#[tokio::test]
async fn without_a_session_the_channel_says_how_to_sign_in() {
    let place = Place::open().await;
    std::fs::remove_file(telegram_session_file(place.data.path(), &channel())).unwrap();
    let mut run = Run::of(&place.adapter);
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("run `foldback telegram-user sign-in me`"), "{why}");
    assert_eq!(
        run.task.await.unwrap().unwrap_err().code,
        RefusalCode::Unauthorized
    );
    let refusal = place.send("x").await.unwrap_err();
    assert_eq!((refusal.code, refusal.unsent), (RefusalCode::Unauthorized, true));
    assert_eq!(place.server.calls(), 0);
}

#[tokio::test]
async fn the_session_file_is_its_owners_alone() {
    let place = Place::open().await;
    let path = telegram_session_file(place.data.path(), &channel());
    // As a copy may have been made.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let mut run = running(&place).await;
    place.server.write(ANA, ANA, "one");
    run.message().await;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    until(|| mode(&path) == 0o600).await;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    run.end().await;
}

#[tokio::test]
async fn a_session_that_cannot_be_written_is_told_and_nothing_is_lost() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    let path = telegram_session_file(place.data.path(), &channel());
    // In the place of the file that is begun.
    std::fs::create_dir(path.with_extension("part")).unwrap();
    std::fs::write(path.with_extension("part").join("x"), "").unwrap();
    place.server.write(ANA, ANA, "one");
    assert_eq!(run.message().await.text, "one");
    let why = loop {
        if let Signal::Warned(why) = run.next().await {
            break why;
        }
    };
    assert!(why.contains("cannot be written"), "{why}");
    place.server.write(ANA, ANA, "two");
    assert_eq!(run.message().await.text, "two");
    run.end().await;
}

#[tokio::test]
async fn what_is_received_is_acknowledged_to_telegram() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    for at in 0..20 {
        place.server.write(ANA, ANA, &format!("{at}"));
        run.message().await;
    }
    // An acknowledgment goes along with the next call.
    place.send("x").await.unwrap();
    place.send("y").await.unwrap();
    until(|| place.server.unacknowledged() < 10).await;
    run.end().await;
}

#[tokio::test]
async fn a_late_answer_is_no_reason_to_part() {
    let place = Place::open().await;
    place
        .server
        .plan("users.getUsers", Mishap::Late(Duration::from_millis(50)));
    let run = running(&place).await;
    run.end().await;
}
