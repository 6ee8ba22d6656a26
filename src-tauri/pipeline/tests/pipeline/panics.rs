//! A panic takes nothing else with it: the work that panicked is told of and held, and what is behind it goes on.

use crate::{
    bot::{Bot, World, killed, later, parts, runtime, slow, text},
    speech::speaking,
};
use async_trait::async_trait;
use foldback_agents::{
    ScriptAgent,
    speech::{SpeechError, Voice},
};
use foldback_channels::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Loopback, Refusal, platform};
use foldback_pipeline::{Engine, Rules};
use foldback_store::Journal as _;
use foldback_wire::{Attachment, Capabilities, ChatId, Kind, OpKind, OutcomeCode, Seq, Terminal};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

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

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.inner.connect(connection).await
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
        if id.as_str() == platform::SIGNAL.code() {
            *adapter = Arc::new(Fragile {
                inner: Arc::clone(&world.loopbacks[&platform::SIGNAL]),
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
            .submit(elsewhere.message(platform::SIGNAL, "hi"))
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

/// A voice that never has a sound.
struct Speechless;

#[async_trait]
impl Voice for Speechless {
    fn backend(&self) -> &'static str {
        "speechless"
    }

    async fn say(&self, _text: &str) -> Result<Vec<u8>, SpeechError> {
        std::future::pending().await
    }
}

/// A voice that panics.
struct Breaking;

#[async_trait]
impl Voice for Breaking {
    fn backend(&self) -> &'static str {
        "breaking"
    }

    async fn say(&self, _text: &str) -> Result<Vec<u8>, SpeechError> {
        panic!("the voice breaks, on purpose")
    }
}

#[test]
fn a_turn_whose_finishing_panics_keeps_no_other_from_its_end() {
    let world = killed(async {
        let bot = Bot::in_world(speaking(World::new(), Speechless), "", Rules::all()).await;
        // Its first text is sent by the next start.
        bot.fault(
            platform::TELEGRAM,
            slow(OpKind::SendText, Duration::from_secs(20)),
        );
        bot.says([text("<actions><voice>Hey</voice></actions>")]);
        let _spoken = bot.user(platform::SIGNAL, "hi").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot.says([later(3_600_000, "Late.")]);
        let _stalled = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(speaking(world, Breaking), "", Rules::all()).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        let kinds = bot.kinds().await;
        let is_told = |kind: &Kind| match kind {
            Kind::Warned { detail } => detail.contains("the voice breaks, on purpose"),
            _ => false,
        };
        assert!(kinds.iter().any(is_told), "the panic is an event");
        let ended = |kind: &&Kind| matches!(kind, Kind::TurnEnded { .. });
        assert_eq!(
            kinds.iter().filter(ended).count(),
            1,
            "the other turn has its end"
        );
        let open = bot.journal.open_turns(Seq(0)).await.unwrap();
        assert_eq!(open.len(), 1, "the next start looks at it again");
    });
}
