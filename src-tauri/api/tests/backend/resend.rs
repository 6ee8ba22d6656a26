//! Dead letters whose turn waits in the queue when the process ends.

use crate::host::Host;
use foldback_api::Setup;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Draft, Event, OpKind, Operation, Seq, Terminal, TurnId,
    rpc::{Book, SendResult, TurnDetail},
};
use serde_json::{Value, json};
use std::{future::Future, sync::Arc, time::Duration};

/// An agent that never answers whoever asks it to hang, and invents something for everybody else.
const SCRIPT: &str = "- when: { contains: hang }\n  agent:\n    - stall_ms: 100000000\n\
    - agent:\n    - An invented answer.\n";
const LOST: &str = "Please & **arrive**";

/// One process over this journal.
async fn start(journal: &Arc<MemoryJournal>) -> Host {
    start_with(journal, |_| ()).await
}

async fn start_with(journal: &Arc<MemoryJournal>, change: impl FnOnce(&mut Setup)) -> Host {
    Host::start_with(|setup| {
        setup.demo = false;
        setup.journal = Some(Arc::clone(journal) as Arc<dyn Journal>);
        let file = setup.base.join("agent.yaml");
        std::fs::write(&file, SCRIPT).unwrap();
        setup.config.agent.script.file = Some(file);
        change(setup);
    })
    .await
}

/// Runs a process until it is killed: its tasks end wherever they are.
fn life<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(work)
}

/// Loses a text; answers what asks for it again.
async fn lose(host: &Host) -> Value {
    lose_text(host, LOST, 1).await
}

async fn lose_text(host: &Host, text: &str, times: u32) -> Value {
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    loopback.platform().plan(CallFault {
        times,
        ..CallFault::first(OpKind::SendText, CallFailure::Forbidden)
    });
    let lost = host.say("telegram", "Hi", text).await;
    json!({"turn": lost, "op": book(host).await.dead[0].entry.op})
}

async fn book(host: &Host) -> Book {
    host.call("deliveries", json!({"channel": "telegram", "limit": 9}))
        .await
}

