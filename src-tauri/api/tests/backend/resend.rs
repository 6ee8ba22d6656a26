//! Dead letters whose turn waits in the queue when the process ends.

use crate::host::Host;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Draft, Event, OpKind, Seq, Terminal, TurnId,
    rpc::{Book, Sent, TurnDetail},
};
use serde_json::json;
use std::{future::Future, sync::Arc, time::Duration};

/// An agent that never answers whoever asks it to hang, and invents something for everybody else.
const SCRIPT: &str = "- when: { contains: hang }\n  agent:\n    - stall_ms: 100000000\n\
    - agent:\n    - An invented answer.\n";
const LOST: &str = "Please & **arrive**";

/// One process over this journal.
async fn start(journal: &Arc<MemoryJournal>) -> Host {
    Host::start_with(|setup| {
        setup.demo = false;
        setup.journal = Some(Arc::clone(journal) as Arc<dyn Journal>);
        let file = setup.base.join("agent.yaml");
        std::fs::write(&file, SCRIPT).unwrap();
        setup.config.agent.script.file = Some(file);
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

/// A process that is killed while a text that a person sends again waits behind another run. Answers the
/// turn that lost the text, and the one that waits.
fn killed_with_a_resend_in_the_queue(journal: &Arc<MemoryJournal>) -> (u64, u64) {
    life(async {
        let host = start(journal).await;
        let loopback = host.backend.loopback(&"telegram".into()).unwrap();
        let refused = CallFault::first(OpKind::SendText, CallFailure::Forbidden);
        loopback.platform().plan(refused);
        let lost = host.say("telegram", "Hi", LOST).await;
        let book: Book = host
            .call("deliveries", json!({"channel": "telegram", "limit": 9}))
            .await;
        let hang = json!({"channel": "telegram", "user_text": "hang"});
        let _: Sent = host.call("compose_send", hang).await;
        let again = json!({"turn": lost, "op": book.dead[0].entry.op});
        let sent: Sent = host.call("resend", again).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
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
