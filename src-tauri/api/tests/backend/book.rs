//! The delivery ledger of a channel, and dead letters.

use crate::host::Host;
use foldback_channels::sim::{Author, CallFailure, CallFault, Content, Message, Record};
use foldback_wire::{
    OpKind, OutcomeCode, Receipt, Timestamp,
    rpc::{Book, SendResult, Status, TurnDetail, Why},
};
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) async fn book(host: &Host, channel: Option<&str>) -> Book {
    host.call("deliveries", json!({ "channel": channel, "limit": 100 }))
        .await
}

/// The next operation of a kind fails on a simulated platform, for good.
pub(crate) fn fail_next(host: &Host, channel: &str, op: OpKind) {
    let loopback = host.backend.loopback(&channel.into()).unwrap();
    loopback
        .platform()
        .plan(CallFault::first(op, CallFailure::Forbidden));
}

#[tokio::test(start_paused = true)]
async fn every_count_equals_the_rows_of_its_filter() {
    let host = Host::after_demo().await;
    fail_next(&host, "discord", OpKind::Delete);
    let turn = host.say("slack", "Hi", "Please arrive").await;
    host.lose(turn).await;
    for channel in [None, Some("telegram"), Some("slack")] {
        let book = book(&host, channel).await;
        assert_eq!(
            u64::from(book.settled_total),
            host.rows(&book.settled_filter).await,
            "{}",
            book.settled_filter
        );
        assert_eq!(
            u64::from(book.dead_total + book.done_total),
            host.rows(&book.dead_filter).await,
            "{}",
            book.dead_filter
        );
        assert!(book.settled_total > 2 && book.settled.len() <= 100);
        let times: Vec<_> = book
            .settled
            .iter()
            .map(|line| line.entry.outcome_seq.unwrap())
            .collect();
        assert!(times.is_sorted_by(|a, b| a > b), "the latest first");
        assert!(channel.is_none_or(|c| book.settled.iter().all(|line| line.channel.as_str() == c)));
    }
    assert_eq!(
        host.failure("deliveries", json!({"channel": "fax", "limit": 9}))
            .await
            .0,
        "not_found"
    );
}

