//! A platform acknowledges a message, and says later that it did not arrive.

use crate::bot::{Bot, World, parts, text};
use async_trait::async_trait;
use foldback_agents::ScriptAgent;
use foldback_channels::{Ack, Call, ChannelAdapter, Loopback, Refusal, Signal, SignalSink};
use foldback_pipeline::{
    Engine, Rules,
    invariants::{self, Extent},
};
use foldback_store::Journal;
use foldback_wire::{
    Capabilities, Event, Kind, MessageId, OpId, Outcome, Platform, RefusalCode, Seq, Terminal, TurnId,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// A loopback that tells of losses, and who waits until each is written down.
struct Late {
    inner: Arc<Loopback>,
    lost: Mutex<mpsc::Receiver<(MessageId, oneshot::Sender<()>)>>,
}

#[async_trait]
impl ChannelAdapter for Late {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn run(&self, sink: SignalSink, stop: CancellationToken) -> Result<(), Refusal> {
        let mut lost = self.lost.lock().await;
        // A line of its own: a loopback keeps a place in it.
        let (inner, mut signals) = mpsc::channel(1);
        let mut run = std::pin::pin!(self.inner.run(inner, stop));
        loop {
            tokio::select! {
                ended = &mut run => return ended,
                Some(signal) = signals.recv() => drop(sink.send(signal).await),
                Some((message, kept)) = lost.recv() => {
                    let refusal = Refusal::new(RefusalCode::Forbidden, "the window is closed");
                    let kept = Some(kept);
                    sink.send(Signal::Undelivered { message, refusal, kept }).await.ok();
                }
            }
        }
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let ack = self.inner.perform(call).await?;
        let also = ack.message.iter().map(second).collect();
        Ok(Ack { also, ..ack })
    }
}

/// What else an operation makes that makes a message.
fn second(message: &MessageId) -> MessageId {
    format!("{message}.caption").into()
}

/// A bot on one such channel.
struct Place {
    engine: Engine,
    world: World,
    agent: Arc<ScriptAgent>,
    loses: mpsc::Sender<(MessageId, oneshot::Sender<()>)>,
}

impl Place {
    async fn open(world: World) -> Self {
        let (loses, lost) = mpsc::channel(1);
        let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        let late = Late {
            inner: Arc::clone(&world.loopbacks[&Platform::Whatsapp]),
            lost: Mutex::new(lost),
        };
        let mut parts = parts(&world, "", Rules::all(), agent.clone());
        let late: Arc<dyn ChannelAdapter> = Arc::new(late);
        for (id, adapter) in &mut parts.channels {
            if id.as_str() == Platform::Whatsapp.code() {
                *adapter = Arc::clone(&late);
            }
        }
        let engine = Engine::start(parts).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        Self {
            engine,
            world,
            agent,
            loses,
        }
    }

    /// Alice writes, and is answered; the platform's names of what she got.
    async fn answer(&self) -> (TurnId, Vec<(OpId, MessageId)>) {
        let elsewhere = Bot::start().await;
        let message = elsewhere.message(Platform::Whatsapp, "hi");
        self.agent.queue(None, vec![text("Here I am.")]);
        let turn = self.engine.submit(message).await.unwrap();
        let id = turn.id;
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        let made = self
            .events()
            .await
            .into_iter()
            .filter_map(|event| match event.kind {
                Kind::Ended {
                    op,
                    outcome:
                        Outcome {
                            message: Some(message),
                            ..
                        },
                } => Some((op, message)),
                _ => None,
            });
        (id, made.collect())
    }

    /// The platform says that it did not arrive; whether that was written down.
    async fn lose(&self, message: &MessageId) -> bool {
        let (kept, told) = oneshot::channel();
        self.loses.send((message.clone(), kept)).await.unwrap();
        told.await.is_ok()
    }

    async fn events(&self) -> Vec<Event> {
        self.world.journal.read(Seq(1), 1_000_000).await.unwrap()
    }

    async fn lost(&self) -> Vec<(Option<TurnId>, OpId, RefusalCode, String)> {
        let lost = |event: Event| match event.kind {
            Kind::Undelivered {
                op, refusal, detail, ..
            } => Some((event.turn, op, refusal, detail)),
            _ => None,
        };
        self.events().await.into_iter().filter_map(lost).collect()
    }
}

fn told(turn: TurnId, op: OpId) -> Vec<(Option<TurnId>, OpId, RefusalCode, String)> {
    vec![(
        Some(turn),
        op,
        RefusalCode::Forbidden,
        "the window is closed".to_owned(),
    )]
}

#[tokio::test(start_paused = true)]
async fn what_did_not_arrive_is_a_failure_of_its_operation_said_once() {
    let place = Place::open(World::new()).await;
    let (turn, made) = place.answer().await;
    let (op, message) = &made[0];
    tokio::time::sleep(Duration::from_hours(1)).await;
    for _ in 0..3 {
        assert!(place.lose(message).await);
        assert_eq!(place.lost().await, told(turn, *op));
    }
    let events = place.events().await;
    let session = events.iter().find_map(|event| event.session.clone());
    let lost = events
        .iter()
        .find(|event| matches!(event.kind, Kind::Undelivered { .. }))
        .unwrap();
    assert_eq!(
        (&lost.session, lost.channel.as_ref().unwrap().as_str()),
        (&session, "whatsapp")
    );
    place.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    let violations = invariants::check(&place.events().await, Extent::Ended);
    assert!(violations.is_empty(), "{violations:#?}");
}

#[tokio::test(start_paused = true)]
async fn everything_that_an_operation_made_belongs_to_it_and_it_fails_once() {
    for first in [0, 1] {
        let place = Place::open(World::new()).await;
        let (turn, made) = place.answer().await;
        let (op, message) = &made[0];
        let both = [second(message), message.clone()];
        for lost in [&both[first], &both[1 - first], &both[first]] {
            assert!(place.lose(lost).await);
            assert_eq!(place.lost().await, told(turn, *op));
        }
        place.engine.shutdown(Duration::from_secs(5)).await.unwrap();
        let violations = invariants::check(&place.events().await, Extent::Ended);
        assert!(violations.is_empty(), "{violations:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_known_after_a_restart_too() {
    let place = Place::open(World::new()).await;
    let (turn, made) = place.answer().await;
    let (op, message) = &made[0];
    place.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    let place = Place::open(place.world).await;
    assert!(place.lose(message).await);
    assert!(place.lose(message).await);
    assert_eq!(place.lost().await, told(turn, *op));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_message_stays_a_warning() {
    let place = Place::open(World::new()).await;
    place.answer().await;
    assert!(place.lose(&"wamid.another".into()).await);
    assert!(place.lost().await.is_empty());
    let warned = place
        .events()
        .await
        .into_iter()
        .find_map(|event| match event.kind {
            Kind::Warned { detail } => Some((event.channel?.to_string(), event.turn, detail)),
            _ => None,
        });
    let detail = "wamid.another was acknowledged, but did not arrive: the window is closed".to_owned();
    assert_eq!(warned, Some(("whatsapp".to_owned(), None, detail)));
}
