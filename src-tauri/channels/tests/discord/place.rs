//! A bot, its server, some channels and a folder of files.

pub(crate) use crate::chance::Even;
pub(crate) use crate::time::Hasty;
use foldback_channels::strict::discord::DiscordServer;
use foldback_channels::{Ack, Call, ChannelAdapter, Discord, Folder, Refusal, profile};
use foldback_wire::{Capabilities, ChannelId, Clock, Operation, Platform, Secret, Target};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
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
    calls: AtomicU32,
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
        Self {
            server,
            adapter,
            dir,
            calls: AtomicU32::new(0),
        }
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
        let target = Target {
            chat: chat.to_string().into(),
            thread: thread.map(|thread| thread.to_string().into()),
        };
        let key = format!("k{}", self.calls.fetch_add(1, Ordering::Relaxed));
        let call = Call {
            target,
            operation,
            key,
        };
        self.adapter.perform(call).await
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

pub(crate) fn adapter(server: &DiscordServer, token: &str, dir: &std::path::Path) -> Discord {
    adapter_that(profile(Platform::Discord), server, token, dir)
}

/// One of other abilities.
pub(crate) fn adapter_that(
    can: Capabilities,
    server: &DiscordServer,
    token: &str,
    dir: &std::path::Path,
) -> Discord {
    made(can, server, token, dir, Arc::new(Hasty))
}

/// The same, with another clock.
pub(crate) fn timed(
    server: &DiscordServer,
    token: &str,
    dir: &std::path::Path,
    clock: Arc<dyn Clock>,
) -> Discord {
    made(profile(Platform::Discord), server, token, dir, clock)
}

fn made(
    can: Capabilities,
    server: &DiscordServer,
    token: &str,
    dir: &std::path::Path,
    clock: Arc<dyn Clock>,
) -> Discord {
    let discord = Discord::new(
        ChannelId::new("discord"),
        can,
        Secret::new(token),
        &server.root(),
        Folder::new(dir, 60_000_000),
        clock,
        Arc::new(Even),
    );
    discord.unwrap()
}
