//! A panic takes nothing else with it: the work that panicked is told of and held, and what is behind it goes on.

use crate::bot::{Bot, World, parts, text};
use async_trait::async_trait;
use foldback_agents::ScriptAgent;
use foldback_channels::{Ack, Call, ChannelAdapter, Loopback, Refusal, SignalSink};
use foldback_pipeline::{Engine, Rules};
use foldback_store::Journal as _;
use foldback_wire::{Attachment, Capabilities, ChatId, Kind, OpKind, OutcomeCode, Platform, Seq, Terminal};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// An adapter whose first call to send a text panics.
struct Fragile {
    inner: Arc<Loopback>,
    broken: AtomicBool,
}

#[async_trait]
impl ChannelAdapter for Fragile {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn run(&self, sink: SignalSink, stop: CancellationToken) -> Result<(), Refusal> {
        self.inner.run(sink, stop).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.inner.fetch(chat, file, limit).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let breaks = call.operation.kind() == OpKind::SendText && !self.broken.swap(true, Ordering::SeqCst);
        assert!(!breaks, "the adapter breaks, on purpose");
        self.inner.perform(call).await
    }
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_panics_is_unknown_and_its_lane_goes_on() {
    let world = World::new();
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    let mut parts = parts(&world, "", Rules::all(), agent.clone());
    for (id, adapter) in &mut parts.channels {
        if id.as_str() == Platform::Signal.code() {
            *adapter = Arc::new(Fragile {
                inner: Arc::clone(&world.loopbacks[&Platform::Signal]),
                broken: AtomicBool::new(false),
            });
        }
    }
    let engine = Engine::start(parts).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;

    let elsewhere = Bot::start().await;
    let mut ends = Vec::new();
    for answer in ["lost", "arrives"] {
        agent.queue(None, vec![text(answer)]);
        let turn = engine
            .submit(elsewhere.message(Platform::Signal, "hi"))
            .await
            .unwrap();
        ends.push(turn.ended().await);
    }
    assert!(ends[0].is_some(), "the turn has an end");
    assert_eq!(ends[1], Some(Terminal::Replied));

    let events = world.journal.read(Seq(1), usize::MAX).await.unwrap();
    let outcome = events.iter().find_map(|event| match &event.kind {
        Kind::Ended { outcome, .. } if outcome.code != OutcomeCode::Sent => Some(outcome),
        _ => None,
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.code, OutcomeCode::Unknown);
    let told = events.iter().any(|event| match &event.kind {
        Kind::Warned { detail } => detail.contains("the adapter breaks, on purpose"),
        _ => false,
    });
    assert!(told, "the panic is an event");
    assert!(world.journal.outbox().await.unwrap().is_empty());
}
