//! A bot, its server, a chat and a folder of files.

pub(crate) use crate::chance::Even;
pub(crate) use crate::time::Hasty;
use foldback_channels::strict::telegram::TelegramServer;
use foldback_channels::{Ack, Call, ChannelAdapter, Folder, Refusal, Telegram, profile};
use foldback_wire::{ChannelId, Operation, Platform, Secret, Target};
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
        let target = Target {
            chat: chat.to_string().into(),
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
}

pub(crate) fn said(text: &str) -> Operation {
    Operation::SendText {
        text: text.into(),
        reply_to: None,
    }
}

pub(crate) fn adapter(server: &TelegramServer, token: &str, dir: &std::path::Path) -> Arc<Telegram> {
    let telegram = Telegram::new(
        ChannelId::new("telegram"),
        profile(Platform::Telegram),
        Secret::new(token),
        &server.root(),
        Folder::new(dir, 60_000_000),
        Arc::new(Hasty),
        Arc::new(Even),
    );
    Arc::new(telegram.unwrap())
}
