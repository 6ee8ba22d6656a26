//! A bot, its server, conversations and a folder of files.

pub(crate) use crate::chance::Even;
pub(crate) use crate::time::Hasty;
use foldback_channels::strict::slack::{Posted, SlackServer};
use foldback_channels::{
    Ack, Arrival, Call, ChannelAdapter, Folder, Refusal, Signal, Slack, SlackApp, SlackEvents, profile,
};
use foldback_wire::{ChannelId, ChannelState, Inbound, Operation, Platform, Secret, Target};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const TOKEN: &str = "xoxb-token-of-a-test";
pub(crate) const APP_TOKEN: &str = "xapp-token-of-a-test";
pub(crate) const SIGNING_SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
/// A channel.
pub(crate) const ROOM: &str = "C0GENERAL1";
/// A direct message.
pub(crate) const DIRECT: &str = "D0ANA00001";

pub(crate) struct Place {
    pub(crate) server: SlackServer,
    pub(crate) adapter: Arc<Slack>,
    pub(crate) dir: tempfile::TempDir,
}

pub(crate) async fn server() -> SlackServer {
    let server = SlackServer::start(TOKEN, APP_TOKEN, "foldback").await.unwrap();
    server.open_room(ROOM);
    server.open_room(DIRECT);
    server
}

pub(crate) fn socket_mode() -> SlackEvents {
    SlackEvents::SocketMode(Secret::new(APP_TOKEN))
}

pub(crate) fn webhooks() -> SlackEvents {
    SlackEvents::Webhooks {
        listen: "127.0.0.1:0".parse().unwrap(),
        signing_secret: Secret::new(SIGNING_SECRET),
    }
}

impl Place {
    pub(crate) async fn open() -> Self {
        Self::receiving(socket_mode()).await
    }

    pub(crate) async fn receiving(events: SlackEvents) -> Self {
        let server = server().await;
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.txt", &b"hello"[..]), ("a.ogg", b"OggS"), ("empty.txt", b"")] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let adapter = adapter(&server.root(), TOKEN, events, dir.path()).unwrap();
        Self { server, adapter, dir }
    }

    pub(crate) async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        self.perform_in(ROOM, None, operation).await
    }

    pub(crate) async fn perform_in(
        &self,
        chat: &str,
        thread: Option<&str>,
        operation: Operation,
    ) -> Result<Ack, Refusal> {
        let target = Target {
            chat: chat.into(),
            thread: thread.map(Into::into),
        };
        let key = "k".to_owned();
        self.adapter
            .perform(Call {
                target,
                operation,
                key,
            })
            .await
    }

    pub(crate) async fn send(&self, text: &str) -> Result<Ack, Refusal> {
        self.perform(said(text)).await
    }

    /// The last message of the channel.
    pub(crate) fn last(&self) -> Posted {
        self.server.messages(ROOM).pop().expect("there is a message").1
    }
}

pub(crate) fn said(text: &str) -> Operation {
    Operation::SendText {
        text: text.into(),
        reply_to: None,
    }
}

pub(crate) fn adapter(
    root: &str,
    token: &str,
    events: SlackEvents,
    dir: &Path,
) -> Result<Arc<Slack>, Refusal> {
    let app = SlackApp {
        token: Secret::new(token),
        events,
        root: root.to_owned(),
    };
    let slack = Slack::new(
        ChannelId::new("slack"),
        profile(Platform::Slack),
        app,
        Folder::new(dir, 60_000_000),
        Arc::new(Hasty),
        Arc::new(Even),
    );
    slack.map(Arc::new)
}

/// What Ana writes.
pub(crate) fn ana(text: &str) -> Value {
    json!({"user": "U0ANA0001", "text": text})
}

pub(crate) struct Run {
    pub(crate) signals: mpsc::Receiver<Signal>,
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<Result<(), Refusal>>,
}

impl Run {
    pub(crate) fn of(adapter: &Arc<Slack>) -> Self {
        // As many places as the switchboard gives an adapter.
        let (sink, signals) = mpsc::channel(1);
        let stop = CancellationToken::new();
        let (adapter, told) = (Arc::clone(adapter), stop.clone());
        let task = tokio::spawn(async move { adapter.run(sink, told).await });
        Self { signals, stop, task }
    }

    pub(crate) async fn arrival(&mut self) -> Arrival {
        loop {
            if let Signal::Message(arrival) = self.signals.recv().await.expect("it runs") {
                return *arrival;
            }
        }
    }

    /// The next message, kept.
    pub(crate) async fn message(&mut self) -> Inbound {
        let arrival = self.arrival().await;
        arrival.kept.unwrap().send(()).unwrap();
        arrival.message
    }

    pub(crate) async fn until(&mut self, wanted: ChannelState) -> String {
        loop {
            if let Signal::State { state, why } = self.signals.recv().await.expect("it runs")
                && state == wanted
            {
                return why;
            }
        }
    }

    /// Where its webhooks arrive.
    pub(crate) async fn address(&mut self) -> SocketAddr {
        let why = self.until(ChannelState::Up).await;
        why.rsplit(' ').next().unwrap().parse().unwrap()
    }

    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }
}

/// Waits until something holds; a test in which it never does hangs.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}
