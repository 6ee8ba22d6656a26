//! A phone number, its server, a person and a folder of files.

use crate::shared::calls::{call, said, target};
use crate::shared::run::Run;
use crate::shared::time::Hasty;
use foldback_channels::{
    Ack, ChannelAdapter, Folder, Refusal, Signal, WhatsApp, WhatsAppNumber, platform, profile,
};
use foldback_strict::whatsapp::{Credentials, WhatsAppServer, sign};
use foldback_wire::{ChannelId, ChannelState, Operation, Secret};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::oneshot;

/// The id of the phone number.
pub(crate) const NUMBER: &str = "106540352242922";
pub(crate) const TOKEN: &str = "EAAJB-token-of-a-test";
pub(crate) const APP_SECRET: &str = "app-secret-of-a-test";
pub(crate) const VERIFY: &str = "verify word, of a test & more";
/// A person.
pub(crate) const ANA: &str = "16505551234";
/// A person who hides her number.
pub(crate) const BEA: &str = "US.13491208655302741918";
pub(crate) const GROUP: &str = "Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD";

pub(crate) struct Place {
    pub(crate) server: WhatsAppServer,
    pub(crate) adapter: Arc<WhatsApp>,
    pub(crate) dir: tempfile::TempDir,
}

impl Place {
    pub(crate) async fn open() -> Self {
        let credentials = Credentials {
            number: NUMBER.into(),
            token: TOKEN.into(),
            app_secret: APP_SECRET.into(),
        };
        let server = WhatsAppServer::start(credentials).await.unwrap();
        for chat in [ANA, BEA, GROUP] {
            server.open_chat(chat);
        }
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("a.txt", &b"hello"[..]),
            ("a.csv", b"a,b"),
            ("a.png", b"png"),
            ("a.ogg", b"OggS"),
            ("a.mp3", b"ID3"),
            ("a.mp4", b"ftyp"),
            ("a.zip", b"PK"),
        ] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let adapter = adapter(&server, number(), dir.path());
        Self { server, adapter, dir }
    }

    pub(crate) async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        self.perform_in(ANA, operation).await
    }

    pub(crate) async fn perform_in(&self, chat: &str, operation: Operation) -> Result<Ack, Refusal> {
        self.adapter.perform(call(target(chat, None), operation)).await
    }

    pub(crate) async fn send(&self, text: &str) -> Result<Ack, Refusal> {
        self.perform(said(text)).await
    }
}

pub(crate) fn number() -> WhatsAppNumber {
    WhatsAppNumber {
        id: NUMBER.into(),
        token: Secret::new(TOKEN),
        app_secret: Secret::new(APP_SECRET),
        verify_token: Secret::new(VERIFY),
        listen: "127.0.0.1:0".parse().unwrap(),
    }
}

pub(crate) fn adapter(server: &WhatsAppServer, number: WhatsAppNumber, dir: &Path) -> Arc<WhatsApp> {
    Arc::new(made(number, &server.root(), dir).unwrap())
}

pub(crate) fn made(number: WhatsAppNumber, root: &str, dir: &Path) -> Result<WhatsApp, Refusal> {
    WhatsApp::new(
        ChannelId::new("whatsapp"),
        profile(platform::WHATSAPP),
        number,
        root,
        Folder::new(dir, 200_000_000),
        Arc::new(Hasty),
    )
}

impl Run {
    /// A run that is up, and where its webhooks arrive.
    pub(crate) async fn up(adapter: &Arc<WhatsApp>) -> (Self, String) {
        let mut run = Self::of(adapter);
        let why = run.until(ChannelState::Up).await;
        let (_, address) = why.rsplit_once(' ').unwrap();
        (run, format!("http://{address}/whatsapp"))
    }

    /// A run that is up and registered.
    pub(crate) async fn registered(place: &Place) -> Self {
        let (run, callback) = Self::up(&place.adapter).await;
        place.server.register(&callback, VERIFY).await.unwrap();
        run
    }

    /// Who waits until the next loss is written down.
    pub(crate) async fn loss(&mut self) -> oneshot::Sender<()> {
        loop {
            if let Signal::Undelivered { kept, .. } = self.next().await {
                return kept.unwrap();
            }
        }
    }

    /// The next message that did not arrive, with the reason; written down.
    pub(crate) async fn lost(&mut self) -> (String, Refusal) {
        loop {
            if let Signal::Undelivered {
                message,
                refusal,
                kept,
            } = self.next().await
            {
                kept.unwrap().send(()).unwrap();
                return (message.to_string(), refusal);
            }
        }
    }
}

/// Sends a webhook with its signature, and gives the status of the answer.
pub(crate) async fn post(callback: &str, body: &Value) -> u16 {
    let body = body.to_string();
    let signature = sign(APP_SECRET, body.as_bytes());
    post_signed(callback, Some(&signature), body.into_bytes()).await
}

pub(crate) async fn post_signed(callback: &str, signature: Option<&str>, body: Vec<u8>) -> u16 {
    let mut request = reqwest::Client::new().post(callback).body(body);
    if let Some(signature) = signature {
        request = request.header("x-hub-signature-256", signature);
    }
    request.send().await.unwrap().status().as_u16()
}
