//! The loopback channel: an adapter on a platform that is simulated in this process.

use crate::folder::Folder;
use crate::sim::SimPlatform;
use crate::{
    Ack, Arrival, Call, ChannelAdapter, Connection, ConnectionEnd, Refusal, Signal, ThreadPart, ThreadQuery,
};
use async_trait::async_trait;
use foldback_wire::{
    Attachment, Capabilities, ChannelState, ChatId, Clock, Inbound, MessageId, Operation, RefusalCode,
    Timestamp,
};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Messages that wait for a channel that is off or slow.
const INBOX: usize = 1_024;

/// Too many messages wait for the channel already.
#[derive(Debug, thiserror::Error)]
#[error("{INBOX} messages wait for this channel already; it is off or too slow")]
pub struct InboxFull;

/// An adapter whose platform lives in this process.
pub struct Loopback {
    capabilities: Capabilities,
    platform: Mutex<SimPlatform>,
    clock: Arc<dyn Clock>,
    send_dir: Option<PathBuf>,
    down_until: watch::Sender<Option<Timestamp>>,
    outside: mpsc::Sender<Inbound>,
    /// Held by an attempt to connect: there is one at a time.
    inbox: tokio::sync::Mutex<mpsc::Receiver<Inbound>>,
}

impl Loopback {
    /// A channel on an empty platform with these rules. Without `send_dir` the sizes of files are not
    /// checked; with it, paths are taken from there and a missing file is refused.
    pub fn new(capabilities: Capabilities, clock: Arc<dyn Clock>, send_dir: Option<PathBuf>) -> Self {
        let (outside, inbox) = mpsc::channel(INBOX);
        Self {
            platform: Mutex::new(SimPlatform::new(capabilities.clone())),
            capabilities,
            clock,
            send_dir,
            down_until: watch::Sender::new(None),
            outside,
            inbox: tokio::sync::Mutex::new(inbox),
        }
    }

    /// Somebody writes to the bot. The message waits while the channel is off.
    pub fn inject(&self, inbound: Inbound) -> Result<(), InboxFull> {
        let place = self.outside.try_reserve().map_err(|_| InboxFull)?;
        place.send(self.platform().receive(inbound));
        Ok(())
    }

    /// A fresh id for a message to inject, in the platform's form.
    pub fn mint(&self, chat: &ChatId) -> MessageId {
        self.platform().mint(self.clock.now(), chat)
    }

    /// The platform behind the channel, to plan faults and to look. Hold the guard only briefly: operations
    /// wait for it.
    pub fn platform(&self) -> MutexGuard<'_, SimPlatform> {
        // A panic while it was held came from a caller's own code; the state itself is whole.
        self.platform.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Breaks the connection for `outage`; then it comes back by itself.
    pub fn disconnect(&self, outage: Duration) {
        self.down_until.send_replace(Some(self.clock.now().plus(outage)));
    }

    fn connected(&self) -> bool {
        self.down_until
            .borrow()
            .is_none_or(|until| until <= self.clock.now())
    }

    /// Reports that the connection is broken and waits until it is back.
    async fn sit_out(&self, connection: &Connection, until: Timestamp) {
        connection
            .report(ChannelState::Down, "the connection broke")
            .await;
        let mut down = self.down_until.subscribe();
        let mut until = Some(until);
        // A second outage during the first may last longer, or shorter.
        while let Some(end) = until.filter(|end| *end > self.clock.now()) {
            tokio::select! {
                () = self.clock.sleep_until(end) => {}
                _ = down.changed() => until = *down.borrow_and_update(),
            }
        }
        connection.report(ChannelState::Connecting, "trying again").await;
        connection.report(ChannelState::Up, "connected").await;
    }

    async fn receive(&self, connection: &Connection) -> Infallible {
        let mut inbox = self.inbox.lock().await;
        let mut down = self.down_until.subscribe();
        connection.report(ChannelState::Connecting, "connecting").await;
        connection.report(ChannelState::Up, "connected").await;
        loop {
            let until = *down.borrow_and_update();
            if let Some(until) = until.filter(|until| *until > self.clock.now()) {
                self.sit_out(connection, until).await;
                continue;
            }
            // The place in the sink comes first: a message taken out of the inbox is never lost to a stop.
            let Ok(place) = connection.sink().reserve().await else {
                // Nobody listens any more, which ends the run.
                return std::future::pending().await;
            };
            tokio::select! {
                biased;
                _ = down.changed() => {}
                Some(inbound) = inbox.recv() => place.send(Signal::Message(Box::new(Arrival::new(inbound)))),
            }
        }
    }
}

/// The size of an operation's file, where it has one and the folder is known.
pub(crate) fn file_size(send_dir: Option<&Path>, operation: &Operation) -> Result<Option<u64>, Refusal> {
    let (Some(dir), Operation::SendFile { path, checked, .. } | Operation::SendVoice { path, checked, .. }) =
        (send_dir, operation)
    else {
        return Ok(None);
    };
    if let Some(checked) = checked {
        let open = Folder::new(dir, u64::MAX).open_checked(path, *checked)?;
        return Ok(Some(open.size));
    }
    match std::fs::metadata(dir.join(path)) {
        Ok(file) => Ok(Some(file.len())),
        Err(e) => Err(Refusal::new(
            RefusalCode::Rejected,
            format!("{path} cannot be read: {e}"),
        )),
    }
}

#[async_trait]
impl ChannelAdapter for Loopback {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Never ends: an outage is over by itself.
    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        match self.receive(connection).await {}
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let handle = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        let file = self.platform().file(handle)?;
        self.clock.sleep_until(self.clock.now().plus(file.takes)).await;
        file.read(limit)
    }

    async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        if !self.connected() {
            return Err(Refusal::new(RefusalCode::Transient, "not connected"));
        }
        Ok(self.platform().read_thread(query))
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        if !self.connected() {
            return Err(Refusal::new(RefusalCode::Transient, "not connected"));
        }
        let size = file_size(self.send_dir.as_deref(), &call.operation)?;
        let fault = self.platform().set_out(call.operation.kind());
        if let Some(fault) = &fault {
            self.clock
                .sleep_until(self.clock.now().plus(fault.latency()))
                .await;
        }
        let answer = self
            .platform()
            .arrive(self.clock.now(), call, size, fault.as_ref());
        if let Some(outage) = fault.and_then(|f| f.outage()) {
            self.disconnect(outage);
        }
        answer
    }
}
