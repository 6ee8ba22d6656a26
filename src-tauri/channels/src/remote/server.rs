//! The platform's side.

use super::protocol::{Line, Reply, Request};
use crate::Call;
use crate::sim::{CallFailure, Record, SimPlatform};
use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use foldback_wire::{Clock, Inbound};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Why a platform had to end.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Nobody can connect any more.
    #[error("cannot accept connections: {0}")]
    Accept(io::Error),
    /// Without evidence nothing may be acknowledged.
    #[error("cannot write the log: {0}")]
    Log(io::Error),
}

/// Serves a platform until `stop` is cancelled. Every call is in `log`, synced to the disk, before it is
/// answered.
pub async fn serve(
    listener: TcpListener,
    platform: SimPlatform,
    log: File,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let site = Arc::new(Site {
        ledger: Mutex::new(Ledger { platform, log }),
        clock,
        inbox: watch::Sender::new(VecDeque::new()),
        listener: watch::Sender::new(0),
    });
    let mut visits = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            stream = listener.accept() => {
                let (stream, _) = stream.map_err(ServeError::Accept)?;
                visits.spawn(Arc::clone(&site).visit(stream));
            }
            Some(visit) = visits.join_next() => {
                if let Ok(Err(Trouble::Log(error))) = visit {
                    return Err(ServeError::Log(error));
                }
            }
        }
    }
}

/// The calls that a log holds. A last line without its end was never acknowledged, and is left out.
pub fn read_log(path: &Path) -> io::Result<Vec<Record>> {
    let mut records = Vec::new();
    let mut log = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    while log.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        records.push(serde_json::from_slice(&line)?);
        line.clear();
    }
    Ok(records)
}

/// How a connection ends before its time.
enum Trouble {
    /// The other side is gone or talks nonsense: nothing that concerns the others.
    Caller,
    /// The log cannot be written.
    Log(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(_: io::Error) -> Self {
        Self::Caller
    }
}

struct Ledger {
    platform: SimPlatform,
    log: File,
}

struct Site {
    /// One lock for both: the log has the calls in the order in which they took effect.
    ledger: Mutex<Ledger>,
    clock: Arc<dyn Clock>,
    /// Messages that nobody has in safe hands yet.
    inbox: watch::Sender<VecDeque<Inbound>>,
    /// Which connection listens: the latest.
    listener: watch::Sender<u64>,
}

impl Site {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // Nothing panics while it holds the lock; and if it did, the log would still be the truth.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn visit(self: Arc<Self>, stream: TcpStream) -> Result<(), Trouble> {
        stream.set_nodelay(true)?;
        let mut line = Line::new(stream);
        while let Some(request) = line.read().await? {
            match request {
                Request::Perform { call, size } => {
                    let Some(answer) = self.perform(call, size).await? else {
                        return Ok(()); // the answer is lost, and the connection with it
                    };
                    line.write(&answer).await?;
                }
                Request::Inject { message } => {
                    let message = self.ledger().platform.receive(*message);
                    self.inbox.send_modify(|inbox| inbox.push_back(message));
                    line.write(&Reply::Noted).await?;
                }
                Request::Keep { bytes } => {
                    let bytes = BASE64.decode(bytes).map_err(|_| Trouble::Caller)?;
                    let handle = self.ledger().platform.keep(bytes);
                    line.write(&Reply::Kept { handle }).await?;
                }
                Request::Fetch { handle, limit } => {
                    let file = self.ledger().platform.file(&handle);
                    let file = file
                        .and_then(|file| file.read(limit))
                        .map(|bytes| BASE64.encode(bytes));
                    line.write(&Reply::File { file }).await?;
                }
                Request::ReadThread { query } => {
                    let part = self.ledger().platform.read_thread(&query);
                    line.write(&Reply::Thread { part }).await?;
                }
                Request::Plan { fault } => {
                    self.ledger().platform.plan(fault);
                    line.write(&Reply::Noted).await?;
                }
                Request::Listen => return self.hand_over(line).await,
                Request::Got { .. } => return Err(Trouble::Caller),
            }
        }
        Ok(())
    }

    /// Performs a call; `None` when its answer is to be lost on the way.
    async fn perform(&self, call: Call, size: Option<u64>) -> Result<Option<Reply>, Trouble> {
        let fault = self.ledger().platform.set_out(call.operation.kind());
        if let Some(fault) = &fault {
            self.clock
                .sleep_until(self.clock.now().plus(fault.latency()))
                .await;
        }
        let answer = self
            .ledger()
            .arrive(self.clock.now(), call, size, fault.as_ref())?;
        Ok(match fault.and_then(|f| f.fail) {
            Some(CallFailure::Disconnect) => {
                self.listener.send_modify(|latest| *latest += 1); // whoever listens is cut off
                None
            }
            Some(CallFailure::LostAck) => None,
            _ => Some(Reply::Answer { answer }),
        })
    }

    async fn hand_over(&self, mut line: Line) -> Result<(), Trouble> {
        let mut latest = self.listener.subscribe();
        let mine = {
            let mut mine = 0;
            self.listener.send_modify(|latest| {
                *latest += 1;
                mine = *latest;
            });
            mine
        };
        let mut inbox = self.inbox.subscribe();
        loop {
            let message = tokio::select! {
                _ = latest.wait_for(|latest| *latest != mine) => return Ok(()),
                // Nothing is to be said before a message came: this is the end of the connection.
                _ = line.read::<Request>() => return Ok(()),
                waiting = inbox.wait_for(|inbox| !inbox.is_empty()) => {
                    waiting.ok().and_then(|inbox| inbox.front().cloned())
                }
            };
            let Some(message) = message else { continue };
            let id = message.message.clone();
            line.write(&Reply::Message {
                message: Box::new(message),
            })
            .await?;
            tokio::select! {
                _ = latest.wait_for(|latest| *latest != mine) => return Ok(()),
                got = line.read() => match got? {
                    Some(Request::Got { message }) if message == id => {}
                    _ => return Ok(()),
                }
            }
            self.inbox
                .send_if_modified(|inbox| inbox.pop_front_if(|front| front.message == id).is_some());
        }
    }
}

impl Ledger {
    fn arrive(
        &mut self,
        now: foldback_wire::Timestamp,
        call: Call,
        size: Option<u64>,
        fault: Option<&crate::sim::CallFault>,
    ) -> Result<Result<crate::Ack, crate::Refusal>, Trouble> {
        let answer = self.platform.arrive(now, call, size, fault);
        if let Some(record) = self.platform.log().last() {
            let mut line = serde_json::to_vec(record).map_err(|e| Trouble::Log(e.into()))?;
            line.push(b'\n');
            self.log
                .write_all(&line)
                .and_then(|()| self.log.sync_data())
                .map_err(Trouble::Log)?;
        }
        Ok(answer)
    }
}
