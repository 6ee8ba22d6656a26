//! An account, its daemon, people, a group and a folder of files.

use crate::shared::calls::{call, said, target};
use crate::shared::run::Run;
use foldback_channels::{Ack, ChannelAdapter, Folder, Refusal, SignalCli, platform, profile};
use foldback_strict::signal::{SignalServer, Start};
use foldback_wire::{ChannelId, ChannelState, Clock, Operation, Sleep, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The account.
pub(crate) const ME: &str = "+4915500000001";
/// A person who writes to it.
pub(crate) const ANA: &str = "+33123456789";
pub(crate) const ANA_ACI: &str = "7ccae375-cd51-4c82-8b1e-7be3280aa485";
/// Another one, who is in the group too.
pub(crate) const BEN: &str = "+33987654321";
/// A group with all three.
pub(crate) const GROUP: &str = "Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=";

/// Time as it is, with waits shortened a thousandfold; but the patience of a call, a minute or more, is real until
/// it is lost.
#[derive(Default)]
pub(crate) struct Hasty {
    pub(crate) impatient: AtomicBool,
}

impl Clock for Hasty {
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_millisecond())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let wait = until.since(self.now());
        let patience = wait >= Duration::from_secs(9) && !self.impatient.load(Ordering::SeqCst);
        Box::pin(tokio::time::sleep(if patience { wait } else { wait / 1_000 }))
    }
}

pub(crate) struct Place {
    pub(crate) server: SignalServer,
    pub(crate) adapter: Arc<SignalCli>,
    pub(crate) dir: tempfile::TempDir,
    pub(crate) clock: Arc<Hasty>,
}

/// A daemon of one account among several, started as the documentation of the channel says.
pub(crate) fn several() -> Start {
    Start {
        accounts: vec![ME.into()],
        ..Start::default()
    }
}

impl Place {
    pub(crate) async fn open() -> Self {
        Self::started(several(), Some(ME)).await
    }

    pub(crate) async fn started(start: Start, account: Option<&str>) -> Self {
        Self::at(SignalServer::start(start).await.unwrap(), account)
    }

    pub(crate) fn at(server: SignalServer, account: Option<&str>) -> Self {
        populate(&server);
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("a.txt", &b"hello"[..]),
            ("a.ogg", b"OggS"),
            ("größe; 1+1=2.png", b"png"),
        ] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        let clock = Arc::new(Hasty::default());
        let adapter = adapter(server.root(), account, dir.path(), &clock).unwrap();
        Self {
            server,
            adapter: Arc::new(adapter),
            dir,
            clock,
        }
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

    /// The adapter, for another daemon.
    pub(crate) fn adapter_at(&self, root: &str) -> Result<SignalCli, Refusal> {
        adapter(root, Some(ME), self.dir.path(), &self.clock)
    }

    /// Sends through another daemon.
    pub(crate) async fn send_to(&self, root: &str) -> Result<Ack, Refusal> {
        let call = call(target(ANA, None), said("hi"));
        self.adapter_at(root)?.perform(call).await
    }

    pub(crate) fn run(&self) -> Run {
        Run::of(&self.adapter)
    }
}

pub(crate) fn populate(server: &SignalServer) {
    server.register(ANA, ANA_ACI, "Ana");
    server.register(BEN, "0aa5a8e0-9b0c-4a43-8a4f-2f0f2d7f6b11", "");
    server.open_group(GROUP, &[ME, ANA, BEN]);
}

fn adapter(
    root: &str,
    account: Option<&str>,
    dir: &std::path::Path,
    clock: &Arc<Hasty>,
) -> Result<SignalCli, Refusal> {
    SignalCli::new(
        ChannelId::new("signal"),
        profile(platform::SIGNAL),
        account.map(str::to_owned),
        root,
        Folder::new(dir, 60_000_000),
        clock.clone(),
    )
}

/// The chat of the group.
pub(crate) fn group() -> String {
    format!("group:{GROUP}")
}

impl Run {
    pub(crate) async fn up(&mut self) {
        self.until(ChannelState::Up).await;
    }
}