/// Sends a letter again behind a run that does not end.
async fn wait_behind_a_run(host: &Host, letter: &Value) -> SendResult {
    let hang = json!({"channel": "telegram", "user_text": "hang"});
    let _: SendResult = host.call("compose_send", hang).await;
    let sent = host.call("resend", letter.clone()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    sent
}

/// The letter is not sent again yet, and a person can do that: it arrives.
async fn arrives_when_sent_again(host: &Host, letter: &Value) {
    let before = book(host).await;
    assert_eq!((before.dead_total, before.done_total), (1, 0));
    assert!(before.dead[0].can_resend && before.dead[0].resent.is_none());
    let sent: SendResult = host.call("resend", letter.clone()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let detail: TurnDetail = host.call("turn", json!({"turn": sent.turn})).await;
    assert_eq!(texts(&detail), [LOST]);
    let after = book(host).await;
    assert_eq!((after.dead_total, after.done_total), (0, 1));
    assert_eq!(after.done[0].resent, Some(sent.turn));
    assert_eq!(host.failure("resend", letter.clone()).await.0, "resent_already");
}

#[tokio::test(start_paused = true)]
async fn a_letter_keeps_its_flags_when_it_is_sent_again() {
    let host = start(&Arc::new(MemoryJournal::new())).await;
    // A live frame and the text itself.
    let letter = lose_text(&host, "[[silent:true]]Please arrive", 2).await;
    let _: SendResult = host.call("resend", letter).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    let platform = loopback.platform();
    let is_silent = |operation: &Operation| match operation {
        Operation::SendText { flags, .. } => Some(flags.silent),
        _ => None,
    };
    let calls = platform.log().map(|record| is_silent(&record.call.operation));
    assert_eq!(calls.flatten().collect::<Vec<_>>(), [true; 3]);
}

/// A process that is killed while a text that a person sends again waits behind another run. Answers the
/// turn that lost the text, and the one that waits.
fn killed_with_a_resend_in_the_queue(journal: &Arc<MemoryJournal>) -> (u64, u64) {
    life(async {
        let host = start(journal).await;
        let letter = lose(&host).await;
        let lost = letter["turn"].as_u64().unwrap();
        let sent = wait_behind_a_run(&host, &letter).await;
        let detail: TurnDetail = host.call("turn", json!({"turn": sent.turn})).await;
        assert!(
            detail.prompt.is_none() && detail.summary.terminal.is_none(),
            "it waits"
        );
        (lost, sent.turn.0)
    })
}

/// The journal without a turn.
fn pruned(journal: &Arc<MemoryJournal>, lost: u64) -> Arc<MemoryJournal> {
    let rest = MemoryJournal::new();
    life(async {
        let events = journal.read(Seq(1), usize::MAX).await.unwrap();
        let kept = events
            .into_iter()
            .filter(|event| event.turn != Some(TurnId(lost)));
        let draft = |event: Event| Draft {
            at: event.at,
            turn: event.turn,
            session: event.session,
            channel: event.channel,
            kind: event.kind,
        };
        rest.append(kept.map(draft).collect()).unwrap();
    });
    Arc::new(rest)
}

/// The turn at the end of the next process.
fn resumed(journal: &Arc<MemoryJournal>, turn: u64) -> TurnDetail {
    life(async {
        let host = start(journal).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        host.call("turn", json!({ "turn": turn })).await
    })
}

fn texts(detail: &TurnDetail) -> Vec<&str> {
    let texts = detail.deliveries.iter().filter(|d| d.op == OpKind::SendText);
    texts.filter_map(|d| d.text.as_deref()).collect()
}

#[test]
fn a_dead_letter_that_waits_over_a_restart_is_still_what_is_sent_again() {
    let journal = Arc::new(MemoryJournal::new());
    let (_, turn) = killed_with_a_resend_in_the_queue(&journal);
    let detail = resumed(&journal, turn);
    assert_eq!(texts(&detail), [LOST]);
    assert!(matches!(detail.summary.terminal, Some(Terminal::Replied)));
    assert_eq!(detail.agent.as_deref(), Some("typed"), "the agent was not asked");
}

#[test]
fn a_dead_letter_that_was_pruned_before_it_was_sent_again_fails_instead_of_asking_the_agent() {
    let journal = Arc::new(MemoryJournal::new());
    let (lost, turn) = killed_with_a_resend_in_the_queue(&journal);
    let detail = resumed(&pruned(&journal, lost), turn);
    let Some(Terminal::Failed { detail: why }) = &detail.summary.terminal else {
        panic!("{:?}", detail.summary.terminal);
    };
    assert!(why.contains("is not in the journal any more"), "{why}");
    assert!(
        !texts(&detail).concat().contains("invented"),
        "{:?}",
        texts(&detail)
    );
}

#[test]
fn a_resend_that_a_gate_stopped_does_not_count_and_can_be_made_again() {
    let journal = Arc::new(MemoryJournal::new());
    let letter = life(async { lose(&start(&journal).await).await });
    for _ in 0..2 {
        life(async {
            let host = start_with(&journal, |setup| {
                let channel = setup.config.channels.get_mut(&"telegram".into());
                channel.unwrap().allow_from = vec![];
            })
            .await;
            let sent: SendResult = host.call("resend", letter.clone()).await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            let detail: TurnDetail = host.call("turn", json!({"turn": sent.turn})).await;
            let Some(Terminal::Blocked { .. }) = &detail.summary.terminal else {
                panic!("{:?}", detail.summary.terminal);
            };
        });
    }
    life(async { arrives_when_sent_again(&start(&journal).await, &letter).await });
}

#[test]
fn a_resend_that_a_person_drops_in_the_queue_does_not_count_and_can_be_made_again() {
    let journal = Arc::new(MemoryJournal::new());
    life(async {
        let host = start(&journal).await;
        let letter = lose(&host).await;
        let sent = wait_behind_a_run(&host, &letter).await;
        let waits = book(&host).await;
        assert_eq!((waits.dead_total, waits.done_total), (1, 0), "it waits");
        assert_eq!(
            (waits.dead[0].can_resend, waits.dead[0].resend_waits),
            (false, Some(sent.turn))
        );
        let (code, message, _) = host.failure("resend", letter.clone()).await;
        assert_eq!(code, "resent_already", "{message}");
        let detail: TurnDetail = host.call("turn", json!({"turn": sent.turn})).await;
        let which = json!({"session": detail.summary.session});
        let _: Value = host.call("session_drop", which.clone()).await;
        let _: Value = host.call("session_cancel", which).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        arrives_when_sent_again(&host, &letter).await;
    });
}

#[test]
fn a_long_dead_letter_is_out_of_the_agent_at_once_so_that_no_restart_cuts_it_off() {
    let journal = Arc::new(MemoryJournal::new());
    let long = "Please arrive. ".repeat(12);
    // Its live frames are refused as well.
    let letter = life(async { lose_text(&start(&journal).await, long.trim(), 99).await });
    let sent = life(async {
        let host = start(&journal).await;
        let sent: SendResult = host.call("resend", letter).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        sent
    });
    let detail = resumed(&journal, sent.turn.0);
    assert_eq!(texts(&detail).concat(), long.trim());
    assert!(matches!(detail.summary.terminal, Some(Terminal::Replied)));
}
