//! What arming a channel would let loose: counted, not guessed.

use crate::host::Host;
use foldback_wire::{
    ChatType, Inbound, OpKind, Sender,
    rpc::{ChannelCard, ChannelReach, Status, WaitingFate},
};
use serde_json::json;
use std::time::Duration;

/// Somebody writes on a simulated channel, in a chat of their own or in a group, and is answered.
async fn writes(host: &Host, channel: &str, who: &str, chat: &str, text: &str) {
    arrives(host, channel, who, chat, text);
    tokio::time::sleep(Duration::from_secs(30)).await;
}

fn arrives(host: &Host, channel: &str, who: &str, chat: &str, text: &str) {
    let loopback = host.backend.loopback(&channel.into()).unwrap();
    let message = Inbound {
        channel: channel.into(),
        account: None,
        chat: chat.into(),
        chat_type: if chat == who {
            ChatType::Direct
        } else {
            ChatType::Group
        },
        thread: None,
        message: loopback.mint(&chat.into()),
        reply_to: None,
        sender: Sender {
            id: who.into(),
            name: who.to_owned(),
            display_name: who.to_uppercase(),
            is_bot: false,
        },
        text: text.to_owned(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: foldback_wire::Timestamp(1_800_000_000_000),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    };
    loopback.inject(message).unwrap();
}

async fn reach(host: &Host, channel: &str) -> ChannelReach {
    host.call("channel_reach", json!({ "channel": channel })).await
}

#[tokio::test(start_paused = true)]
async fn a_channel_nobody_wrote_on_reaches_nobody() {
    let host = Host::start().await;
    let empty = reach(&host, "telegram").await;
    assert_eq!(
        (
            empty.chats.len(),
            empty.messages,
            empty.since,
            empty.waiting_total
        ),
        (0, 0, None, 0)
    );
    assert_eq!(
        empty
            .rates
            .iter()
            .map(|r| (r.hours, r.turns, r.sent))
            .collect::<Vec<_>>(),
        [(1, 0, 0), (24, 0, 0)]
    );
    let (code, _, _) = host.failure("channel_reach", json!({"channel": "fax"})).await;
    assert_eq!(code, "not_found");
}

#[tokio::test(start_paused = true)]
async fn the_chats_are_those_that_wrote_there_the_latest_first() {
    let host = Host::start().await;
    writes(&host, "telegram", "ada", "ada", "First").await;
    writes(&host, "telegram", "bob", "garden", "Second").await;
    writes(&host, "telegram", "ada", "garden", "Third\nof them").await;
    writes(&host, "slack", "eve", "eve", "Elsewhere").await;
    host.say("telegram", "A test by hand", "Fine").await;
    let telegram = reach(&host, "telegram").await;
    let chats: Vec<_> = telegram
        .chats
        .iter()
        .map(|c| {
            (
                c.chat.as_str(),
                c.chat_type,
                c.name.as_str(),
                c.people,
                c.messages,
                c.last_text.as_str(),
            )
        })
        .collect();
    assert_eq!(
        chats,
        [
            ("garden", ChatType::Group, "ADA", 2, 2, "Third␊of them"),
            ("ada", ChatType::Direct, "ADA", 1, 1, "First"),
        ]
    );
    assert_eq!(
        (telegram.chats_total, telegram.answered_total, telegram.messages),
        (2, 2, 3)
    );
    assert!(telegram.since.unwrap() < telegram.chats[0].last_at);
}

#[tokio::test(start_paused = true)]
async fn chats_of_one_millisecond_stand_in_the_journals_order() {
    let host = Host::start_with(|setup| setup.demo = false).await;
    for chat in ["ada", "cleo", "bob"] {
        arrives(&host, "telegram", chat, chat, "Hello");
    }
    tokio::time::sleep(Duration::from_secs(30)).await;
    let telegram = reach(&host, "telegram").await;
    let chats: Vec<_> = telegram
        .chats
        .iter()
        .map(|c| (c.last_at, c.chat.as_str()))
        .collect();
    let at = telegram.chats[0].last_at;
    assert_eq!(chats, [(at, "bob"), (at, "cleo"), (at, "ada")]);
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_is_stopped_is_told_apart() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup
            .config
            .channels
            .get_mut(&"telegram".into())
            .unwrap()
            .allow_from = vec!["ada".to_owned()];
    })
    .await;
    writes(&host, "telegram", "ada", "ada", "Hello").await;
    writes(&host, "telegram", "mallory", "mallory", "Let me in").await;
    let telegram = reach(&host, "telegram").await;
    let stopped: Vec<_> = telegram
        .chats
        .iter()
        .map(|c| (c.chat.as_str(), c.stopped))
        .collect();
    assert_eq!(stopped, [("mallory", 1), ("ada", 0)]);
    assert_eq!((telegram.chats_total, telegram.answered_total), (2, 1));
    let cards: Vec<ChannelCard> = host.call("channels", json!({})).await;
    let card = cards
        .into_iter()
        .find(|card| card.channel.as_str() == "telegram")
        .unwrap();
    assert_eq!((card.counters.received, card.counters.stopped), (2, 1));
    assert_eq!(host.rows("channel:telegram kind:stopping").await, 1);
}

