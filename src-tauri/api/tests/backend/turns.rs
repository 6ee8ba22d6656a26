//! Turns of the demonstration: lists, details, moments, why.

use crate::host::Host;
use foldback_wire::{
    HoldReason,
    rpc::{BubblePart, Moment, MomentMessage, TurnDetail, TurnSummary, Why},
};
use serde_json::{Value, json};

#[tokio::test(start_paused = true)]
async fn the_first_start_shows_a_conversation_on_every_channel() {
    let host = Host::after_demo().await;
    let turns: Vec<TurnSummary> = host.call("turns", json!({"before": null, "limit": 500})).await;
    assert!(turns.len() >= 8, "{} turns", turns.len());
    assert!(
        turns.is_sorted_by_key(|t| std::cmp::Reverse(t.turn)),
        "newest first"
    );
    for channel in ["telegram", "discord", "slack", "whatsapp", "signal"] {
        assert!(
            turns
                .iter()
                .any(|t| t.channel.as_ref().is_some_and(|c| c.as_str() == channel)),
            "{channel}"
        );
    }
    assert!(turns.iter().all(|t| t.terminal.is_some()), "{turns:#?}");
    assert!(turns.iter().any(|t| t.directives > 0));
    let older: Vec<TurnSummary> = host
        .call("turns", json!({"before": turns[2].turn, "limit": 2}))
        .await;
    assert_eq!(older, turns[3..5]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_folded_as_replay_folds_it() {
    let host = Host::after_demo().await;
    let turns: Vec<TurnSummary> = host.call("turns", json!({"before": null, "limit": 500})).await;
    for summary in turns {
        let detail: TurnDetail = host.call("turn", json!({"turn": summary.turn})).await;
        assert_eq!(detail.summary, summary);
        let events = host.backend.journal().turn(summary.turn).await.unwrap();
        let folded = foldback_replay::fold(&events, detail.summary.channel.as_ref().unwrap());
        assert_eq!(detail.deliveries, folded.deliveries);
        for message in &detail.messages {
            // Every byte is decided, and the chunks are the raw text.
            assert_eq!(
                message.ranges.iter().map(|r| r.span.len()).sum::<usize>(),
                message.raw.len()
            );
            assert_eq!(message.chunks.last().map_or(0, |c| c.span.end), message.raw.len());
            assert!(
                message.holds.iter().all(|h| h.until_ms.is_some()),
                "{:#?}",
                message.holds
            );
        }
        assert!(detail.ledger.iter().all(|entry| entry.outcome.is_some()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_message_of_an_earlier_turn_quotes_its_words() {
    let host = Host::start().await;
    let asked = host.say("telegram", "How full is the disk?", "I look.").await;
    let detail: TurnDetail = host.call("turn", json!({"turn": asked})).await;
    let id = detail.inbound.message;
    let output = format!("[[reply_to:{id}]]\nIt is half full.");
    let turn = host.say("telegram", "And?", &output).await;
    let at = json!({"turn": turn, "seq": u64::MAX >> 12, "byte": null});
    let moment: Moment = host.call("turn_at", at).await;
    let bubbles = moment.seen.bubbles.into_iter();
    let quotes: Vec<_> = bubbles
        .filter(|bubble| bubble.from_bot)
        .map(|b| b.quote)
        .collect();
    assert_eq!(quotes, [Some("How full is the disk?".to_owned())]);
}

/// The demonstration's first turn: a reaction before the text.
async fn first(host: &Host) -> TurnDetail {
    host.call("turn", json!({"turn": 1})).await
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_scrubbed_from_nothing_to_the_answer() {
    let host = Host::after_demo().await;
    let detail = first(&host).await;
    let at = async |seq: u64| -> Moment {
        host.call("turn_at", json!({"turn": 1, "seq": seq, "byte": null}))
            .await
    };
    let start = at(detail.decisions[0].seq).await;
    assert_eq!((start.messages.len(), start.seen.bubbles.len()), (0, 1));
    let held = at(detail.messages[0].holds[0].seq).await;
    assert!(held.messages[0].hold.is_some());
    assert_eq!(
        held.seen.bubbles.len(),
        1,
        "nothing flashes while the block is open"
    );
    let end = at(detail.head).await;
    assert_eq!(end.seen.bubbles[0].reactions[0].emoji, "🎉");
    let BubblePart::Text { text, .. } = &end.seen.bubbles[1].part else {
        panic!("{:?}", end.seen)
    };
    assert_eq!(*text, detail.messages[0].clean);
}

#[tokio::test(start_paused = true)]
async fn stepping_by_byte_agrees_with_the_journal_at_every_chunk() {
    let host = Host::after_demo().await;
    let secrets = "Use sk-learn, I say. The key is sk-abcdefghijklmnopqrstuvwxyz0123456789 <react emoji=\"eyes\"/> \
         and the password: hunter2345678 for https://example.org/a, or https://ada:lovelace@example.org/b.";
    let last = host.say("telegram", "What is it?", secrets).await;
    let (mut compared, mut waiting) = (0, 0);
    for turn in (1..=8).chain([last]) {
        let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
        for message in &detail.messages {
            let number = message.message;
            for (chunk, next) in message.chunks.iter().zip(message.chunks.iter().skip(1)) {
                // The last event before the next chunk: all of this chunk is decided.
                let seq = next.seq - 1;
                let journalled: Moment = host
                    .call("turn_at", json!({"turn": turn, "seq": seq, "byte": null}))
                    .await;
                compared += 1;
                // What may begin a secret is told later, but that it came is told at once.
                let waits = |m: &MomentMessage| {
                    m.hold
                        .as_ref()
                        .is_some_and(|h| h.reason == HoldReason::RedactionWindow)
                };
                waiting += usize::from(journalled.messages.iter().any(waits));
                let byte = json!([number, chunk.span.end]);
                let read: Moment = host
                    .call("turn_at", json!({"turn": turn, "seq": seq, "byte": byte}))
                    .await;
                assert_eq!(
                    read.messages, journalled.messages,
                    "turn {turn}, byte {}",
                    chunk.span.end
                );
                assert_eq!(read.directives, journalled.directives);
            }
        }
    }
    assert!(compared >= 24 && waiting >= 4, "{compared}, {waiting}");
}

#[tokio::test(start_paused = true)]
async fn why_is_asked_by_turn_and_by_message() {
    let host = Host::after_demo().await;
    let by_turn: Why = host.call("why", json!({"about": "#1"})).await;
    assert!(
        by_turn.answer.starts_with("Answered on telegram"),
        "{}",
        by_turn.answer
    );
    let by_inbound: Why = host.call("why", json!({"about": "501"})).await;
    assert_eq!(by_inbound, by_turn);
    let detail = first(&host).await;
    let sent = detail
        .deliveries
        .iter()
        .find(|d| d.op.code() == "send_text")
        .unwrap();
    let by_answer: Why = host.call("why", json!({"about": sent.message})).await;
    assert_eq!(by_answer, by_turn);
    assert_eq!(
        host.failure("why", json!({"about": "no-such"})).await,
        (
            "not_found".into(),
            "Neither a turn nor a message is called `no-such`.".into(),
            Some("Ask with a turn's number, such as #12, or a platform's message id.".into())
        )
    );
}

#[tokio::test(start_paused = true)]
async fn why_names_the_gate_for_a_message_without_an_answer() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.channels.get_mut(&"slack".into()).unwrap().allow_from = vec![];
    })
    .await;
    let turn = host.say("slack", "Anybody there?", "Yes.").await;
    let why: Why = host.call("why", json!({"about": turn.to_string()})).await;
    assert!(
        why.answer
            .ends_with(" may not write here: channels.slack.allow_from is empty."),
        "{}",
        why.answer
    );
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_does_not_exist_is_said() {
    let host = Host::start().await;
    let missing = ("not_found".to_owned(), "There is no turn 9.".to_owned(), None);
    assert_eq!(host.failure("turn", json!({"turn": 9})).await, missing);
    assert_eq!(
        host.failure("turn_at", json!({"turn": 9, "seq": 1, "byte": null}))
            .await,
        missing
    );
    let none: Vec<Value> = host.call("turns", json!({"before": null, "limit": 10})).await;
    assert_eq!(none.len(), 0);
    assert_eq!(
        host.failure("event", json!({"seq": 9_999})).await.1,
        "There is no event 9999."
    );
}
