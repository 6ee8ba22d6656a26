//! Loopback channels fail, break and come back as a test asks.

use crate::stage::{Stage, inbound, send};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_wire::{ChannelState, MessageId, OpKind, RefusalCode};
use std::time::Duration;

#[tokio::test]
async fn the_nth_call_fails_as_planned() {
    let stage = Stage::new(platform::TELEGRAM);
    let limited = CallFault {
        nth: 2,
        retry_after_ms: Some(1_500),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    stage.channel.platform().plan(limited);
    assert!(stage.perform(send("1")).await.is_ok());
    let refusal = stage.refusal(send("2")).await;
    assert_eq!(
        (refusal.code, refusal.retry_after),
        (RefusalCode::RateLimited, Some(Duration::from_millis(1_500)))
    );
    assert!(!refusal.maybe_done);
    assert!(stage.perform(send("3")).await.is_ok());
    assert_eq!(stage.messages(), 2);
}

#[tokio::test]
async fn a_lost_acknowledgement_was_done_all_the_same() {
    let stage = Stage::new(platform::TELEGRAM);
    stage
        .channel
        .platform()
        .plan(CallFault::first(OpKind::SendText, CallFailure::LostAck));
    assert!(stage.refusal(send("there")).await.maybe_done);
    assert_eq!(stage.messages(), 1);
    assert!(stage.channel.platform().log().next().unwrap().applied);
}

#[tokio::test]
async fn latency_passes_before_the_call_arrives() {
    let stage = Stage::new(platform::TELEGRAM);
    let late = CallFault {
        fail: None,
        latency_ms: 700,
        ..CallFault::first(OpKind::SendText, CallFailure::Gone)
    };
    stage.channel.platform().plan(late);
    stage.clock.jump_on_sleep();
    stage.perform(send("late")).await.unwrap();
    assert_eq!(stage.channel.platform().log().next().unwrap().at.0, 700);
}

#[tokio::test]
async fn a_broken_connection_is_reported_and_comes_back() {
    let stage = Stage::new(platform::TELEGRAM);
    stage
        .channel
        .platform()
        .plan(CallFault::first(OpKind::SendText, CallFailure::Disconnect));
    let mut running = stage.run();
    assert_eq!(
        running.states(2).await,
        [ChannelState::Connecting, ChannelState::Up]
    );
    assert!(stage.refusal(send("into the void")).await.maybe_done);
    assert_eq!(running.states(1).await, [ChannelState::Down]);
    assert!(
        !stage.refusal(send("still down")).await.maybe_done,
        "it never left"
    );
    stage.channel.inject(inbound("m1", "waits")).unwrap();
    stage.clock.advance(Duration::from_secs(1));
    assert_eq!(
        running.states(2).await,
        [ChannelState::Connecting, ChannelState::Up]
    );
    assert_eq!(running.message().await.text, "waits");
    assert!(stage.perform(send("there")).await.is_ok());
    running.stop().await;
}

#[tokio::test]
async fn what_arrives_while_the_channel_is_off_waits_and_is_not_lost_to_a_stop() {
    let stage = Stage::new(platform::WHATSAPP);
    for n in 0..3 {
        stage.channel.inject(inbound(&format!("m{n}"), "hi")).unwrap();
    }
    let mut running = stage.run();
    running.states(2).await;
    let mut seen = vec![running.message().await.message];
    seen.extend(running.stop().await);
    let mut again = stage.run();
    again.states(2).await;
    while seen.len() < 3 {
        seen.push(again.message().await.message);
    }
    assert_eq!(seen, ["m0", "m1", "m2"].map(MessageId::from));
    again.stop().await;
}

#[tokio::test]
async fn a_message_that_is_injected_twice_is_there_once_and_comes_in_twice() {
    let stage = Stage::new(platform::DISCORD);
    stage.channel.inject(inbound("m1", "hi")).unwrap();
    stage.channel.inject(inbound("m1", "hi")).unwrap();
    assert_eq!(stage.messages(), 1);
    let mut running = stage.run();
    running.states(2).await;
    for _ in 0..2 {
        assert_eq!(running.message().await.message.as_str(), "m1");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_full_inbox_says_so() {
    let stage = Stage::new(platform::TELEGRAM);
    let taken = (0..2_000)
        .take_while(|n| stage.channel.inject(inbound(&format!("m{n}"), "hi")).is_ok())
        .count();
    assert_eq!(taken, 1_024);
    assert_eq!(stage.messages(), taken, "what is refused is on no platform");
}

#[tokio::test]
async fn a_second_outage_counts_over_the_first() {
    let stage = Stage::new(platform::TELEGRAM);
    let mut running = stage.run();
    running.states(2).await;
    stage.channel.disconnect(Duration::from_mins(1));
    assert_eq!(running.states(1).await, [ChannelState::Down]);
    stage.channel.disconnect(Duration::from_secs(1));
    stage.clock.advance(Duration::from_secs(1));
    assert_eq!(
        running.states(2).await,
        [ChannelState::Connecting, ChannelState::Up]
    );
    running.stop().await;
}
