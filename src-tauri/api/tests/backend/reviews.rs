//! What is unknown asks for a person's look, also over a restart.

use crate::{counting::Counting, host::Host};
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Draft, Event, Intent, Kind, MessageFlags, OpId, OpKind, Outcome, OutcomeCode, Seq, Target, Terminal,
    Timestamp, TurnId,
    rpc::{Book, BookLine, SendResult, Status, TurnDetail, TurnSummary, Why},
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

async fn unknown(host: &Host) -> (u32, Vec<u64>) {
    let status: Status = host.call("status", json!({})).await;
    let turns = status.unknown_turns.iter().map(|turn| turn.0).collect();
    (status.unknown, turns)
}

/// The next process, with the journal of this one.
async fn restarted(host: &Host) -> Host {
    restarted_with(Arc::new(copied(host, 0).await)).await
}

/// The journal of this process, and so many operations of a later turn.
async fn copied(host: &Host, later: u64) -> MemoryJournal {
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
    let sent = |op| Draft {
        at: Timestamp(1_800_000_000_000),
        turn: Some(TurnId(900)),
        session: None,
        channel: Some("signal".into()),
        kind: Kind::Ended {
            op: OpId(op),
            outcome: Outcome::new(OutcomeCode::Sent),
        },
    };
    journal
        .append((1_000..1_000 + later).map(sent).collect())
        .unwrap();
    journal
}

async fn restarted_with(journal: Arc<dyn Journal>) -> Host {
    Host::start_with(|setup| {
        setup.demo = false;
        setup.journal = Some(journal);
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_start_finds_what_is_in_doubt_however_much_came_after_it_and_reads_none_of_that() {
    let host = Host::start().await;
    let loopback = host.backend.loopback(&"signal".into()).unwrap();
    loopback.platform().plan(CallFault {
        times: 2,
        ..CallFault::first(OpKind::SendText, CallFailure::LostAck)
    });
    let mut turns = Vec::new();
    for answer in ["Perhaps", "Perhaps again"] {
        turns.push(host.say("signal", "Hi", answer).await);
    }
    assert_eq!(unknown(&host).await, (2, turns.clone()));
    // A person sends the first one again.
    let detail: Book = host
        .call("deliveries", json!({"channel": "signal", "limit": 10}))
        .await;
    let again = detail.dead.iter().find(|line| line.turn.0 == turns[0]).unwrap();
    let _again: SendResult = host
        .call("resend", json!({"turn": turns[0], "op": again.entry.op}))
        .await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = host.backend.journal().head().0;

    let journal = Arc::new(Counting::of(copied(&host, 60_000).await));
    let host = restarted_with(Arc::clone(&journal) as Arc<dyn Journal>).await;
    assert_eq!(unknown(&host).await, (1, vec![turns[1]]));
    let read = journal.read_so_far() as u64;
    assert!(
        read <= 3 * before,
        "{read} events were read of {before} before the others"
    );
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
    assert!(
        why.answer
            .starts_with("Unclear whether the whole answer arrived: the message may have arrived or not"),
        "{}",
        why.answer
    );
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

#[tokio::test(start_paused = true)]
async fn a_final_edit_without_an_answer_whose_text_was_sent_anew_asks_for_no_look() {
    let host = Host::start().await;
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    loopback.platform().plan(CallFault {
        times: 99,
        ..CallFault::first(OpKind::EditText, CallFailure::LostAck)
    });
    let turn = host.say("telegram", "Hi", &"More words. ".repeat(200)).await;
    // The final edit is tried as often as it may be.
    tokio::time::sleep(Duration::from_mins(10)).await;
    let events = host.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
    let replaced = |event: &Event| match &event.kind {
        Kind::Ended { outcome, .. } => outcome.code == OutcomeCode::Unknown && outcome.replaced_by.is_some(),
        _ => false,
    };
    assert!(events.iter().any(replaced), "the final edit had no answer");
    // The live edit before it has nothing in its place.
    let expected = (1, vec![turn]);
    let turns: Vec<TurnSummary> = host.call("turns", json!({"limit": 1})).await;
    assert_eq!(turns[0].unknown_ops, 1);
    assert_eq!(unknown(&host).await, expected);
    let host = restarted(&host).await;
    assert_eq!(unknown(&host).await, expected);
}

#[tokio::test(start_paused = true)]
async fn what_is_sent_again_asks_for_no_look_in_this_process_and_the_next() {
    let host = Host::start().await;
    let loopback = host.backend.loopback(&"signal".into()).unwrap();
    let lost = CallFault::first(OpKind::SendText, CallFailure::LostAck);
    loopback.platform().plan(lost);
    let turn = host.say("signal", "Hi", "Perhaps").await;
    let book: Book = host
        .call("deliveries", json!({"channel": "signal", "limit": 10}))
        .await;
    let [BookLine { entry, .. }] = book.dead.as_slice() else {
        panic!("{:?}", book.dead);
    };
    let _again: SendResult = host.call("resend", json!({"turn": turn, "op": entry.op})).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(unknown(&host).await, (0, vec![]));
    let host = restarted(&host).await;
    assert_eq!(unknown(&host).await, (0, vec![]));
}

#[tokio::test(start_paused = true)]
async fn typing_without_an_answer_asks_for_no_look_in_this_process_and_the_next() {
    let host = Host::start().await;
    let turn = host.say("signal", "Hi", "Hello").await;
    let typing = Intent {
        kind: OpKind::Typing,
        channel: None,
        target: Target {
            chat: "c".into(),
            thread: None,
        },
        message: None,
        reply_to: None,
        body: None,
        emoji: None,
        emoji_sent: None,
        path: None,
        file_kind: None,
        cleanup: false,
        directive: None,
        part_of: None,
        block: None,
        flags: MessageFlags::default(),
        live: true,
    };
    let (op, outcome) = (OpId(900), Outcome::new(OutcomeCode::Unknown));
    let kinds = [
        Kind::Intended {
            op,
            intent: Box::new(typing),
        },
        Kind::Ended { op, outcome },
    ];
    let draft = |kind| Draft {
        at: Timestamp(1_800_000_100_000),
        turn: Some(TurnId(turn)),
        session: None,
        channel: Some("signal".into()),
        kind,
    };
    let typed = kinds.into_iter().map(draft).collect();
    host.backend.journal().append(typed).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(unknown(&host).await, (0, vec![]));
    let host = restarted(&host).await;
    assert_eq!(unknown(&host).await, (0, vec![]));
}
