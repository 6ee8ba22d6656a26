//! Channels: cards, switches, arming, muting; and what is pushed about them.

use crate::host::{Host, pushed};
use foldback_wire::{
    ChannelState,
    rpc::{AlarmKind, ChannelCard, Push, Status, Topic, TurnDetail},
};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn every_channel_has_a_card() {
    let host = Host::after_demo().await;
    let cards: Vec<ChannelCard> = host.call("channels", json!({})).await;
    assert_eq!(
        cards.iter().map(|c| c.channel.as_str()).collect::<Vec<_>>(),
        ["discord", "signal", "slack", "telegram", "whatsapp"]
    );
    for card in &cards {
        assert_eq!(card.state, ChannelState::Up, "{}", card.channel);
        assert!(card.simulated && card.on && card.armed);
        assert!(card.counters.received > 0 && card.counters.sent > 0, "{card:#?}");
        assert_eq!((card.counters.held, card.needs_consent), (0, 0));
        assert_eq!(card.allow_from, ["*"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_is_off_holds_its_answer_until_it_is_on_again() {
    let host = Host::start().await;
    let off: ChannelCard = host
        .call("channel_switch", json!({"channel": "slack", "on": false}))
        .await;
    assert_eq!(
        (off.state, off.on, off.why.as_str()),
        (ChannelState::Off, false, "switched off by hand")
    );
    let turn = host.say("slack", "Hi", "Hello").await;
    let card = |cards: Vec<ChannelCard>| cards.into_iter().find(|c| c.channel.as_str() == "slack").unwrap();
    assert_eq!(card(host.call("channels", json!({})).await).counters.held, 1);
    let why: Value = host.call("why", json!({"about": turn.to_string()})).await;
    assert!(
        why["answer"].as_str().unwrap().contains("channels.slack.enabled"),
        "{why}"
    );
    // Longer than outbox.max_age: now a person has to agree.
    tokio::time::sleep(Duration::from_mins(11)).await;
    let on: ChannelCard = host
        .call("channel_switch", json!({"channel": "slack", "on": true}))
        .await;
    assert_eq!((on.needs_consent, on.counters.sent), (1, 0));
    host.call::<ChannelCard>("release_held", json!({"channel": "slack", "send": true}))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after = card(host.call("channels", json!({})).await);
    assert_eq!(
        (after.needs_consent, after.counters.sent, after.counters.held),
        (0, 1, 0)
    );
    let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
    assert_eq!(detail.deliveries.last().unwrap().text.as_deref(), Some("Hello"));
}

#[tokio::test(start_paused = true)]
async fn arming_needs_the_name_and_disarming_does_not() {
    let host = Host::start().await;
    let disarmed: ChannelCard = host
        .call(
            "channel_arm",
            json!({"channel": "signal", "armed": false, "confirm": ""}),
        )
        .await;
    assert!(!disarmed.armed);
    assert_eq!(
        host.failure(
            "channel_arm",
            json!({"channel": "signal", "armed": true, "confirm": "Signal"})
        )
        .await,
        (
            "not_confirmed".into(),
            "signal was not armed: its name was not typed.".into(),
            Some("An armed channel sends to real people. Type its name to arm it.".into())
        )
    );
    let armed: ChannelCard = host
        .call(
            "channel_arm",
            json!({"channel": "signal", "armed": true, "confirm": "signal"}),
        )
        .await;
    assert!(armed.armed);
}

#[tokio::test(start_paused = true)]
async fn muting_shows_in_the_status_and_simulated_channels_are_not_armed_there() {
    let host = Host::start().await;
    let before: Status = host.call("status", json!({})).await;
    assert_eq!((before.muted, before.channels, before.armed.len()), (false, 5, 0));
    assert_eq!((before.workspace.as_str(), before.p95_turn_ms), ("demo", None));
    let muted: Status = host.call("mute", json!({"muted": true})).await;
    assert!(muted.muted);
    host.say("signal", "Hi", "Hello").await;
    let waiting: Status = host.call("status", json!({})).await;
    assert_eq!((waiting.waiting, waiting.running), (1, 1));
    host.call::<Status>("mute", json!({"muted": false})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after: Status = host.call("status", json!({})).await;
    assert_eq!((after.muted, after.waiting, after.running), (false, 0, 0));
    assert!(after.p95_turn_ms.is_some());
}

#[tokio::test(start_paused = true)]
async fn what_is_held_cannot_be_given_up() {
    let host = Host::start().await;
    assert_eq!(
        host.failure("release_held", json!({"channel": "slack", "send": false}))
            .await,
        (
            "not_possible".into(),
            "What slack holds cannot be given up, only sent.".into(),
            Some("Send it, or leave the channel off; it is kept.".into())
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_window_hears_what_changes_and_nothing_twice() {
    let host = Host::start().await;
    let mut app = host.subscribe(&Topic::App);
    let first = pushed(&mut app, Duration::from_secs(2)).await;
    let cards = |pushes: &[Push]| {
        pushes
            .iter()
            .filter(|p| matches!(p, Push::Channel { .. }))
            .count()
    };
    let statuses = |pushes: &[Push]| pushes.iter().filter(|p| matches!(p, Push::Status { .. })).count();
    assert_eq!(cards(&first), 5, "every card once");
    assert!((1..=8).contains(&statuses(&first)), "at most four a second");
    assert_eq!(
        pushed(&mut app, Duration::from_secs(5)).await,
        [],
        "nothing changed"
    );
    host.call::<ChannelCard>("channel_switch", json!({"channel": "slack", "on": false}))
        .await;
    let changed = pushed(&mut app, Duration::from_secs(2)).await;
    assert_eq!(cards(&changed), 1);
}

#[tokio::test(start_paused = true)]
async fn an_alarm_does_not_wait_for_the_tick() {
    let host = Host::start().await;
    let mut app = host.subscribe(&Topic::App);
    pushed(&mut app, Duration::from_secs(2)).await;
    let args = json!({"channel": "telegram", "user_text": "Hi", "agent_output": "Hello"});
    let gone = foldback_channels::sim::Fault::first(
        foldback_wire::OpKind::SendText,
        foldback_channels::sim::Failure::Forbidden,
    );
    host.backend
        .loopback(&"telegram".into())
        .unwrap()
        .platform()
        .plan(gone);
    host.call::<Value>("compose_send", args).await;
    let pushes = pushed(&mut app, Duration::from_secs(10)).await;
    let alarm = pushes.iter().find_map(|p| match p {
        Push::Alarm { alarm } => Some(alarm),
        _ => None,
    });
    assert_eq!(alarm.map(|a| a.kind), Some(AlarmKind::Error), "{pushes:#?}");
}
