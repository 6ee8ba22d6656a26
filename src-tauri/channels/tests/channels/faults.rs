//! Planned faults: what they do to calls and to the connection, on any adapter.

use crate::{
    desk::Desk,
    stage::{call, inbound, send},
};
use foldback_channels::{Delivered, NotDelivered, Refusal, platform};
use foldback_wire::{
    Actor, CallFailure, CallFault, ChannelState, Fault, Kind, OpKind, Operation, RefusalCode,
};
use std::time::Duration;

/// The next operation, with the fault that is planned for it.
async fn next(desk: &Desk, operation: Operation) -> Result<Delivered, NotDelivered> {
    let planned = desk.channel.set_out(operation.kind());
    desk.channel
        .perform(call("key", operation), planned.as_ref())
        .await
}

fn plan(desk: &Desk, fault: CallFault) {
    desk.channel.plan(1, fault, Actor::Console);
}

fn refusal(answer: Result<Delivered, NotDelivered>) -> Refusal {
    match answer {
        Err(NotDelivered::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_failure_is_what_its_table_says_and_only_a_lost_answer_reaches_the_platform() {
    for fail in CallFailure::ALL {
        let (desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
        desk.on().await;
        plan(&desk, CallFault::first(OpKind::SendText, *fail));
        let refused = refusal(next(&desk, send("one")).await);
        assert_eq!(
            refused.code,
            fail.refusal().unwrap_or(RefusalCode::Transient),
            "{fail}"
        );
        assert_eq!(refused.maybe_done, fail.refusal().is_none(), "{fail}");
        let arrived = loopback.platform().log().len();
        assert_eq!(arrived, usize::from(*fail == CallFailure::LostAck), "{fail}");
        if *fail != CallFailure::Disconnect {
            assert!(
                next(&desk, send("two")).await.is_ok(),
                "{fail}: only the first call was planned"
            );
        }
    }
}

#[tokio::test]
async fn a_dry_run_goes_wrong_in_the_same_way() {
    let (desk, loopback) = Desk::loopback(platform::TELEGRAM, false);
    desk.on().await;
    plan(
        &desk,
        CallFault {
            retry_after_ms: Some(1_500),
            ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
        },
    );
    let refused = refusal(next(&desk, send("one")).await);
    assert_eq!(refused.retry_after, Some(Duration::from_millis(1_500)));
    assert_eq!(desk.channel.status().state, ChannelState::RateLimited);
    assert!(next(&desk, send("two")).await.unwrap().dry_run);
    assert_eq!(loopback.platform().log().len(), 0);
}

#[tokio::test]
async fn a_late_call_arrives_late() {
    let (desk, loopback) = Desk::loopback(platform::DISCORD, true);
    desk.on().await;
    plan(
        &desk,
        CallFault {
            fail: None,
            latency_ms: 900,
            ..CallFault::first(OpKind::SendText, CallFailure::Gone)
        },
    );
    let planned = desk.channel.set_out(OpKind::SendText);
    let channel = desk.channel.clone();
    let late = tokio::spawn(async move { channel.perform(call("k", send("late")), planned.as_ref()).await });
    while desk.channel.in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(loopback.platform().log().len(), 0);
    desk.clock.advance(Duration::from_millis(900));
    assert!(late.await.unwrap().is_ok());
    assert_eq!(loopback.platform().log().len(), 1);
}

#[tokio::test]
async fn a_broken_connection_comes_back_and_loses_no_message() {
    let (mut desk, loopback) = Desk::loopback(platform::SLACK, true);
    desk.on().await;
    plan(
        &desk,
        CallFault {
            retry_after_ms: Some(4_000),
            ..CallFault::first(OpKind::Typing, CallFailure::Disconnect)
        },
    );
    assert!(refusal(next(&desk, Operation::Typing).await).maybe_done);
    desk.reach(ChannelState::Down).await;
    assert!(desk.channel.status().why.contains("a planned fault"));
    loopback.inject(inbound("m1", "while it is down")).unwrap();
    desk.clock.advance(Duration::from_millis(3_999));
    tokio::task::yield_now().await;
    assert_eq!(desk.channel.status().state, ChannelState::Down);
    assert!(matches!(
        next(&desk, send("closed")).await,
        Err(NotDelivered::Closed(_))
    ));
    desk.clock.advance(Duration::from_millis(1));
    desk.reach(ChannelState::Up).await;
    assert_eq!(
        desk.inbound.recv().await.unwrap().message.text,
        "while it is down"
    );
    assert!(next(&desk, send("again")).await.is_ok());
}

#[tokio::test]
async fn planning_and_taking_away_are_told_with_who() {
    let (desk, _) = Desk::loopback(platform::SIGNAL, true);
    desk.on().await;
    let fault = CallFault::first(OpKind::React, CallFailure::Forbidden);
    desk.channel.plan(3, fault.clone(), Actor::Console);
    assert_eq!(desk.channel.faults()[0].fault, Fault::Call(fault.clone()));
    assert!(
        !desk.channel.remove_fault(4, Actor::Cli),
        "there is no such fault"
    );
    assert!(desk.channel.remove_fault(3, Actor::Cli));
    assert_eq!(desk.channel.set_out(OpKind::React), None);
    let told = desk.told.lock().unwrap();
    let about: Vec<_> = told
        .iter()
        .filter(|draft| matches!(draft.kind, Kind::FaultPlanned { .. } | Kind::FaultRemoved { .. }))
        .map(|draft| draft.kind.clone())
        .collect();
    let planned = Kind::FaultPlanned {
        number: 3,
        agent: None,
        fault: Fault::Call(fault),
        by: Actor::Console,
    };
    let removed = Kind::FaultRemoved {
        number: 3,
        agent: None,
        by: Actor::Cli,
    };
    assert_eq!(about, [planned, removed]);
}

#[tokio::test]
async fn a_late_call_looks_again_before_it_arrives() {
    for (armed, mute) in [(true, false), (true, true), (false, false)] {
        let (desk, loopback) = Desk::loopback(platform::DISCORD, armed);
        desk.on().await;
        let slow = CallFault {
            fail: None,
            latency_ms: 60_000,
            ..CallFault::first(OpKind::SendText, CallFailure::Gone)
        };
        let channel = desk.channel.clone();
        let late =
            tokio::spawn(async move { channel.perform(call("k", send("late")), Some(&(1, slow))).await });
        while desk.channel.in_flight() == 0 {
            tokio::task::yield_now().await;
        }
        if mute {
            desk.board.mute(true, Actor::Console);
        } else {
            // What set out as a dry run stays one, armed meanwhile or not.
            desk.channel.arm(!armed, Actor::Console);
        }
        desk.clock.advance(Duration::from_mins(1));
        match late.await.unwrap() {
            Err(NotDelivered::Closed(_)) => assert!(mute),
            Ok(delivered) => assert!(!mute && delivered.dry_run),
            Err(refused) => panic!("{refused}"),
        }
        assert_eq!(loopback.platform().log().len(), 0, "nothing left this machine");
    }
}

#[tokio::test]
async fn what_a_fault_broke_is_whole_again_once_that_fault_is_removed() {
    let (desk, _) = Desk::loopback(platform::SLACK, true);
    desk.on().await;
    plan(
        &desk,
        CallFault {
            retry_after_ms: Some(3_600_000),
            ..CallFault::first(OpKind::Typing, CallFailure::Disconnect)
        },
    );
    desk.channel.plan(
        2,
        CallFault::first(OpKind::React, CallFailure::Gone),
        Actor::Console,
    );
    refusal(next(&desk, Operation::Typing).await);
    desk.reach(ChannelState::Down).await;
    assert!(desk.channel.remove_fault(2, Actor::Console));
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        desk.channel.status().state,
        ChannelState::Down,
        "another fault broke it"
    );
    assert!(desk.channel.remove_fault(1, Actor::Console));
    desk.reach(ChannelState::Up).await;
}
