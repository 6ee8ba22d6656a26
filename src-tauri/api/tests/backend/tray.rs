//! The tray's menu: what its items say, and what each of them does with the bot.

use crate::host::{Host, pushed};
use foldback_api::{TRAY_ITEMS, TrayItem};
use foldback_wire::rpc::{Push, Status, Topic};
use serde_json::json;
use std::{collections::BTreeSet, time::Duration};

fn item(id: &str) -> TrayItem {
    *TRAY_ITEMS.iter().find(|item| item.id == id).unwrap()
}

impl Host {
    async fn choose(&self, id: &str) {
        self.backend.carry_out_tray_item(&item(id)).await.unwrap();
    }

    async fn status(&self) -> Status {
        self.call("status", json!({})).await
    }
}

#[test]
fn each_item_has_a_name_and_words_of_its_own() {
    let names: BTreeSet<&str> = TRAY_ITEMS.iter().map(|item| item.id).collect();
    let words: BTreeSet<&str> = TRAY_ITEMS.iter().map(|item| item.label).collect();
    assert_eq!((names.len(), words.len()), (TRAY_ITEMS.len(), TRAY_ITEMS.len()));
}

#[test]
fn the_shell_shows_the_window_and_ends_the_app() {
    let of_the_shell = TRAY_ITEMS.map(|item| (item.id, item.shows_window, item.ends_app));
    assert_eq!(
        of_the_shell,
        [
            ("open", true, false),
            ("file.open", false, false),
            ("demo.play", true, false),
            ("demo.pause", false, false),
            ("mute", false, false),
            ("quit", false, true),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_mute_item_mutes_and_unmutes() {
    let host = Host::start().await;
    host.choose("mute").await;
    assert!(host.status().await.muted);
    host.choose("mute").await;
    assert!(!host.status().await.muted);
}

#[tokio::test(start_paused = true)]
async fn the_demo_items_pause_and_play() {
    let host = Host::start_with(|_| ()).await;
    let state = async || host.status().await.demo.unwrap();
    let playing = state().await;
    host.choose("demo.pause").await;
    let paused = state().await;
    assert_ne!(playing, paused);
    host.choose("demo.play").await;
    assert_eq!(state().await, playing);
}

#[tokio::test(start_paused = true)]
async fn the_file_item_has_the_window_ask_for_a_file() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.window = true;
    })
    .await;
    let mut app = host.subscribe(&Topic::App);
    host.choose("file.open").await;
    let asked = pushed(&mut app, Duration::from_secs(1)).await;
    assert!(
        asked
            .iter()
            .any(|push| matches!(push, Push::Open { targets } if targets.is_empty())),
        "{asked:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_items_of_the_shell_ask_nothing_of_the_bot() {
    let host = Host::start().await;
    let before = host.backend.journal().head();
    host.choose("open").await;
    host.choose("quit").await;
    assert_eq!(host.backend.journal().head(), before);
}
