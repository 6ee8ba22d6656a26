//! What is unknown asks for a person's look, also over a restart.

use crate::host::Host;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Draft, Event, OpKind, Seq, Terminal,
    rpc::{Status, TurnDetail, Why},
};
use serde_json::json;
use std::sync::Arc;

async fn unknown(host: &Host) -> (u32, Vec<u64>) {
    let status: Status = host.call("status", json!({})).await;
    let turns = status.unknown_turns.iter().map(|turn| turn.0).collect();
    (status.unknown, turns)
}

/// The next process, with the journal of this one.
async fn restarted(host: &Host) -> Host {
    let events = host.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
    let draft = |event: Event| Draft {
        at: event.at,
        turn: event.turn,
        session: event.session,
        channel: event.channel,
        kind: event.kind,
    };
    let journal = MemoryJournal::new();
    journal.append(events.into_iter().map(draft).collect()).unwrap();
    Host::start_with(|setup| {
        setup.demo = false;
        setup.journal = Some(Arc::new(journal));
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_turn_in_doubt_asks_for_a_look_over_restarts_until_a_person_looks() {
    let host = Host::start().await;
    let loopback = host.backend.loopback(&"signal".into()).unwrap();
    let lost = CallFault::first(OpKind::SendText, CallFailure::LostAck);
    loopback.platform().plan(lost);
    let turn = host.say("signal", "Hi", "Perhaps").await;
    assert_eq!(unknown(&host).await, (1, vec![turn]));
    let why: Why = host.call("why", json!({"about": turn.to_string()})).await;
    assert!(why.answer.contains("ended as unknown"), "{}", why.answer);
    let of_turn = format!("outcome:unknown turn:{turn}");
    assert_eq!(
        host.rows(&of_turn).await,
        2,
        "the operation's end, and the turn's"
    );

    let host = restarted(&host).await;
    assert_eq!(unknown(&host).await, (1, vec![turn]));
    let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
    assert!(
        matches!(detail.summary.terminal, Some(Terminal::Unknown { .. })),
        "{:?}",
        detail.summary.terminal
    );
    assert_eq!(unknown(&host).await, (0, vec![]));
    assert_eq!(host.rows("kind:reviewed").await, 1);
    let _again: TurnDetail = host.call("turn", json!({"turn": turn})).await;
    assert_eq!(host.rows("kind:reviewed").await, 1, "one look is enough");

    let host = restarted(&host).await;
    assert_eq!(unknown(&host).await, (0, vec![]));
}
