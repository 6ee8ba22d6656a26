//! A bot, its server, conversations and a folder of files.

use crate::shared::calls::{call, said, target};
use crate::shared::run::Run;
use crate::shared::time::Hasty;
use foldback_channels::{
    Ack, ChannelAdapter, Folder, Refusal, Slack, SlackApp, SlackEvents, platform, profile,
};
use foldback_strict::slack::{Person, Posted, SlackServer};
use foldback_wire::{ChannelId, ChannelState, Clock, Operation, Secret};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

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
        Self::receiving_at(events, Arc::new(Hasty)).await
    }

    pub(crate) async fn receiving_at(events: SlackEvents, clock: Arc<dyn Clock>) -> Self {
        let server = server().await;
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.txt", &b"hello"[..]), ("a.ogg", b"OggS"), ("empty.txt", b"")] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let adapter = adapter_at(&server.root(), TOKEN, events, dir.path(), clock).unwrap();
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
        self.adapter.perform(call(target(chat, thread), operation)).await
    }

    pub(crate) async fn send(&self, text: &str) -> Result<Ack, Refusal> {
        self.perform(said(text)).await
    }

    /// A run of its adapter, once it is connected.
    pub(crate) async fn running(&self) -> Run {
        let mut run = Run::of(&self.adapter);
        run.until(ChannelState::Up).await;
        run
    }

    /// The last message of the channel.
    pub(crate) fn last(&self) -> Posted {
        self.server.messages(ROOM).pop().expect("there is a message").1
    }
}

pub(crate) fn adapter(
    root: &str,
    token: &str,
    events: SlackEvents,
    dir: &Path,
) -> Result<Arc<Slack>, Refusal> {
    adapter_at(root, token, events, dir, Arc::new(Hasty))
}

fn adapter_at(
    root: &str,
    token: &str,
    events: SlackEvents,
    dir: &Path,
    clock: Arc<dyn Clock>,
) -> Result<Arc<Slack>, Refusal> {
    let app = SlackApp {
        token: Secret::new(token),
        events,
        root: root.to_owned(),
    };
    let slack = Slack::new(
        ChannelId::new("slack"),
        profile(platform::SLACK),
        app,
        Folder::new(dir, 60_000_000),
        clock,
    );
    slack.map(Arc::new)
}

/// A person as the server knows them.
pub(crate) fn person(account: &str, real_name: &str, display_name: &str) -> Person {
    Person {
        account: account.to_owned(),
        real_name: real_name.to_owned(),
        display_name: display_name.to_owned(),
    }
}

/// What Ana writes.
pub(crate) fn ana(text: &str) -> Value {
    json!({"user": "U0ANA0001", "text": text})
}

impl Run {
    /// Where its webhooks arrive.
    pub(crate) async fn address(&mut self) -> SocketAddr {
        let why = self.until(ChannelState::Up).await;
        why.rsplit(' ').next().unwrap().parse().unwrap()
    }
}
