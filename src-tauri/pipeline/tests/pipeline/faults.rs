//! Faults of platforms in whole turns: planned on a channel, or of its platform.

use crate::bot::{Bot, later, slow, text};
use foldback_channels::platform;
use foldback_wire::{Actor, CallFailure, CallFault, HoldReason, Kind, OpKind, OutcomeCode, Terminal};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_fault_of_typing_that_outlasts_the_turn_has_its_mark_and_its_end() {
    let bot = Bot::start().await;
    let channel = bot.engine.channels().channel(&"telegram".into()).unwrap();
    channel.plan(1, slow(OpKind::Typing, Duration::from_secs(3)), Actor::Console);
    bot.says([text("Short.")]);
    bot.turn(platform::TELEGRAM, "hi").await;
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
        times: 2,
        retry_after_ms: Some(270_000),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    channel.plan(1, limited, Actor::Console);
    bot.says([later(10, "Late.")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_mins(8)).await;
    assert!(bot.engine.asking(&id).is_empty(), "not older than ten minutes");
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    bot.says([text("Held.")]);
    assert!(channel.switch_off(Actor::Console, "for a while").await);
    let held = bot.user(platform::TELEGRAM, "and now?").await;
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
        bot.turn(platform::TELEGRAM, "hi").await;
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
    channel.plan(1, slow(OpKind::SendText, Duration::from_secs(3)), Actor::Console);
    bot.says([text("Here.")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(channel.arm(true, Actor::Console));
    turn.ended().await;
    assert!(bot.operations(platform::TELEGRAM).is_empty());
    let kinds = bot.kinds().await;
    assert!(!kinds.iter().any(|kind| matches!(kind, Kind::Attempted { .. })));
    let dry =
        |kind: &Kind| matches!(kind, Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::DryRun);
    assert!(kinds.iter().any(dry));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_waits_as_asked_and_a_passing_fault_is_retried() {
    let bot = Bot::start().await;
    let limited = CallFault {
        retry_after_ms: Some(7_000),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    bot.fault(platform::SIGNAL, limited);
    bot.says([text("Hello.")]);
    let before = bot.now_ms();
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    assert!(bot.now_ms() - before >= 7_000);
    let waits = bot.kinds().await.into_iter().filter(|k| {
        matches!(
            k,
            Kind::Waiting {
                reason: HoldReason::RateLimited,
                ..
            }
        )
    });
    assert_eq!(waits.count(), 1);
    bot.fault(
        platform::SLACK,
        CallFault {
            times: 2,
            ..CallFault::first(OpKind::SendFile, CallFailure::Transient)
        },
    );
    std::fs::write(bot.send_dir.join("a.txt"), "a").unwrap();
    bot.says([text("<actions><send-file path=\"a.txt\"/></actions>")]);
    bot.turn(platform::SLACK, "hi").await;
    assert_eq!(bot.calls(platform::SLACK, OpKind::SendFile).len(), 3);
    assert_eq!(bot.screen(platform::SLACK), ["File a.txt "]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_may_have_arrived_is_unknown_without_a_key_and_repeated_with_one() {
    for (platform, code, calls) in [
        (platform::SIGNAL, OutcomeCode::Unknown, 1),
        (platform::DISCORD, OutcomeCode::Sent, 2),
    ] {
        let bot = Bot::with("[output]\ndisable = [\"preview\"]\n").await;
        bot.fault(platform, CallFault::first(OpKind::SendText, CallFailure::LostAck));
        bot.says([text("Once.")]);
        let ended = bot.turn(platform, "hi").await;
        let unknown = code == OutcomeCode::Unknown;
        assert_eq!(
            matches!(ended, Terminal::Unknown { .. }),
            unknown,
            "{platform}: {ended}"
        );
        assert_eq!(bot.screen(platform), ["Once."], "{platform}: never doubled");
        assert_eq!(bot.calls(platform, OpKind::SendText).len(), calls);
        let ended = bot.kinds().await.into_iter().filter_map(|k| match k {
            Kind::Ended { outcome, .. } if outcome.code != OutcomeCode::Sent || outcome.message.is_some() => {
                Some(outcome.code)
            }
            _ => None,
        });
        assert_eq!(ended.collect::<Vec<_>>().last(), Some(&code), "{platform}");
        bot.check().await;
    }
}
