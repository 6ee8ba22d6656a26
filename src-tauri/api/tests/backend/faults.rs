//! The fault deck: what is planned goes wrong, is marked, is told with who, and can be played again.

use crate::host::Host;
use foldback_channels::platform;
use foldback_replay::{Options, fixture, run};
use foldback_wire::{
    OpKind, OutcomeCode, Terminal,
    rpc::{FaultDeck, FixtureText, Status, TurnDetail, Verdict},
};
use serde_json::{Value, json};
use std::path::Path;

fn on(channel: &str, fault: &Value) -> Value {
    json!({"place": {"of": "channel", "channel": channel}, "fault": {"call": fault}})
}

fn by(agent: &str, fault: &Value) -> Value {
    json!({"place": {"of": "agent", "agent": agent}, "fault": {"run": fault}})
}

async fn turn(host: &Host, turn: u64) -> TurnDetail {
    host.call("turn", json!({ "turn": turn })).await
}

fn texts(turn: &TurnDetail) -> Vec<(OutcomeCode, u32)> {
    let texts = turn.ledger.iter().filter(|e| e.intent.kind == OpKind::SendText);
    texts
        .map(|e| (e.outcome.as_ref().unwrap().code, e.attempts))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_planned_fault_hits_is_marked_and_becomes_part_of_the_fixture() {
    let host = Host::start().await;
    let limited = json!({"op": "send_text", "fail": "rate_limited", "retry_after_ms": 1500});
    let decks: Vec<FaultDeck> = host.call("fault_plan", on("slack", &limited)).await;
    let planned: Vec<_> = decks.iter().flat_map(|deck| &deck.planned).collect();
    assert_eq!(planned.len(), 1);
    assert_eq!(planned[0].about, "send_text 1: rate_limited, wait 1500 ms");
    let status: Status = host.call("status", json!({})).await;
    assert_eq!(status.faults, 1);

    let number = host.say("slack", "Hi", "Hello").await;
    let hit = turn(&host, number).await;
    assert_eq!(texts(&hit), [(OutcomeCode::Sent, 2)]);
    assert_eq!(hit.faults.len(), 1);
    assert_eq!(hit.faults[0].number, planned[0].planned.number);
    assert!(hit.ledger.iter().any(|e| Some(e.op) == hit.faults[0].op));
    let told = hit
        .decisions
        .iter()
        .any(|decision| decision.text.contains("goes wrong as planned"));
    assert!(told, "{:?}", hit.decisions);
    assert_eq!(host.rows("kind:faulted").await, 1);
    assert_eq!(host.rows("kind:fault_planned").await, 1);

    let next = host.say("slack", "Hi again", "Hello").await;
    assert_eq!(turn(&host, next).await.faults, []);
    let status: Status = host.call("status", json!({})).await;
    assert_eq!(status.faults, 0, "it has done its work");

    let made: FixtureText = host.call("fixture_from_turn", json!({ "turn": number })).await;
    assert!(made.text.contains("faults:\n  - {"), "{}", made.text);
    let path = host.folder.path().join("made.yaml");
    let fixture = fixture::parse(&path, &made.text).unwrap();
    let played = std::thread::spawn(move || {
        run(
            Path::new("made.yaml"),
            &fixture,
            platform::SLACK,
            &Options::default(),
        )
    });
    let played = played.join().unwrap().unwrap();
    assert_eq!(played.case.verdict, Verdict::Pass, "{:?}", played.case.mismatches);
    let marks = played
        .events
        .iter()
        .filter(|e| matches!(e.kind, foldback_wire::Kind::Faulted { .. }));
    assert_eq!(marks.count(), 1, "the same call goes wrong");
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_goes_wrong_too_and_calls_no_platform() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        for channel in setup.config.channels.values_mut() {
            channel.armed = false;
        }
    })
    .await;
    let gone = json!({"op": "send_text", "fail": "forbidden"});
    host.call::<Value>("fault_plan", on("discord", &gone)).await;
    let number = host.say("discord", "Hi", "Hello").await;
    let hit = turn(&host, number).await;
    assert_eq!(texts(&hit)[0].0, OutcomeCode::Failed);
    assert_eq!(host.rows("kind:attempted").await, 0);
    let loopback = host.backend.loopback(&"discord".into()).unwrap();
    assert_eq!(loopback.platform().log().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_agents_run_goes_wrong_where_it_is_planned() {
    let host = Host::start().await;
    let cut = json!({"after_bytes": 9, "fail": "disconnected", "cut": "bytes"});
    host.call::<Value>("fault_plan", by("script", &cut)).await;
    let number = host.say("telegram", "Hi", "The answer that is cut off").await;
    let hit = turn(&host, number).await;
    assert_eq!(hit.messages[0].raw, "The answe");
    assert_eq!(hit.messages[0].chunks.len(), 9);
    assert_eq!((hit.faults.len(), hit.faults[0].op), (1, None));
    assert!(matches!(hit.summary.terminal, Some(Terminal::Failed { .. })));
    let next = host.say("telegram", "Hi", "Whole").await;
    assert_eq!(turn(&host, next).await.messages[0].raw, "Whole");
}

#[tokio::test(start_paused = true)]
async fn what_is_removed_hits_no_more() {
    let host = Host::start().await;
    let always = json!({"op": "send_text", "fail": "gone", "times": 4_294_967_295_u32});
    let decks: Vec<FaultDeck> = host.call("fault_plan", on("signal", &always)).await;
    let number = decks
        .iter()
        .flat_map(|d| &d.planned)
        .next()
        .unwrap()
        .planned
        .number;
    let first = host.say("signal", "Hi", "One").await;
    assert_eq!(texts(&turn(&host, first).await)[0].0, OutcomeCode::Failed);
    let status: Status = host.call("status", json!({})).await;
    assert_eq!(status.faults, 1, "it goes on");
    host.call::<Value>("fault_remove", json!({ "number": number }))
        .await;
    let second = host.say("signal", "Hi", "Two").await;
    assert_eq!(texts(&turn(&host, second).await)[0].0, OutcomeCode::Sent);
    assert_eq!(host.rows("kind:fault_removed").await, 1);
    let again = host.failure("fault_remove", json!({ "number": number })).await;
    assert_eq!(again.0, "not_found");
}

#[tokio::test(start_paused = true)]
async fn what_makes_no_sense_is_refused_with_why() {
    let host = Host::start().await;
    let gone = json!({"op": "react", "fail": "gone"});
    let stall = json!({"stall_ms": 10});
    let cases = [
        (on("fax", &gone), "not_found"),
        (by("oracle", &stall), "not_found"),
        (on("slack", &json!({"op": "react"})), "no_fault"),
        (
            on("slack", &json!({"op": "react", "fail": "gone", "nth": 0})),
            "no_fault",
        ),
        (
            on("slack", &json!({"op": "react", "latency_ms": 4_000_000})),
            "no_fault",
        ),
        (by("script", &json!({})), "no_fault"),
        (
            on("slack", &json!({"op": "fly", "fail": "gone"})),
            "bad_arguments",
        ),
        (
            on("slack", &json!({"op": "react", "fail": "tired"})),
            "bad_arguments",
        ),
        (
            json!({"place": {"of": "channel", "channel": "slack"}, "fault": {"run": stall}}),
            "no_fault",
        ),
        (
            json!({"place": {"of": "agent", "agent": "script"}, "fault": {"call": gone}}),
            "no_fault",
        ),
    ];
    for (args, code) in cases {
        assert_eq!(host.failure("fault_plan", args.clone()).await.0, code, "{args}");
    }
    assert_eq!(host.rows("kind:fault_planned").await, 0);
    let decks: Vec<FaultDeck> = host.call("faults", json!({})).await;
    assert!(
        decks.len() > foldback_channels::platform::ALL.len(),
        "all channels and an agent"
    );
    assert!(decks.iter().all(|deck| deck.planned.is_empty()));
}
