//! A bot, its server, a chat and a folder of files.

use crate::shared::calls::{call, said, target};
use crate::shared::time::Hasty;
use foldback_channels::{Ack, ChannelAdapter, Folder, Refusal, Telegram, platform, profile};
use foldback_strict::telegram::TelegramServer;
use foldback_wire::{ChannelId, Operation, Secret};
use std::path::Path;
use std::sync::Arc;

pub(crate) const TOKEN: &str = "700001:AAtoken-of-a-test_0123456789abcdefg";
/// A private chat.
pub(crate) const CHAT: i64 = 4_611_686_018_427_387_904;
/// A forum with the topic 7.
pub(crate) const FORUM: i64 = -1_001_234_567_890;

pub(crate) struct Place {
    pub(crate) server: TelegramServer,
    pub(crate) adapter: Arc<Telegram>,
    pub(crate) dir: tempfile::TempDir,
}

impl Place {
    pub(crate) async fn open() -> Self {
        let server = TelegramServer::start(TOKEN, "foldback_bot").await.unwrap();
        server.open_chat(CHAT, &[]);
        server.open_chat(FORUM, &[7]);
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("a.txt", &b"hello"[..]),
            ("a.png", b"png"),
            ("a.ogg", b"OggS"),
            ("a.wav", b"RIFF"),
        ] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let adapter = adapter(&server, TOKEN, dir.path());
        Self { server, adapter, dir }
    }

    pub(crate) async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        self.perform_in(CHAT, None, operation).await
    }

    pub(crate) async fn perform_in(
        &self,
        chat: i64,
        thread: Option<&str>,
        operation: Operation,
    ) -> Result<Ack, Refusal> {
        self.adapter.perform(call(target(chat, thread), operation)).await
    }

    pub(crate) async fn send(&self, text: &str) -> Result<Ack, Refusal> {
        self.perform(said(text)).await
    }
}

pub(crate) fn adapter(server: &TelegramServer, token: &str, dir: &Path) -> Arc<Telegram> {
    Arc::new(made(&server.root(), token, dir).unwrap())
}

pub(crate) fn made(root: &str, token: &str, dir: &Path) -> Result<Telegram, Refusal> {
    Telegram::new(
        ChannelId::new("telegram"),
        profile(platform::TELEGRAM),
        Secret::new(token),
        root,
        Folder::new(dir, 60_000_000),
        Arc::new(Hasty),
    )
}
