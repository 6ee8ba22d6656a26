//! Foldback's side.

use super::protocol::{Line, Reply, Request};
use crate::loopback::file_size;
use crate::sim::CallFault;
use crate::{
    Ack, Arrival, Call, ChannelAdapter, Connection, ConnectionEnd, Refusal, Signal, ThreadPart, ThreadQuery,
};
use async_trait::async_trait;
use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use foldback_wire::{Attachment, Capabilities, ChannelState, ChatId, Clock, Inbound, RefusalCode};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;

/// How long a call may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// An adapter whose platform is another process. Messages come in at least once: the platform keeps each until
/// it is durable here, and one that was handed over when the connection broke comes again, under its id.
pub struct RemoteLoopback {
    capabilities: Capabilities,
    platform: SocketAddr,
    clock: Arc<dyn Clock>,
    send_dir: Option<PathBuf>,
}

impl RemoteLoopback {
    /// An adapter on the platform that listens there. `capabilities` are to be those it serves; about
    /// `send_dir` see [`crate::Loopback::new`].
    pub fn new(
        capabilities: Capabilities,
        platform: SocketAddr,
        clock: Arc<dyn Clock>,
        send_dir: Option<PathBuf>,
    ) -> Self {
        Self {
            capabilities,
            platform,
            clock,
            send_dir,
        }
    }

    /// Somebody writes to the bot. Returns once the platform has the message.
    pub async fn inject(&self, message: Inbound) -> Result<(), Refusal> {
        self.ask(&Request::Inject {
            message: Box::new(message),
        })
        .await
        .map(drop)
    }

    /// Somebody sends a file with a message: gives the handle to fetch it by.
    pub async fn keep(&self, bytes: &[u8]) -> Result<String, Refusal> {
        let bytes = BASE64.encode(bytes);
        match self.ask(&Request::Keep { bytes }).await? {
            Reply::Kept { handle } => Ok(handle),
            _ => Err(other()),
        }
    }

    /// Plans a fault.
    pub async fn plan(&self, fault: CallFault) -> Result<(), Refusal> {
        self.ask(&Request::Plan { fault }).await.map(drop)
    }

    /// Asks on a connection of its own.
    async fn ask(&self, request: &Request) -> Result<Reply, Refusal> {
        let transient = |detail: String| Refusal::new(RefusalCode::Transient, detail);
        let connection = TcpStream::connect(self.platform).await;
        let mut line = Line::new(connection.map_err(|e| transient(format!("cannot connect: {e}")))?);
        // From the first byte on nobody can know how far it came.
        let exchange = async {
            line.write(request).await?;
            line.read()
                .await?
                .ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))
        };
        tokio::select! {
            reply = exchange => reply.map_err(|e| transient(format!("the connection broke: {e}")).or_done()),
            () = self.clock.sleep_until(self.clock.now().plus(PATIENCE)) => {
                Err(transient("no answer in time".into()).or_done())
            }
        }
    }

    /// Listens on one connection until it breaks.
    async fn listen(&self, connection: &Connection) -> io::Result<Infallible> {
        let mut line = Line::new(TcpStream::connect(self.platform).await?);
        line.write(&Request::Listen).await?;
        connection.report(ChannelState::Up, "connected").await;
        connection.confirm();
        loop {
            let Some(Reply::Message { message }) = line.read().await? else {
                return Err(io::ErrorKind::UnexpectedEof.into());
            };
            let id = message.message.clone();
            let (arrival, kept) = Arrival::until_kept(*message);
            // A closed sink ends the run, and leaves the message unkept.
            let _ = connection.sink().send(Signal::Message(Box::new(arrival))).await;
            if kept.await.is_err() {
                return Err(io::Error::other(format!("message {id} was not kept")));
            }
            line.write(&Request::Got { message: id }).await?;
        }
    }
}

#[async_trait]
impl ChannelAdapter for RemoteLoopback {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        connection.report(ChannelState::Connecting, "connecting").await;
        let Err(error) = self.listen(connection).await;
        ConnectionEnd::Lost(Refusal::new(RefusalCode::Transient, error.to_string()))
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let size = file_size(self.send_dir.as_deref(), &call.operation)?;
        match self.ask(&Request::Perform { call, size }).await? {
            Reply::Answer { answer } => answer,
            _ => Err(other().or_done()),
        }
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let handle = file.source.clone().ok_or_else(Refusal::no_handle)?;
        let Reply::File { file } = self.ask(&Request::Fetch { handle, limit }).await? else {
            return Err(other());
        };
        let bytes = BASE64.decode(file?).map_err(|_| other())?;
        if bytes.len() as u64 > limit {
            return Err(Refusal::too_large(limit));
        }
        Ok(bytes)
    }

    async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        let query = query.clone();
        match self.ask(&Request::ReadThread { query }).await? {
            Reply::Thread { part } => Ok(part),
            _ => Err(other()),
        }
    }
}

fn other() -> Refusal {
    Refusal::new(RefusalCode::Transient, "the platform answered something else")
}
