//! A channel that tells of messages after it has acknowledged them.

use crate::bot::{Bot, World, parts, text};
use async_trait::async_trait;
use foldback_agents::ScriptAgent;
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Loopback, Refusal, Signal, platform,
};
use foldback_pipeline::{Engine, Rules, Turn};
use foldback_store::Journal;
use foldback_wire::{
    Attachment, Capabilities, ChatId, Event, Kind, MessageId, OpId, Outcome, Receipt, Seq, Terminal,
    Timestamp, TurnId,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Mutex, mpsc, oneshot};

type Parting = Arc<Mutex<Option<Signal>>>;

/// A loopback that tells more of what it acknowledged.
struct Late {
    inner: Arc<Loopback>,
    later: Mutex<mpsc::Receiver<Signal>>,
    /// What it tells when it is switched off.
    parting: Parting,
    /// Where it tells that what it was handed was sent on before it acknowledges it.
    ahead: Option<mpsc::Sender<Signal>>,
}

#[async_trait]
impl ChannelAdapter for Late {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        let (mut later, sink) = (self.later.lock().await, connection.sink());
        // A line of its own: a loopback keeps a place in it.
        let (inner, mut signals) = mpsc::channel(1);
        let connection = connection.with_sink(inner);
        let mut inner = self.inner.connect(&connection);
        loop {
            tokio::select! {
                ended = &mut inner => return ended,
                Some(signal) = signals.recv() => drop(sink.send(signal).await),
                Some(signal) = later.recv() => drop(sink.send(signal).await),
            }
        }
    }

    async fn disconnect(&self, connection: &Connection) {
        let parting = self.parting.lock().await.take();
        if let Some(signal) = parting {
            drop(connection.sink().send(signal).await);
        }
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.inner.fetch(chat, file, limit).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let ack = self.inner.perform(call).await?;
        if let (Some(ahead), Some(message)) = (&self.ahead, ack.message.clone()) {
            // The last one is looked for a moment before the first one is looked for again.
            for (receipt, pause) in [(Receipt::Sent, 50), (Receipt::Delivered, 70)] {
                let told = Signal::Receipt {
                    message: message.clone(),
                    receipt,
                    when: Timestamp(0),
                    kept: None,
                };
                ahead.send(told).await.ok();
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        }
        let also = ack.message.iter().map(second).collect();
        Ok(Ack { also, ..ack })
    }
}

/// What else an operation makes that makes a message.
pub(crate) fn second(message: &MessageId) -> MessageId {
    format!("{message}.caption").into()
}

/// A bot on one such channel.
pub(crate) struct Place {
    pub(crate) engine: Engine,
    pub(crate) world: World,
    pub(crate) parting: Parting,
    agent: Arc<ScriptAgent>,
    tells: mpsc::Sender<Signal>,
}

impl Place {
    pub(crate) async fn open(world: World) -> Self {
        Self::with(world, false).await
    }

    /// One whose platform is quicker to tell of a message than to acknowledge it.
    pub(crate) async fn open_ahead(world: World) -> Self {
        Self::with(world, true).await
    }

    async fn with(world: World, ahead: bool) -> Self {
        let (tells, later) = mpsc::channel(1);
        let parting = Parting::default();
        let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        let late = Late {
            inner: Arc::clone(&world.loopbacks[&platform::WHATSAPP]),
            later: Mutex::new(later),
            parting: Parting::clone(&parting),
            ahead: ahead.then(|| tells.clone()),
        };
        let mut parts = parts(&world, "", Rules::all(), agent.clone());
        let late: Arc<dyn ChannelAdapter> = Arc::new(late);
        for (id, adapter) in &mut parts.channels {
            if id.as_str() == platform::WHATSAPP.code() {
                *adapter = Arc::clone(&late);
            }
        }
        let engine = Engine::start(parts).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        Self {
            engine,
            world,
            parting,
            agent,
            tells,
        }
    }

    /// Alice writes, and is answered; the platform's names of what she got.
    pub(crate) async fn answer(&self) -> (TurnId, Vec<(OpId, MessageId)>) {
        let turn = self.ask().await;
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

    /// Alice writes; the turn runs on.
    pub(crate) async fn ask(&self) -> Turn {
        let elsewhere = Bot::start().await;
        let message = elsewhere.message(platform::WHATSAPP, "hi");
        self.agent.queue(None, vec![text("Here I am.")]);
        self.engine.submit(message).await.unwrap()
    }

    /// The platform says more of what it acknowledged; whether that was written down.
    pub(crate) async fn tell(&self, signal: impl FnOnce(oneshot::Sender<()>) -> Signal) -> bool {
        let (kept, told) = oneshot::channel();
        self.tells.send(signal(kept)).await.unwrap();
        told.await.is_ok()
    }

    pub(crate) async fn events(&self) -> Vec<Event> {
        self.world.journal.read(Seq(1), 1_000_000).await.unwrap()
    }
}
