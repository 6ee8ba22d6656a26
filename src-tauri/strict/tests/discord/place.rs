//! A bot, its server, some channels and a folder of files.

use crate::shared::calls::{call, said, target};
use crate::shared::chance::Even;
use crate::shared::time::Hasty;
use foldback_channels::{Ack, ChannelAdapter, Discord, Folder, Refusal, platform, profile};
use foldback_strict::discord::DiscordServer;
use foldback_wire::{Capabilities, ChannelId, Clock, Operation, Secret};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const TOKEN: &str = "NzAwMDAwMDAwMDAwMDAwMDAx.Gtest1.a-token-of-a-test_0123456789";
/// A channel of a server. No double has this number.
pub(crate) const ROOM: u64 = 9_007_199_254_740_993;
/// A thread of it.
pub(crate) const THREAD: u64 = 18_446_744_073_709_551_615;
/// A direct conversation.
pub(crate) const DIRECT: u64 = 1_111_111_111_111_111_111;

pub(crate) struct Place {
    pub(crate) server: DiscordServer,
    pub(crate) adapter: Arc<Discord>,
    pub(crate) dir: tempfile::TempDir,
}

impl Place {
    pub(crate) async fn open() -> Self {
        let server = DiscordServer::start(TOKEN, "foldback").await.unwrap();
        server.open_channel(ROOM);
        server.open_thread(THREAD, ROOM);
        server.open_direct(DIRECT);
        // As long as hearts really have between two beats, with waits shortened.
        server.beat_every(Duration::from_secs(41_250));
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.txt", &b"hello"[..]), ("a.ogg", b"OggS")] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let adapter = Arc::new(adapter(&server, TOKEN, dir.path()));
        Self { server, adapter, dir }
    }

    pub(crate) async fn perform(&self, operation: Operation) -> Result<Ack, Refusal> {
        self.perform_in(ROOM, None, operation).await
    }

    pub(crate) async fn perform_in(
        &self,
        chat: u64,
        thread: Option<u64>,
        operation: Operation,
    ) -> Result<Ack, Refusal> {
        let thread = thread.map(|thread| thread.to_string());
        let target = target(chat, thread.as_deref());
        self.adapter.perform(call(target, operation)).await
    }

    pub(crate) async fn send(&self, text: &str) -> Result<Ack, Refusal> {
        self.perform(said(text)).await
    }
}

pub(crate) fn adapter(server: &DiscordServer, token: &str, dir: &Path) -> Discord {
    adapter_that(profile(platform::DISCORD), server, token, dir)
}

/// One of other abilities.
pub(crate) fn adapter_that(can: Capabilities, server: &DiscordServer, token: &str, dir: &Path) -> Discord {
    made(can, &server.root(), token, dir, Arc::new(Hasty)).unwrap()
}

/// The same, with another clock.
pub(crate) fn timed(server: &DiscordServer, token: &str, dir: &Path, clock: Arc<dyn Clock>) -> Discord {
    made(profile(platform::DISCORD), &server.root(), token, dir, clock).unwrap()
}

pub(crate) fn made(
    can: Capabilities,
    root: &str,
    token: &str,
    dir: &Path,
    clock: Arc<dyn Clock>,
) -> Result<Discord, Refusal> {
    Discord::new(
        ChannelId::new("discord"),
        can,
        Secret::new(token),
        root,
        Folder::new(dir, 60_000_000),
        clock,
        Arc::new(Even),
    )
}
