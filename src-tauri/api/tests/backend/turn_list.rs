//! The list of turns: a view of the whole journal, filtered, windowed, live.

use crate::host::{Host, pushed};
use foldback_api::Subscription;
use foldback_wire::rpc::{FindTurnResult, Frame, Push, Topic, TurnSummary, ViewOpened};
use serde_json::{Value, json};
use std::time::Duration;

struct List<'a> {
    host: &'a Host,
    view: u32,
    topic: Subscription,
}

impl<'a> List<'a> {
    async fn open(host: &'a Host, filter: &str) -> Self {
        let wish = json!({"filter": filter, "rows": "turns"});
        let opened: ViewOpened = host.call("view_open", wish).await;
        let view = opened.view;
        let topic = host.subscribe(&Topic::View { view });
        Self { host, view, topic }
    }

    /// The last frame that comes within a second.
    async fn latest(&mut self) -> Option<Frame> {
        let mut latest = None;
        for push in pushed(&mut self.topic, Duration::from_secs(1)).await {
            let Push::Frame { frame } = push else {
                panic!("{push:?}")
            };
            let ack = json!({"view": self.view, "serial": frame.serial});
            self.host.call::<Value>("view_ack", ack).await;
            latest = Some(frame);
        }
        latest
    }

    async fn find(&self, turn: u64) -> FindTurnResult {
        let wish = json!({"view": self.view, "turn": turn});
        self.host.call("view_find_turn", wish).await
    }
}

async fn all(host: &Host) -> Vec<TurnSummary> {
    let mut turns: Vec<TurnSummary> = host.call("turns", json!({"before": null, "limit": 500})).await;
    turns.reverse();
    turns
}

#[tokio::test(start_paused = true)]
async fn the_list_has_every_turn_and_the_window_its_part() {
    let host = Host::after_demo().await;
    let turns = all(&host).await;
    let mut list = List::open(&host, "").await;
    let window = json!({"view": list.view, "first": 0, "count": 3, "follow": true});
    host.call::<Value>("view_window", window).await;
    let frame = list.latest().await.unwrap();
    let count = turns.len();
    assert_eq!((frame.length, frame.total), (count as u64, count as u64));
    assert_eq!(frame.turns, turns[count - 3..]);
    assert!(frame.rows.is_empty() && !frame.scanning);
    let window = json!({"view": list.view, "first": 1, "count": 2, "follow": false});
    host.call::<Value>("view_window", window).await;
    assert_eq!(list.latest().await.unwrap().turns, turns[1..3]);
}

#[tokio::test(start_paused = true)]
async fn the_list_is_filtered_by_the_language_of_live() {
    let host = Host::after_demo().await;
    let turns = all(&host).await;
    let discord: Vec<_> = turns
        .iter()
        .filter(|turn| {
            turn.channel
                .as_ref()
                .is_some_and(|channel| channel.as_str() == "discord")
        })
        .cloned()
        .collect();
    let mut list = List::open(&host, "channel:discord kind:received").await;
    let frame = list.latest().await.unwrap();
    assert_eq!((frame.turns, frame.total), (discord.clone(), turns.len() as u64));
    let [listed, hidden] = [discord[0].turn, turns[0].turn];
    assert_eq!(
        list.find(listed.0).await,
        FindTurnResult {
            index: Some(0),
            exists: true
        }
    );
    assert_eq!(
        list.find(hidden.0).await,
        FindTurnResult {
            index: None,
            exists: true
        }
    );
    assert_eq!(
        list.find(9_999).await,
        FindTurnResult {
            index: None,
            exists: false
        }
    );
    let wrong = json!({"filter": "chanel:discord", "rows": "turns"});
    assert_eq!(host.failure("view_open", wrong).await.0, "bad_filter");
    let events: ViewOpened = host.call("view_open", json!({"filter": ""})).await;
    let other = json!({"view": events.view, "turn": 1});
    assert_eq!(host.failure("view_find_turn", other).await.0, "bad_arguments");
    let other = json!({"view": list.view, "seq": 1});
    assert_eq!(host.failure("view_find", other).await.0, "bad_arguments");
}

#[tokio::test(start_paused = true)]
async fn the_list_follows_a_turn_from_its_message_to_what_becomes_known_later() {
    let host = Host::start().await;
    let mut list = List::open(&host, "").await;
    assert_eq!(list.latest().await.unwrap().length, 0);
    let args = json!({"channel": "telegram", "user_text": "Hello?", "agent_output": "Hi there."});
    let sent: Value = host.call("compose_send", args).await;
    let turn = sent["turn"].as_u64().unwrap();
    let mut ended = None;
    for _ in 0..40 {
        if let Some(frame) = list.latest().await {
            assert_eq!(frame.length, 1);
            ended = frame.turns[0].terminal.clone();
        }
    }
    assert!(ended.is_some(), "the list says that it ended");
    assert!(
        list.latest().await.is_none(),
        "nothing happens, and nothing is pushed"
    );
    host.lose(turn).await;
    assert_eq!(list.latest().await.unwrap().turns[0].failed_ops, 1);
    assert_eq!(all(&host).await[0].failed_ops, 1);
}
