//! A bot, its server, a post that mentions it, and a folder for what is kept.

use crate::shared::calls::{call, said, target};
use crate::shared::time::Hasty;
use foldback_channels::{Ack, ChannelAdapter, Refusal, X, XApp, XFiles, platform, profile};
use foldback_strict::x::{XClient, XServer};
use foldback_wire::{ChannelId, Operation, Secret};
use std::path::Path;
use std::sync::Arc;

pub(crate) const CLIENT: &str = "Y2xpZW50LW9mLWEtdGVzdA";
pub(crate) const TOKEN: &str = "refresh-token-of-a-test";
pub(crate) const BOT: u64 = 700_001;
pub(crate) const NAME: &str = "foldback_bot";
pub(crate) const ANA: u64 = 42;

pub(crate) struct Place {
    pub(crate) server: XServer,
    pub(crate) adapter: Arc<X>,
    pub(crate) dir: tempfile::TempDir,
    /// A post of Ana that the bot may answer.
    pub(crate) post: u64,
}

impl Place {
    pub(crate) async fn open() -> Self {
        Self::of(XClient::public(CLIENT, TOKEN, BOT, NAME)).await
    }

    pub(crate) async fn of(client: XClient) -> Self {
        let server = XServer::start(client).await.unwrap();
        server.open_user(ANA, "ana");
        let post = server.post(ANA, "Hello all");
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.txt", &b"hello"[..]), ("a.ogg", b"OggS")] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let adapter = Arc::new(made(app(), &server.root(), dir.path()).unwrap());
        Self {
            server,
            adapter,
            dir,
            post,
        }
    }

    /// The adapter of the next process.
    pub(crate) fn restarted(&self) -> Arc<X> {
        Arc::new(made(app(), &self.server.root(), self.dir.path()).unwrap())
    }

    pub(crate) async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        self.perform_in(None, operation).await
    }

    pub(crate) async fn perform_in(&self, thread: Option<u64>, operation: Operation) -> Result<Ack, Refusal> {
        let thread = thread.map(|thread| thread.to_string());
        let target = target(self.post, thread.as_deref());
        self.adapter.perform(call(target, operation)).await
    }

    pub(crate) async fn send(&self, text: &str) -> Result<Ack, Refusal> {
        self.perform(said(text)).await
    }
}

pub(crate) fn app() -> XApp {
    XApp {
        client_id: CLIENT.into(),
        client_secret: None,
        refresh_token: Secret::new(TOKEN),
    }
}

pub(crate) fn made(app: XApp, root: &str, folder: &Path) -> Result<X, Refusal> {
    named("x", app, root, folder)
}

/// The adapter of a channel of this name.
pub(crate) fn named(channel: &str, app: XApp, root: &str, folder: &Path) -> Result<X, Refusal> {
    let files = XFiles {
        folder: folder.to_owned(),
        journal: None,
    };
    X::new(
        ChannelId::new(channel),
        profile(platform::X),
        app,
        root,
        &files,
        Arc::new(Hasty),
    )
}
