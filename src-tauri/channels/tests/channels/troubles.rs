//! Adapters in trouble: the states they report are those that are shown, and none besides.

use crate::desk::Desk;
use crate::stage::TestClock;
use ChannelState::{Connecting, Degraded, RateLimited, Up};
use async_trait::async_trait;
use foldback_channels::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Refusal, platform, profile};
use foldback_wire::{Actor, Attachment, Capabilities, ChannelState, ChatId, Operation, RefusalCode};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A stand-in that reports these states one after the other, and answers calls as it is told.
struct Reporting {
    capabilities: Capabilities,
    states: Vec<ChannelState>,
    answers: Mutex<VecDeque<Result<Ack, Refusal>>>,
}

fn desk(
    states: impl IntoIterator<Item = ChannelState>,
    answers: impl IntoIterator<Item = Result<Ack, Refusal>>,
) -> Desk {
    let adapter = Reporting {
        capabilities: profile(platform::TELEGRAM),
        states: states.into_iter().collect(),
        answers: Mutex::new(answers.into_iter().collect()),
    };
    Desk::with(Arc::new(adapter), TestClock::new(), true)
}

#[async_trait]
impl ChannelAdapter for Reporting {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        for state in &self.states {
            connection.report(*state, &format!("{state}, it says")).await;
        }
        std::future::pending().await
    }

    async fn fetch(&self, _: &ChatId, _: &Attachment, _: u64) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::new(RefusalCode::Gone, "there are no files here"))
    }

    async fn perform(&self, _: Call) -> Result<Ack, Refusal> {
        let answer = self.answers.lock().unwrap().pop_front();
        answer.unwrap_or_else(|| Ok(Ack::default()))
    }
}

async fn walked(desk: &Desk, last: ChannelState) -> Vec<ChannelState> {
    desk.channel.switch_on(Actor::Console, "asked to").await;
    desk.reach(last).await;
    desk.states().into_iter().map(|(state, _)| state).collect()
}

#[tokio::test]
async fn what_meets_a_limit_while_it_connects_was_never_up() {
    for state in [RateLimited, Degraded] {
        let desk = desk([Connecting, state], []);
        assert_eq!(walked(&desk, state).await, [Connecting, state]);
        desk.off().await;
    }
}

/// An adapter that receives nothing sends all the same.
#[tokio::test]
async fn a_trouble_that_an_adapter_told_of_is_not_over_because_a_call_succeeds() {
    let limited = Refusal {
        retry_after: Some(Duration::from_secs(2)),
        ..Refusal::new(RefusalCode::RateLimited, "too fast")
    };
    let desk = desk([Up, Degraded], [Ok(Ack::default()), Err(limited)]);
    walked(&desk, Degraded).await;
    assert!(desk.perform(Operation::Typing).await.is_ok());
    let status = desk.channel.status();
    assert_eq!(
        (status.state, status.why.as_str()),
        (Degraded, "degraded, it says")
    );
    assert!(desk.perform(Operation::Typing).await.is_err());
    assert_eq!(desk.channel.status().state, RateLimited);
    desk.clock.advance(Duration::from_secs(2));
    desk.reach(Degraded).await;
    let states: Vec<_> = desk.states().into_iter().map(|(state, _)| state).collect();
    assert_eq!(states, [Connecting, Up, Degraded, RateLimited, Degraded]);
    assert_eq!(desk.channel.status().why, "degraded, it says");
    desk.off().await;
}

#[tokio::test]
async fn a_trouble_is_over_once_its_adapter_says_so() {
    let desk = desk([Up, Degraded, Up], []);
    assert_eq!(walked(&desk, Up).await.first(), Some(&Connecting));
    desk.channel
        .watch()
        .wait_for(|status| status.why == "up, it says")
        .await
        .unwrap();
    assert!(desk.perform(Operation::Typing).await.is_ok());
    assert_eq!(desk.channel.status().state, Up);
    desk.off().await;
}
