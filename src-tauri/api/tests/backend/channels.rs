//! Channels: cards, switches, arming, muting; and what is pushed about them.

use crate::host::{Host, pushed};
use foldback_channels::{
    platform,
    sim::{CallFailure, CallFault},
};
use foldback_pipeline::config;
use foldback_store::{Limits, SqliteJournal};
use foldback_wire::{
    ChannelState, OpKind, Seq,
    rpc::{AlarmKind, ChannelCard, Push, Status, Topic, TurnDetail},
};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc, time::Duration};

#[tokio::test(start_paused = true)]
async fn every_channel_has_a_card() {
    let host = Host::after_demo().await;
    let cards: Vec<ChannelCard> = host.call("channels", json!({})).await;
    let mut platforms: Vec<_> = platform::ALL.iter().map(foldback_wire::Platform::code).collect();
    platforms.sort_unstable();
    assert_eq!(
        cards.iter().map(|c| c.channel.as_str()).collect::<Vec<_>>(),
        platforms
    );
    let demo = foldback_agents::demo::load().unwrap();
    for card in &cards {
        assert_eq!(card.state, ChannelState::Up, "{}", card.channel);
        assert!(card.simulated && card.on && card.armed);
        let is_played = demo.turns.iter().any(|turn| turn.channel == card.channel);
        assert_eq!(card.counters.received > 0, is_played, "{card:#?}");
        assert_eq!(card.counters.sent > 0, is_played, "{card:#?}");
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
    let answer = why["answer"].as_str().unwrap();
    assert!(
        answer.contains("slack is off since 2027-01-15 08:00:00 UTC, by the console (switched off by hand)"),
        "{why}"
    );
    assert!(!answer.contains("channels.slack.enabled"), "it is enabled: {why}");
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
async fn a_token_that_is_renewed_while_it_runs_is_masked_and_the_old_one_still_is() {
    let host = Host::start_with(|setup| {
        let text = "[channels.slack]\nkind = \"loopback\"\nallow_from = [\"*\"]\nrequire_mention = false\n\
                    [channels.telegram]\ntoken = { file = \"token\" }\napi_root = \"http://127.0.0.1:9\"\n";
        setup.config = config::parse(text, Path::new("foldback.toml")).unwrap();
        setup.demo = false;
        std::fs::write(setup.base.join("token"), "the first passphrase").unwrap();
    })
    .await;
    std::fs::write(host.folder.path().join("token"), "another passphrase").unwrap();
    for on in [false, true] {
        let args = json!({"channel": "telegram", "on": on});
        host.call::<ChannelCard>("channel_switch", args).await;
    }
    // It connects again, for which it reads its token.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let said = "not the first passphrase, but another passphrase";
    let turn = host.say("slack", said, said).await;
    let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
    let told = detail.deliveries.last().unwrap().text.clone();
    assert_eq!(told.as_deref(), Some("not [redacted], but [redacted]"));
    let events = host.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
    let journal = serde_json::to_string(&events).unwrap();
    assert!(!journal.contains("passphrase"), "{journal}");
}

/// The filters behind a card's counters, as the window has them in `views/channels/figures.ts`.
const FIGURES: [(&str, &str); 7] = [
    ("received", "kind:received"),
    ("stopped", "kind:stopping"),
    ("sent", "outcome:sent,unchanged -kind:typing"),
    ("dry_run", "outcome:dry_run -kind:typing"),
    ("unsupported", "outcome:unsupported -kind:typing"),
    ("failed", "outcome:failed,not_allowed,missing -kind:typing"),
    ("unknown", "outcome:unknown is:error -kind:typing,turn_ended"),
];

#[tokio::test(start_paused = true)]
async fn every_counter_of_a_card_equals_the_rows_of_its_filter() {
    let host = Host::after_demo().await;
    let turn = host
        .say("signal", "Hi", "<actions><voice>Hello</voice></actions>Hello")
        .await;
    host.lose(turn).await;
    let telegram = host.backend.loopback(&"telegram".into()).unwrap();
    telegram.platform().plan(CallFault {
        times: 99,
        ..CallFault::first(OpKind::EditText, CallFailure::LostAck)
    });
    // Its live edits stay unknown; the final one has another operation in its place.
    host.say("telegram", "Hi", &"More words. ".repeat(200)).await;
    tokio::time::sleep(Duration::from_mins(10)).await;
    let status: Status = host.call("status", json!({})).await;
    let cards: Vec<ChannelCard> = host.call("channels", json!({})).await;
    let mut seen = 0;
    for card in &cards {
        let counters = serde_json::to_value(card.counters).unwrap();
        for (name, filter) in FIGURES {
            let filter = format!("channel:{} {filter} after:{}", card.channel, status.since);
            let rows = host.rows(&filter).await;
            assert_eq!(counters[name], rows, "{filter}");
            seen += usize::from(rows > 0);
        }
    }
    assert!(seen > 9, "the demonstration does too little");
    assert!(cards.iter().any(|card| card.counters.unsupported > 0));
    assert!(cards.iter().any(|card| card.counters.failed > 0));
    let unknown: u64 = cards.iter().map(|card| card.counters.unknown).sum();
    assert!(unknown < host.rows("outcome:unknown -kind:typing,turn_ended").await);
}

#[tokio::test(start_paused = true)]
async fn what_was_held_too_long_can_be_given_up() {
    let host = Host::start().await;
    host.call::<ChannelCard>("channel_switch", json!({"channel": "slack", "on": false}))
        .await;
    let turn = host.say("slack", "Hi", "Hello").await;
    tokio::time::sleep(Duration::from_mins(11)).await;
    host.call::<ChannelCard>("release_held", json!({"channel": "slack", "send": false}))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let cards: Vec<ChannelCard> = host.call("channels", json!({})).await;
    let slack = cards.iter().find(|c| c.channel.as_str() == "slack").unwrap();
    assert_eq!((slack.needs_consent, slack.counters.held), (0, 0));
    let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
    let outcome = detail.ledger.last().unwrap().outcome.as_ref().unwrap();
    assert_eq!(outcome.code, foldback_wire::OutcomeCode::Cancelled);
    assert!(outcome.detail.as_deref().unwrap().contains("gave it up"));
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
    let all = u32::try_from(platform::ALL.len()).unwrap();
    assert_eq!(
        (before.muted, before.channels, before.armed.len()),
        (false, all, 0)
    );
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
    assert_eq!(cards(&first), platform::ALL.len(), "every card once");
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
    let gone = foldback_channels::sim::CallFault::first(
        foldback_wire::OpKind::SendText,
        foldback_channels::sim::CallFailure::Forbidden,
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

/// In real time: a database's threads know no other.
#[tokio::test]
async fn a_full_journal_is_told_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        max_bytes: Some(200_000),
        patience: Duration::from_millis(50),
        ..Limits::default()
    };
    let file = folder.path().join("journal.sqlite");
    let journal = SqliteJournal::open_with(&file, limits).await.unwrap();
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.journal = Some(Arc::new(journal));
    })
    .await;
    let mut app = host.subscribe(&Topic::App);
    let mut stopped = async |full: bool| loop {
        if let Some(Push::Status { status }) = app.next().await
            && status.stopped.is_some() == full
        {
            return status.stopped;
        }
    };
    assert_eq!(stopped(false).await, None);
    let text = "x".repeat(300_000);
    // The journal takes it or not; what counts is what is told from then on.
    let sent = host
        .try_call(
            "compose_send",
            json!({"channel": "slack", "user_text": text, "agent_output": null}),
        )
        .await;
    let why = stopped(true).await.unwrap();
    assert!(
        why.contains("there is no room left for the journal"),
        "{why}; {sent:?}"
    );
}
