//! Planned faults in whole turns.

use crate::bot::{Bot, later, text};
use foldback_wire::{Actor, CallFailure, CallFault, Kind, OpKind, OutcomeCode, Platform};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_fault_of_typing_that_outlasts_the_turn_has_its_mark_and_its_end() {
    let bot = Bot::start().await;
    let channel = bot.engine.channels().channel(&"telegram".into()).unwrap();
    let slow = CallFault {
        fail: None,
        latency_ms: 3_000,
        ..CallFault::first(OpKind::Typing, CallFailure::Gone)
    };
    channel.plan(1, slow, Actor::Console);
    bot.says([text("Short.")]);
    bot.turn(Platform::Telegram, "hi").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(channel.faults()[0].hit, 1);
    let kinds = bot.kinds().await;
    let mark = kinds.iter().find_map(|kind| match kind {
        Kind::Faulted { op: Some(op), .. } => Some(*op),
        _ => None,
    });
    let op = mark.expect("what was hit is marked");
    let end = kinds.iter().find_map(|kind| match kind {
        Kind::Ended { op: ended, outcome } if *ended == op => Some(outcome.code),
        _ => None,
    });
    assert_eq!(end, Some(OutcomeCode::Cancelled));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_a_planned_limit_asks_nobody() {
    let bot = Bot::start().await;
    let id = "telegram".into();
    let channel = bot.engine.channels().channel(&id).unwrap();
    let limited = CallFault {
        times: 3,
        retry_after_ms: Some(300_000),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    channel.plan(1, limited, Actor::Console);
    bot.says([later(10, "Late.")]);
    let turn = bot.user(Platform::Telegram, "hi").await;
    tokio::time::sleep(Duration::from_mins(11)).await;
    assert!(bot.engine.asking(&id).is_empty(), "it was never held");
    drop(turn);
    bot.says([text("Held.")]);
    assert!(channel.switch_off(Actor::Console, "for a while").await);
    let held = bot.user(Platform::Telegram, "and now?").await;
    tokio::time::sleep(Duration::from_mins(11)).await;
    assert!(
        !bot.engine.asking(&id).is_empty(),
        "older than ten minutes, and held"
    );
    bot.engine.release_held(&id, &Actor::Console).unwrap();
    assert!(bot.engine.asking(&id).is_empty(), "a person has decided");
    assert!(channel.switch_on(Actor::Console, "again").await);
    tokio::time::sleep(Duration::from_mins(20)).await;
    drop(held);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn typing_that_may_have_been_shown_is_unknown() {
    for (fail, code) in [
        (CallFailure::LostAck, OutcomeCode::Unknown),
        (CallFailure::Transient, OutcomeCode::Failed),
    ] {
        let bot = Bot::start().await;
        let channel = bot.engine.channels().channel(&"telegram".into()).unwrap();
        channel.plan(1, CallFault::first(OpKind::Typing, fail), Actor::Console);
        bot.says([later(100, "Here.")]);
        bot.turn(Platform::Telegram, "hi").await;
        let kinds = bot.kinds().await;
        let op = kinds.iter().find_map(|kind| match kind {
            Kind::Faulted { op, .. } => *op,
            _ => None,
        });
        let end = kinds.iter().find_map(|kind| match kind {
            Kind::Ended { op: ended, outcome } if Some(*ended) == op => Some(outcome.code),
            _ => None,
        });
        assert_eq!(end, Some(code), "{fail}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_set_out_as_a_dry_run_stays_one_though_its_channel_is_armed_meanwhile() {
    let bot = Bot::with("[typing]\nenabled = false\n[channels.telegram]\narmed = false\n").await;
    let channel = bot.engine.channels().channel(&"telegram".into()).unwrap();
    let slow = CallFault {
        fail: None,
        latency_ms: 3_000,
        ..CallFault::first(OpKind::SendText, CallFailure::Gone)
    };
    channel.plan(1, slow, Actor::Console);
    bot.says([text("Here.")]);
    let turn = bot.user(Platform::Telegram, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(channel.arm(true, Actor::Console));
    turn.ended().await;
    assert!(bot.operations(Platform::Telegram).is_empty());
    let kinds = bot.kinds().await;
    assert!(!kinds.iter().any(|kind| matches!(kind, Kind::Attempted { .. })));
    let dry =
        |kind: &Kind| matches!(kind, Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::DryRun);
    assert!(kinds.iter().any(dry));
    bot.check().await;
}
