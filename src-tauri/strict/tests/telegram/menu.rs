//! The menu of commands.

use crate::place::{CHAT, Place, TOKEN, made};
use crate::shared::run::{Run, until};
use foldback_channels::{MenuCommand, Telegram};
use foldback_strict::Mishap;
use foldback_wire::ChannelState;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

fn with_menu(place: &Place, about: &str) -> Arc<Telegram> {
    let command = MenuCommand {
        name: "status".into(),
        about: about.into(),
        words: String::new(),
    };
    let telegram = made(&place.server.root(), TOKEN, place.dir.path()).unwrap();
    Arc::new(telegram.offering(vec![command]))
}

async fn up(adapter: &Arc<Telegram>) -> Run {
    let mut run = Run::of(adapter);
    run.until(ChannelState::Up).await;
    run
}

#[tokio::test]
async fn the_menu_is_set_at_the_start_and_what_is_chosen_comes_in() {
    let place = Place::open().await;
    let adapter = with_menu(&place, &"ä".repeat(300));
    let mut run = up(&adapter).await;
    until(|| !place.server.commands().is_empty()).await;
    let about = format!("{}…", "ä".repeat(255));
    assert_eq!(
        place.server.commands(),
        [json!({"command": "status", "description": about})]
    );
    place.server.write(
        CHAT,
        json!({"from": {"id": 42, "is_bot": false, "first_name": "Ana"}, "date": 1_700_000_000, "text": "/status"}),
    );
    assert_eq!(run.message().await.text, "/status");
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn without_commands_the_menu_is_left_and_a_refusal_keeps_nothing_from_coming_in() {
    let place = Place::open().await;
    let mut run = up(&place.adapter).await;
    place.server.write(
        CHAT,
        json!({"from": {"id": 42, "is_bot": false, "first_name": "Ana"}, "date": 1_700_000_000, "text": "hi"}),
    );
    assert_eq!(run.message().await.text, "hi");
    // What is not confirmed comes again to the next run.
    until(|| place.server.unconfirmed() == 0).await;
    run.end().await;
    let adapter = with_menu(&place, "Tells.");
    place
        .server
        .plan("setMyCommands", Mishap::RateLimited(Duration::from_secs(3)));
    let mut run = up(&adapter).await;
    place.server.write(
        CHAT,
        json!({"from": {"id": 42, "is_bot": false, "first_name": "Ana"}, "date": 1_700_000_000, "text": "again"}),
    );
    assert_eq!(run.message().await.text, "again");
    assert!(place.server.commands().is_empty());
    run.end().await;
}
