//! Dead letters of one answer, which are sent again together.

use crate::{
    book::{book, fail_next},
    host::Host,
};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_wire::{
    Body, OpKind,
    rpc::{BookLine, LedgerEntry, SendResult, TurnDetail},
};
use serde_json::json;
use std::{num::NonZeroU32, time::Duration};

/// A host whose Signal channel sends an answer once it is complete: no part of it is a block, which would be sent again.
async fn host_without_blocks() -> Host {
    Host::start_with(|setup| {
        setup.demo = false;
        let signal = setup.config.channels.get_mut(&"signal".into());
        signal.unwrap().blocks.enabled = Some(false);
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn the_parts_of_a_text_that_were_held_with_a_dead_one_are_sent_again_with_it_in_order() {
    let can = foldback_channels::profile(platform::SIGNAL);
    let long = "word ".repeat(can.text_limit * 3 / 5).trim().to_owned();
    for clicked in 0..2 {
        let host = host_without_blocks().await;
        let loopback = host.backend.loopback(&"signal".into()).unwrap();
        loopback.platform().plan(CallFault {
            nth: 2,
            ..CallFault::first(OpKind::SendText, CallFailure::Forbidden)
        });
        let turn = host.say("signal", "Hi", &long).await;
        let dead = book(&host, Some("signal")).await;
        assert_eq!((dead.dead_total, dead.settled_total), (2, 1), "the third is held");
        assert!(dead.dead.iter().all(|letter| letter.can_resend));
        let args = json!({"turn": turn, "op": dead.dead[clicked].entry.op});
        let sent: SendResult = host.call("resend", args).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let detail: TurnDetail = host.call("turn", json!({"turn": sent.turn})).await;
        let texts = detail.deliveries.iter().filter(|d| d.op == OpKind::SendText);
        let texts: Vec<_> = texts.filter_map(|d| d.text.clone()).collect();
        assert_eq!(texts.len(), 2);
        let first: TurnDetail = host.call("turn", json!({ "turn": turn })).await;
        let sent_first = first
            .deliveries
            .iter()
            .find(|d| d.op == OpKind::SendText)
            .unwrap();
        let begin = sent_first.text.clone().unwrap();
        assert_eq!([begin, texts.join(" ")].join(" "), long);
        let after = book(&host, Some("signal")).await;
        assert_eq!((after.dead_total, after.done_total), (0, 2));
        for letter in &after.done {
            assert_eq!((letter.can_resend, letter.resent), (false, Some(sent.turn)));
            let args = json!({"turn": turn, "op": letter.entry.op});
            assert_eq!(host.failure("resend", args).await.0, "resent_already");
        }
    }
}

/// A block is a part of an answer that goes out before all of it is there.
#[tokio::test(start_paused = true)]
async fn a_block_that_went_out_again_with_the_rest_is_no_dead_letter() {
    let can = foldback_channels::profile(platform::SIGNAL);
    let long = "word ".repeat(can.text_limit * 3 / 5).trim().to_owned();
    let host = Host::start().await;
    let loopback = host.backend.loopback(&"signal".into()).unwrap();
    loopback
        .platform()
        .plan(CallFault::first(OpKind::SendText, CallFailure::Forbidden));
    let turn = host.say("signal", "Hi", &long).await;
    let after = book(&host, Some("signal")).await;
    assert_eq!((after.dead_total, after.done_total), (0, 1));
    let block = &after.done[0];
    assert_eq!((block.entry.intent.block, block.can_resend), (Some(0), false));
    let args = json!({"turn": turn, "op": block.entry.op});
    assert_eq!(host.failure("resend", args).await.0, "not_dead");
    let detail: TurnDetail = host.call("turn", json!({ "turn": turn })).await;
    let is_whole =
        |entry: &&LedgerEntry| entry.intent.kind == OpKind::SendText && entry.intent.block.is_none();
    let whole = detail.ledger.iter().filter(is_whole);
    let texts: Vec<_> = whole.filter_map(|entry| entry.text.clone()).collect();
    assert_eq!(texts.join(" "), long, "{texts:?}");
}

/// An answer of three assistant messages.
const THREE: &str = r#"
- agent:
    - {message: first}
    - "First."
    - {message: second}
    - "Second."
    - {message: third}
    - "Third."
"#;

/// The texts of a turn that reached its chat.
async fn texts_of(host: &Host, turn: u64) -> Vec<String> {
    let detail: TurnDetail = host.call("turn", json!({ "turn": turn })).await;
    let texts = detail.deliveries.iter().filter(|d| d.op == OpKind::SendText);
    texts.filter_map(|d| d.text.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn all_messages_of_an_answer_behind_a_dead_one_are_sent_again_with_it() {
    // Of the second answer the last message goes into a file.
    for (most, letters) in [(20, 3), (2, 4)] {
        let host = Host::start_with(|setup| {
            setup.demo = false;
            let path = setup.base.join("script.yaml");
            std::fs::write(&path, THREE).unwrap();
            setup.config.agent.script.file = Some(path);
            setup.config.output.max_messages = NonZeroU32::new(most).unwrap();
        })
        .await;
        fail_next(&host, "signal", OpKind::SendText);
        let args = json!({"channel": "signal", "user_text": "Hi"});
        let asked: SendResult = host.call("compose_send", args).await;
        tokio::time::sleep(Duration::from_secs(30)).await;
        let dead = book(&host, Some("signal")).await;
        assert_eq!((dead.dead_total, dead.settled_total), (letters, 0));
        let own = |line: &BookLine| matches!(line.entry.intent.body, Some(Body::Aside { .. }));
        for letter in dead.dead.iter().filter(|line| !own(line)) {
            assert!(letter.can_resend, "{letter:#?}");
        }
        let args = json!({"turn": asked.turn, "op": dead.dead[0].entry.op});
        let sent: SendResult = host.call("resend", args).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let turn = sent.turn.0;
        assert_eq!(texts_of(&host, turn).await, ["First.\n\nSecond.\n\nThird."]);
        let after = book(&host, Some("signal")).await;
        assert_eq!((after.dead_total, after.done_total), (0, letters));
    }
}

/// The file with the rest of an answer is held with its notice, and deleted; its text is in the journal.
#[tokio::test(start_paused = true)]
async fn the_rest_of_an_answer_whose_notice_was_refused_is_sent_again_as_text() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        let path = setup.base.join("script.yaml");
        std::fs::write(&path, THREE).unwrap();
        setup.config.agent.script.file = Some(path);
        setup.config.output.max_messages = NonZeroU32::new(1).unwrap();
    })
    .await;
    host.backend
        .loopback(&"signal".into())
        .unwrap()
        .platform()
        .plan(CallFault {
            nth: 2,
            ..CallFault::first(OpKind::SendText, CallFailure::Forbidden)
        });
    let args = json!({"channel": "signal", "user_text": "Hi"});
    let asked: SendResult = host.call("compose_send", args).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    let dead = book(&host, Some("signal")).await;
    assert_eq!((dead.dead_total, dead.dead[0].can_resend), (2, true));
    let args = json!({"turn": asked.turn, "op": dead.dead[0].entry.op});
    let sent: SendResult = host.call("resend", args).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(texts_of(&host, sent.turn.0).await, ["Second.\n\nThird."]);
}

/// The second message of a code block begins inside its fence.
#[tokio::test(start_paused = true)]
async fn a_fence_that_was_cut_is_opened_again() {
    let can = foldback_channels::profile(platform::SIGNAL);
    let code = "    let a = 1;\n".repeat(can.text_limit / 6);
    let host = host_without_blocks().await;
    let loopback = host.backend.loopback(&"signal".into()).unwrap();
    loopback.platform().plan(CallFault {
        nth: 2,
        ..CallFault::first(OpKind::SendText, CallFailure::Forbidden)
    });
    let turn = host
        .say("signal", "Hi", &format!("```rust\n{code}```\nDone."))
        .await;
    let dead = book(&host, Some("signal")).await;
    let args = json!({"turn": turn, "op": dead.dead[0].entry.op});
    let sent: SendResult = host.call("resend", args).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let texts = texts_of(&host, sent.turn.0).await;
    assert!(texts[0].starts_with("```rust\n    let a = 1;"), "{}", texts[0]);
    assert!(texts.last().unwrap().ends_with("```\nDone."), "{texts:?}");
}