#[tokio::test(start_paused = true)]
async fn what_has_no_outcome_yet_is_unmatched() {
    let host = Host::start().await;
    host.call::<Status>("mute", json!({"muted": true})).await;
    host.say("signal", "Hi", "Hello").await;
    let muted = book(&host, Some("signal")).await;
    assert_eq!(
        (muted.open_total, muted.dead_total, muted.settled_total),
        (1, 0, 0)
    );
    assert_eq!(muted.open[0].entry.text.as_deref(), Some("Hello"));
    assert!(muted.open[0].entry.waiting.is_some() && !muted.open[0].can_resend);
    assert_eq!(book(&host, Some("slack")).await.open_total, 0);
    host.call::<Status>("mute", json!({"muted": false})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let after = book(&host, Some("signal")).await;
    assert_eq!((after.open_total, after.settled_total), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_dead_letter_is_sent_again_once_and_by_a_person_only() {
    let host = Host::start().await;
    fail_next(&host, "telegram", OpKind::SendText);
    let turn = host.say("telegram", "Hi", "Please & **arrive**").await;
    let dead = book(&host, Some("telegram")).await;
    assert_eq!((dead.dead_total, dead.settled_total), (1, 0));
    let letter = &dead.dead[0];
    assert_eq!(letter.entry.outcome.as_ref().unwrap().code, OutcomeCode::Failed);
    assert!(letter.can_resend && letter.resent.is_none());
    // Time alone sends nothing.
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(book(&host, Some("telegram")).await.settled_total, 0);

    let args = json!({"turn": turn, "op": letter.entry.op});
    let sent: SendResult = host.call("resend", args.clone()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let detail: TurnDetail = host.call("turn", json!({"turn": sent.turn})).await;
    let delivered: Vec<_> = detail
        .deliveries
        .iter()
        .filter(|d| d.op == OpKind::SendText)
        .collect();
    assert_eq!(delivered.len(), 1);
    assert_eq!(delivered[0].text.as_deref(), Some("Please & **arrive**"));
    assert_eq!(delivered[0].outcome, OutcomeCode::Sent);
    assert_eq!(
        detail.inbound.chat.as_str(),
        "compose",
        "where it was to go at first"
    );
    assert!(
        detail.inbound.text.contains("sent again by a person"),
        "the journal says so"
    );

    let after = book(&host, Some("telegram")).await;
    assert_eq!(
        (after.dead_total, after.done_total),
        (0, 1),
        "nothing is left to do"
    );
    assert_eq!(
        (after.done[0].can_resend, after.done[0].resent),
        (false, Some(sent.turn))
    );
    let (code, message, _) = host.failure("resend", args).await;
    assert_eq!(code, "resent_already", "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_live_frame_whose_whole_text_went_out_is_done() {
    let host = Host::start().await;
    fail_next(&host, "telegram", OpKind::SendText);
    let turn = host.say("telegram", "Hi", &"More words. ".repeat(200)).await;
    let detail: TurnDetail = host.call("turn", json!({ "turn": turn })).await;
    assert!(
        detail
            .ledger
            .iter()
            .any(|entry| entry.intent.live && entry.outcome.as_ref().unwrap().code == OutcomeCode::Failed)
    );
    let book = book(&host, Some("telegram")).await;
    assert_eq!((book.dead_total, book.done_total), (0, 1));
    assert_eq!((book.done[0].can_resend, book.done[0].resent), (false, None));
    assert_eq!(host.rows(&book.dead_filter).await, 1);
}

#[tokio::test(start_paused = true)]
async fn what_was_done_in_another_way_is_no_dead_letter() {
    let host = Host::start().await;
    let loopback = host.backend.loopback(&"signal".into()).unwrap();
    let gone = CallFault::first(OpKind::SendText, CallFailure::Gone);
    loopback.platform().plan(gone);
    let turn = host.say("signal", "Hi", "[[reply_to_current]]Hello.").await;
    let book = book(&host, Some("signal")).await;
    assert_eq!((book.open_total, book.dead_total, book.settled_total), (0, 0, 1));
    assert_eq!(host.rows(&book.dead_filter).await, 0);
    assert_eq!(host.rows(&book.settled_filter).await, 1);
    let turns: Value = host.call("turns", json!({"limit": 10})).await;
    assert_eq!(turns[0]["failed_ops"], 0);
    let detail: TurnDetail = host.call("turn", json!({"turn": turn})).await;
    let texts: Vec<_> = detail
        .ledger
        .iter()
        .filter(|entry| entry.intent.kind == OpKind::SendText)
        .collect();
    assert_eq!(texts.len(), 2, "the turn shows both");
    let refused = texts[0].outcome.as_ref().unwrap();
    assert_eq!(refused.replaced_by, Some(texts[1].op));
    let (code, message, _) = host
        .failure("resend", json!({"turn": turn, "op": texts[0].op}))
        .await;
    assert_eq!(code, "not_dead", "{message}");
}

#[tokio::test(start_paused = true)]
async fn what_did_not_arrive_after_all_is_a_dead_letter() {
    let host = Host::start().await;
    let turn = host.say("telegram", "Hi", "Please arrive").await;
    let before = book(&host, Some("telegram")).await;
    assert_eq!((before.dead_total, before.settled_total), (0, 1));
    // It stands in the list of turns as one that went well.
    let turns: Value = host.call("turns", json!({"limit": 10})).await;
    assert_eq!(turns[0]["failed_ops"], 0);
    host.lose(turn).await;
    let turns: Value = host.call("turns", json!({"limit": 10})).await;
    assert_eq!(turns[0]["failed_ops"], 1);

    let after = book(&host, Some("telegram")).await;
    // That the platform acknowledged it stays true and counted; it is listed once, where a person can act on it.
    assert_eq!((after.dead_total, after.settled_total), (1, 1));
    assert_eq!((after.dead.len(), after.settled.len()), (1, 0));
    assert_eq!(host.rows(&after.dead_filter).await, 1);
    assert_eq!(host.rows(&after.settled_filter).await, 1);
    let letter = &after.dead[0];
    assert!(letter.can_resend);
    let detail = letter.entry.outcome.as_ref().unwrap().detail.clone().unwrap();
    assert!(detail.contains("the window is closed"), "{detail}");
    let sent: SendResult = host
        .call("resend", json!({"turn": turn, "op": letter.entry.op}))
        .await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let again = book(&host, Some("telegram")).await;
    assert_eq!(again.done[0].resent, Some(sent.turn));
    assert_eq!(
        (again.dead_total, again.done_total, again.settled_total),
        (0, 1, 2)
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_read_stays_settled_and_says_so() {
    let host = Host::start().await;
    let turn = host.say("telegram", "Hi", "Please arrive").await;
    for receipt in [Receipt::Delivered, Receipt::Read] {
        host.reach(turn, receipt).await;
        let book = book(&host, Some("telegram")).await;
        assert_eq!((book.dead_total, book.settled_total), (0, 1));
        assert_eq!(host.rows(&book.settled_filter).await, 1);
        let reached = book.settled[0].entry.reached.unwrap();
        assert_eq!((reached.receipt, reached.at), (receipt, Timestamp(5)));
    }
    assert_eq!(host.rows("channel:telegram kind:receipt").await, 2);
    assert_eq!(host.rows("kind:receipt read").await, 1);
    let why: Why = host.call("why", json!({"about": format!("#{turn}")})).await;
    let last = why.steps.last().unwrap();
    assert_eq!((last.no, last.text.as_str()), (false, "the message was read"));
}

#[tokio::test(start_paused = true)]
async fn what_arrived_or_cannot_be_written_is_not_sent_again() {
    let host = Host::start().await;
    let turn = host.say("telegram", "Hi", "Fine").await;
    let detail: TurnDetail = host.call("turn", json!({ "turn": turn })).await;
    let op = detail
        .ledger
        .iter()
        .find(|e| e.intent.kind == OpKind::SendText)
        .unwrap()
        .op;
    assert_eq!(
        host.failure("resend", json!({"turn": turn, "op": op})).await.0,
        "not_dead"
    );
    assert_eq!(
        host.failure("resend", json!({"turn": 999, "op": op})).await.0,
        "not_found"
    );
}

#[tokio::test(start_paused = true)]
async fn a_reaction_is_sent_again_as_what_it_is() {
    let host = Host::start().await;
    fail_next(&host, "discord", OpKind::React);
    let turn = host
        .say("discord", "Hi", "<actions><react emoji=\"tada\" /></actions>Hi")
        .await;
    let dead = book(&host, Some("discord")).await;
    let letter = dead
        .dead
        .iter()
        .find(|line| line.entry.intent.kind == OpKind::React)
        .unwrap();
    let sent: Value = host
        .call("resend", json!({"turn": turn, "op": letter.entry.op}))
        .await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let detail: TurnDetail = host.call("turn", json!({"turn": sent["turn"]})).await;
    let delivered: Vec<_> = detail
        .deliveries
        .iter()
        .map(|d| (d.op, d.emoji.as_deref(), d.outcome))
        .collect();
    assert!(
        delivered.contains(&(OpKind::React, Some("🎉"), OutcomeCode::Sent)),
        "{delivered:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_dead_letter_to_another_channel_is_listed_there_and_sent_again_there() {
    let host = Host::start_with(|setup| {
        setup.demo = false;
        setup.config.output.allow_targets = vec!["slack:team".to_owned()];
    })
    .await;
    fail_next(&host, "slack", OpKind::SendText);
    let turn = host
        .say(
            "telegram",
            "Hi",
            "<actions><send-message channel=\"slack\" chat=\"team\">Psst</send-message></actions>Hi",
        )
        .await;
    assert_eq!(book(&host, Some("telegram")).await.dead_total, 0);
    let dead = book(&host, Some("slack")).await;
    assert_eq!((dead.dead_total, dead.settled_total), (1, 0));
    assert_eq!(u64::from(dead.dead_total), host.rows(&dead.dead_filter).await);
    let letter = &dead.dead[0];
    assert_eq!(letter.channel.as_str(), "slack");
    assert!(letter.can_resend);

    let args = json!({"turn": turn, "op": letter.entry.op});
    let sent: SendResult = host.call("resend", args.clone()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let detail: TurnDetail = host.call("turn", json!({"turn": sent.turn})).await;
    assert_eq!(
        (detail.inbound.channel.as_str(), detail.inbound.chat.as_str()),
        ("slack", "team"),
        "by the account that it was to come from"
    );
    let after = book(&host, Some("slack")).await;
    assert_eq!((after.done[0].resent, after.settled_total), (Some(sent.turn), 1));
    assert_eq!(host.failure("resend", args).await.0, "resent_already");
}

/// The texts of the bot that stand in its chat on Telegram.
fn screen(host: &Host) -> Vec<String> {
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    let platform = loopback.platform();
    let chat = platform.chat(&"compose".into()).unwrap();
    let shown = chat
        .messages()
        .filter(|m| m.author == Author::Bot && m.deleted.is_none());
    let text = |message: &Message| match &message.content {
        Content::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    shown.map(text).collect()
}

/// A failure of this call of a kind on Telegram, and of so many behind it.
fn fail(host: &Host, op: OpKind, nth: u32, times: u32, failure: CallFailure) {
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    loopback.platform().plan(CallFault {
        nth,
        times,
        ..CallFault::first(op, failure)
    });
}

/// Half a message stands in the chat: neither its final edit nor the new message in its place is taken. Answers the
/// whole text, and what sends the dead letter again.
async fn half_a_message(host: &Host) -> (String, Value) {
    let whole = "More words. ".repeat(200).trim().to_owned();
    fail(host, OpKind::EditText, 1, 2, CallFailure::Forbidden);
    fail(host, OpKind::SendText, 2, 1, CallFailure::Forbidden);
    let turn = host.say("telegram", "Hi", &whole).await;
    let half = screen(host);
    assert!(half.len() == 1 && half[0] != whole, "{half:?}");
    let lost = book(host, Some("telegram")).await.dead;
    let letter = lost.iter().find(|line| line.can_resend).unwrap();
    (whole, json!({"turn": turn, "op": letter.entry.op}))
}

#[tokio::test(start_paused = true)]
async fn a_dead_letter_that_was_to_edit_a_message_is_written_into_it_again() {
    let host = Host::start().await;
    let (whole, args) = half_a_message(&host).await;
    let _: SendResult = host.call("resend", args).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(screen(&host), [whole], "in the place of the half message");
    let loopback = host.backend.loopback(&"telegram".into()).unwrap();
    let platform = loopback.platform();
    let sent = |record: &&Record| record.applied && record.call.operation.kind() == OpKind::SendText;
    assert_eq!(platform.log().filter(sent).count(), 1, "the half message alone");
}

#[tokio::test(start_paused = true)]
async fn a_dead_letter_whose_message_is_gone_is_a_new_message_and_the_journal_says_so() {
    let host = Host::start().await;
    let (whole, args) = half_a_message(&host).await;
    fail(&host, OpKind::EditText, 1, 99, CallFailure::Gone);
    let sent: SendResult = host.call("resend", args).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(screen(&host).last(), Some(&whole));
    let filter = format!("turn:{} kind:warned \"the text is sent anew\"", sent.turn);
    assert_eq!(host.rows(&filter).await, 1);
}