#[tokio::test(start_paused = true)]
async fn every_rate_equals_the_rows_of_its_filter() {
    let host = Host::after_demo().await;
    host.say("telegram", "Hi", "<actions><voice>Hello</voice></actions>Hello")
        .await;
    tokio::time::sleep(Duration::from_mins(70)).await;
    host.say("telegram", "Hi again", "Good day").await;
    let telegram = reach(&host, "telegram").await;
    for rate in &telegram.rates {
        assert_eq!(
            rate.turns,
            host.rows(&rate.turns_filter).await,
            "{}",
            rate.turns_filter
        );
        assert_eq!(
            rate.sent,
            host.rows(&rate.sent_filter).await,
            "{}",
            rate.sent_filter
        );
    }
    let [hour, day] = telegram.rates.as_slice() else {
        panic!("an hour and a day");
    };
    assert_eq!((hour.turns, hour.sent), (1, 1));
    assert!(day.turns > 1 && day.sent > 3, "{day:?}");
}

#[tokio::test(start_paused = true)]
async fn a_card_counts_what_goes_out_by_itself_and_no_rehearsal() {
    let host = Host::start().await;
    let card = async || {
        let cards: Vec<ChannelCard> = host.call("channels", json!({})).await;
        cards.into_iter().find(|c| c.channel.as_str() == "slack").unwrap()
    };
    host.call::<Status>("mute", json!({"muted": true})).await;
    let rehearsal = json!({
        "channel": "slack", "user_text": "Hi", "agent_output": "A rehearsal", "dry_run": true,
    });
    host.call::<serde_json::Value>("compose_send", rehearsal).await;
    writes(&host, "slack", "ada", "ada", "Hi").await;
    tokio::time::sleep(Duration::from_mins(11)).await;
    writes(&host, "slack", "eve", "eve", "Hi").await;
    let fates = |reach: &ChannelReach| reach.waiting.iter().map(|w| w.fate).collect::<Vec<_>>();
    let waiting = reach(&host, "slack").await;
    assert_eq!(
        fates(&waiting),
        [
            WaitingFate::Stays,
            WaitingFate::Asks,
            WaitingFate::Asks,
            WaitingFate::Sends,
            WaitingFate::Sends
        ]
    );
    assert_eq!((card().await.outgoing, waiting.sends_total), (2, 2));
    assert_eq!(card().await.counters.held, 5, "more than goes out");
    host.call::<ChannelCard>("release_held", json!({"channel": "slack", "send": true}))
        .await;
    assert_eq!(card().await.outgoing, 4, "a person agreed to what was old");
    host.call::<Status>("mute", json!({"muted": false})).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(card().await.outgoing, 0);
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_listed_with_what_becomes_of_it() {
    let host = Host::start().await;
    host.call::<Status>("mute", json!({"muted": true})).await;
    host.say("slack", "Hi", "An old answer").await;
    tokio::time::sleep(Duration::from_mins(11)).await;
    // In another chat: in this one it would wait for its turn.
    writes(&host, "slack", "eve", "eve", "Hi").await;
    let slack = reach(&host, "slack").await;
    let waiting: Vec<_> = slack
        .waiting
        .iter()
        .map(|w| (w.kind, w.chat.as_str(), w.fate))
        .collect();
    assert_eq!(
        waiting,
        [
            (OpKind::SendText, "compose", WaitingFate::Asks),
            (OpKind::React, "eve", WaitingFate::Sends),
            (OpKind::SendText, "eve", WaitingFate::Sends),
        ]
    );
    assert_eq!(slack.waiting[0].about, "An old answer");
    assert_eq!((slack.waiting_total, slack.sends_total), (3, 2));
}
