//! Switching channels on and off, arming and muting them while messages flow.

use crate::desk::Desk;
use crate::stage::{CHAT, call, edit, inbound, reply, send};
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_channels::{Closed, NotDelivered, is_dry, platform};
use foldback_wire::{Actor, ChannelState, Kind, OpKind, Operation, OutcomeCode, RefusalCode, Timestamp};
use std::time::Duration;

#[tokio::test]
async fn every_change_is_told_with_who_and_why() {
    let (desk, _) = Desk::loopback(platform::TELEGRAM, true);
    desk.on().await;
    assert!(!desk.channel.switch_on(Actor::Cli, "again").await);
    desk.off().await;
    assert!(!desk.channel.switch_off(Actor::Cli, "again").await);
    let expected = [
        (ChannelState::Connecting, Actor::Console),
        (ChannelState::Up, Actor::Adapter),
        (ChannelState::Off, Actor::Console),
    ];
    assert_eq!(desk.states(), expected);
    assert!(
        desk.told
            .lock()
            .unwrap()
            .iter()
            .all(|d| d.channel == Some("telegram".into()))
    );
}

#[tokio::test]
async fn off_lets_the_operation_under_way_finish_and_refuses_later_ones() {
    let (desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    loopback.platform().plan(CallFault {
        fail: None,
        latency_ms: 700,
        ..CallFault::first(OpKind::SendText, CallFailure::Gone)
    });
    desk.on().await;
    let under_way = tokio::spawn({
        let channel = desk.channel.clone();
        async move { channel.perform(call("a", send("under way")), None).await }
    });
    while desk.channel.in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    let off = tokio::spawn({
        let channel = desk.channel.clone();
        async move { channel.switch_off(Actor::Console, "stop").await }
    });
    desk.reach(ChannelState::Off).await;
    assert_eq!(
        desk.perform(send("later")).await,
        Err(NotDelivered::Closed(Closed::Off))
    );
    assert!(!off.is_finished(), "it waits for the operation");
    desk.clock.advance(Duration::from_millis(700));
    assert!(under_way.await.unwrap().is_ok());
    assert!(off.await.unwrap());
    assert_eq!(loopback.platform().log().len(), 1);
}

#[tokio::test]
async fn off_lets_nothing_in_while_it_waits_for_an_operation() {
    let (mut desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    loopback.platform().plan(CallFault {
        fail: None,
        latency_ms: 700,
        ..CallFault::first(OpKind::SendText, CallFailure::Gone)
    });
    desk.on().await;
    let channel = desk.channel.clone();
    let under_way = tokio::spawn(async move { channel.perform(call("a", send("under way")), None).await });
    while desk.channel.in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    let channel = desk.channel.clone();
    let off = tokio::spawn(async move { channel.switch_off(Actor::Console, "stop").await });
    desk.reach(ChannelState::Off).await;
    loopback.inject(inbound("m1", "too late")).unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(desk.inbound.try_recv().is_err());
    desk.clock.advance(Duration::from_millis(700));
    assert!(off.await.unwrap() && under_way.await.unwrap().is_ok());
    desk.on().await;
    assert_eq!(desk.inbound.recv().await.unwrap().message.message.as_str(), "m1");
    desk.off().await;
}

#[tokio::test]
async fn a_slow_pipeline_slows_the_platform_down() {
    let (mut desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    desk.on().await;
    let mut written = 0;
    while written < 2_000 && loopback.inject(inbound(&format!("m{written}"), "hi")).is_ok() {
        written += 1;
        tokio::task::yield_now().await;
    }
    assert!(
        written <= 1_024 + 4,
        "its inbox and a few on the way, not {written}"
    );
    for n in 0..written {
        assert_eq!(
            desk.inbound.recv().await.unwrap().message.message.as_str(),
            format!("m{n}")
        );
    }
    desk.off().await;
}

#[tokio::test]
async fn an_operation_that_never_ends_holds_the_channel_for_half_a_minute_only() {
    let (desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    let endless = CallFault {
        fail: None,
        latency_ms: 3_600_000,
        ..CallFault::first(OpKind::SendText, CallFailure::Gone)
    };
    loopback.platform().plan(endless);
    desk.on().await;
    let channel = desk.channel.clone();
    let stuck = tokio::spawn(async move { channel.perform(call("a", send("stuck")), None).await });
    while desk.channel.in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    desk.clock.jump_on_sleep();
    desk.off().await;
    assert_eq!(desk.clock.elapsed(), Duration::from_secs(30));
    stuck.abort();
}

#[tokio::test]
async fn what_comes_in_while_off_waits_and_arrives_once() {
    let (mut desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    for n in 0..5 {
        loopback.inject(inbound(&format!("m{n}"), "hi")).unwrap();
    }
    tokio::task::yield_now().await;
    assert!(desk.inbound.try_recv().is_err(), "off: nothing comes in");
    let mut seen = Vec::new();
    for _ in 0..5 {
        desk.on().await;
        seen.push(desk.inbound.recv().await.unwrap().message);
        desk.off().await;
        // What was let in before the channel was off stands in the pipeline's queue.
        while let Ok(arrival) = desk.inbound.try_recv() {
            seen.push(arrival.message);
        }
        tokio::task::yield_now().await;
        assert!(desk.inbound.try_recv().is_err(), "off: nothing comes in");
        if seen.len() == 5 {
            break;
        }
    }
    let ids: Vec<_> = seen.iter().map(|m| m.message.as_str()).collect();
    assert_eq!(ids, ["m0", "m1", "m2", "m3", "m4"]);
    assert!(
        seen.iter().all(|m| m.channel.as_str() == "telegram"),
        "with the channel's own name"
    );
}

#[tokio::test]
async fn a_wait_the_platform_asks_for_shows_and_passes() {
    let (desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    let limited = CallFault {
        retry_after_ms: Some(1_500),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    let shorter = CallFault {
        nth: 2,
        retry_after_ms: Some(500),
        ..limited.clone()
    };
    loopback.platform().plan(limited);
    loopback.platform().plan(shorter);
    desk.on().await;
    let refused = desk.perform(send("too fast")).await;
    assert!(matches!(refused, Err(NotDelivered::Refused(r)) if r.code == RefusalCode::RateLimited));
    let status = desk.channel.status();
    assert_eq!(
        (status.state, status.until),
        (ChannelState::RateLimited, Some(Timestamp(1_500)))
    );
    assert_eq!(status.why, "asked to wait for 1.5s");
    assert!(
        desk.perform(Operation::Typing).await.is_ok(),
        "other calls may pass"
    );
    assert_eq!(
        desk.channel.status().until,
        Some(Timestamp(1_500)),
        "and do not shorten the wait"
    );
    assert!(desk.perform(send("still too fast")).await.is_err());
    assert_eq!(
        desk.channel.status().until,
        Some(Timestamp(1_500)),
        "nor does a shorter one"
    );
    desk.clock.advance(Duration::from_millis(1_500));
    desk.reach(ChannelState::Up).await;
    assert_eq!(desk.channel.status().until, None);
    desk.off().await;
}

#[tokio::test]
async fn three_failures_in_a_row_degrade_a_channel_and_one_success_mends_it() {
    let (desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    loopback.platform().plan(CallFault {
        times: 3,
        ..CallFault::first(OpKind::SendText, CallFailure::Transient)
    });
    desk.on().await;
    for expected in [ChannelState::Up, ChannelState::Up, ChannelState::Degraded] {
        assert!(desk.perform(send("hm")).await.is_err());
        assert_eq!(desk.channel.status().state, expected);
    }
    assert!(desk.perform(send("better")).await.is_ok());
    assert_eq!(desk.channel.status().state, ChannelState::Up);
    desk.off().await;
}

#[tokio::test]
async fn a_channel_without_a_connection_takes_no_operation_and_a_dry_run_needs_none() {
    let (desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    desk.on().await;
    loopback.disconnect(Duration::from_secs(7));
    desk.reach(ChannelState::Down).await;
    let down = Err(NotDelivered::Closed(Closed::Down));
    assert_eq!(desk.perform(send("lost")).await, down);
    let rehearsed = desk.channel.rehearse(call("r", send("not really")), None).await;
    assert!(rehearsed.unwrap().dry_run, "it is armed, but this is none");
    desk.channel.arm(false, Actor::Console);
    assert!(desk.perform(send("not really")).await.is_ok());
    assert_eq!(loopback.platform().log().len(), 0);
    desk.off().await;
}

#[tokio::test]
async fn a_dry_run_does_everything_but_the_call() {
    let (desk, loopback) = Desk::loopback(platform::TELEGRAM, false);
    desk.on().await;
    let sent = desk.perform(send("not really")).await.unwrap();
    assert_eq!(sent.code(), OutcomeCode::DryRun);
    let id = sent.ack.message.unwrap();
    assert!(is_dry(&id));
    assert!(desk.perform(edit(&id, "still not")).await.unwrap().dry_run);
    let another = desk
        .perform(reply(id.as_str(), "nor this"))
        .await
        .unwrap()
        .ack
        .message
        .unwrap();
    assert_ne!(another, id);
    assert_eq!(loopback.platform().log().len(), 0);

    assert!(desk.channel.arm(true, Actor::Console));
    assert!(!desk.channel.arm(true, Actor::Console));
    assert_eq!(
        desk.perform(send("really")).await.unwrap().code(),
        OutcomeCode::Sent
    );
    assert!(
        desk.perform(edit(&id, "of a message that is on no platform"))
            .await
            .unwrap()
            .dry_run
    );
    let answer = desk.perform(reply(id.as_str(), "plainly")).await.unwrap();
    assert!(answer.ack.warning.is_some_and(|w| w.contains("dry run")));
    assert_eq!(loopback.platform().log().len(), 2);
    let armed = Kind::Armed {
        armed: true,
        by: Actor::Console,
    };
    assert_eq!(
        desk.told
            .lock()
            .unwrap()
            .iter()
            .filter(|d| d.kind == armed)
            .count(),
        1
    );
    desk.off().await;
}

#[tokio::test]
async fn one_key_mutes_all_outbound_and_nothing_else() {
    let (mut desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    desk.on().await;
    assert!(desk.board.mute(true, Actor::Console));
    assert!(!desk.board.mute(true, Actor::Console));
    assert_eq!(
        desk.perform(send("hush")).await,
        Err(NotDelivered::Closed(Closed::Muted))
    );
    let late = desk.board.add("late".into(), loopback.clone(), true).unwrap();
    assert!(late.status().muted, "a channel that comes later is muted too");
    loopback.inject(inbound("m1", "hi")).unwrap();
    assert_eq!(desk.inbound.recv().await.unwrap().message.chat.as_str(), CHAT);
    assert!(desk.board.mute(false, Actor::Console));
    assert!(desk.perform(send("again")).await.is_ok());
    assert!(
        desk.board.add("late".into(), loopback, true).is_err(),
        "names are unique"
    );
    desk.board.switch_all_off(&Actor::Pipeline, "the end").await;
    assert_eq!(desk.channel.status().state, ChannelState::Off);
}
