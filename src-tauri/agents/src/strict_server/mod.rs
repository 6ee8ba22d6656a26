//! An endpoint of each protocol for tests, on loopback: it refuses every request that is not exactly right, and
//! answers the others as told, also in ways no honest server would. Behind the feature `strict-server`.

mod check;
mod http;
mod reply;

pub use check::Insists;
pub use http::Request;
pub use reply::{Gate, Piece, Reply, event, named};

use crate::{
    Api, Rule, RuleError,
    script::{Asked, Prepared},
};
use check::{Refusal, Right, check};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf, tcp::OwnedWriteHalf},
    sync::watch,
};

/// A running server. It ends when it is dropped.
pub struct StrictServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: tokio::task::JoinHandle<()>,
}

/// What the server has seen and done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Requests that were right.
    pub accepted: u64,
    /// Requests that were not.
    pub refused: u64,
    /// Answers written to their end, also to a scripted cut.
    pub answered: u64,
    /// Clients that hung up before the end of their answer.
    pub dropped: u64,
    /// Right requests to end a run.
    pub stopped: u64,
}

struct Shared {
    insists: Insists,
    rules: Vec<Prepared>,
    queue: Mutex<VecDeque<Reply>>,
    seen: Mutex<Seen>,
    counts: watch::Sender<Counts>,
    written: AtomicU64,
    /// Whether a Letta agent answers somebody. It does so until its answer ends or is stopped, whoever listens.
    busy: AtomicBool,
}

#[derive(Default)]
struct Seen {
    requests: Vec<Value>,
    headers: Vec<BTreeMap<String, String>>,
    stops: Vec<Value>,
    refusals: Vec<String>,
}

impl StrictServer {
    /// Starts on a free port.
    pub async fn start(insists: Insists) -> io::Result<Self> {
        Self::bind(0, insists, Vec::new())
            .await
            .map_err(io::Error::other)?
    }

    /// Starts on a port of loopback, with rules for requests of chat completions to which nothing is queued. A rule
    /// sees the content of the last message only: conditions on message and channel never hold.
    pub async fn bind(port: u16, insists: Insists, rules: Vec<Rule>) -> Result<io::Result<Self>, RuleError> {
        let shared = Arc::new(Shared {
            insists,
            rules: Prepared::all(rules)?,
            queue: Mutex::default(),
            seen: Mutex::default(),
            counts: watch::Sender::new(Counts::default()),
            written: AtomicU64::new(0),
            busy: AtomicBool::new(false),
        });
        Ok(Self::listen(port, shared).await)
    }

    async fn listen(port: u16, shared: Arc<Shared>) -> io::Result<Self> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let accepting = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            // A connection lives in this set, so that dropping the server ends them all.
            let mut connections = tokio::task::JoinSet::new();
            loop {
                tokio::select! {
                    accepted = listener.accept() => {
                        if let Ok((socket, _)) = accepted {
                            connections.spawn(Arc::clone(&accepting).serve(socket));
                        }
                    }
                    Some(_) = connections.join_next() => {}
                }
            }
        });
        Ok(Self {
            address,
            shared,
            task,
        })
    }

    /// The root to give to a client of any protocol.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Queues an answer for the next right request.
    pub fn reply(&self, reply: Reply) {
        lock(&self.shared.queue).push_back(reply);
    }

    /// The bodies of all right requests, in order.
    pub fn requests(&self) -> Vec<Value> {
        lock(&self.shared.seen).requests.clone()
    }

    /// The headers of all right requests, in order, names in lower case.
    pub fn headers(&self) -> Vec<BTreeMap<String, String>> {
        lock(&self.shared.seen).headers.clone()
    }

    /// The bodies of all right requests to end a run, in order.
    pub fn stops(&self) -> Vec<Value> {
        lock(&self.shared.seen).stops.clone()
    }

    /// Why requests were refused, in order.
    pub fn refusals(&self) -> Vec<String> {
        lock(&self.shared.seen).refusals.clone()
    }

    /// Bytes the system took over for clients so far.
    pub fn written(&self) -> u64 {
        self.shared.written.load(Ordering::Relaxed)
    }

    /// Waits until the counts are as wanted, and gives them.
    pub async fn until(&self, wanted: impl FnMut(&Counts) -> bool) -> Counts {
        let mut counts = self.shared.counts.subscribe();
        // The sender lives as long as `self`, so the wait can only end well.
        counts
            .wait_for(wanted)
            .await
            .map_or_else(|_| Counts::default(), |counts| *counts)
    }
}

impl Drop for StrictServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The client hung up.
struct Gone;

impl Shared {
    async fn serve(self: Arc<Self>, socket: TcpStream) {
        // Pieces are what a test is about: they must not be put together.
        let _ = socket.set_nodelay(true);
        let (mut from, mut to) = socket.into_split();
        let request = http::read(&mut from).await.map_err(Refusal::invalid);
        let checked =
            request.and_then(|request| check(&request, &self.insists).map(|body| (request.headers, body)));
        let reply = match checked {
            Ok((_, Right::Stop(body))) => {
                lock(&self.seen).stops.push(body);
                self.busy.store(false, Ordering::Relaxed);
                self.count(|counts| counts.stopped += 1);
                Reply::json(200, &json!({}))
            }
            Ok(_) if self.busy.load(Ordering::Relaxed) => Reply::json(409, &busy()),
            Ok((headers, Right::Question(body))) => {
                let reply = self.reply_to(&body);
                self.busy.store(self.insists.api == Api::Letta, Ordering::Relaxed);
                let mut seen = lock(&self.seen);
                seen.requests.push(body);
                seen.headers.push(headers);
                drop(seen);
                self.count(|counts| counts.accepted += 1);
                reply
            }
            Err(refusal) => {
                lock(&self.seen).refusals.push(refusal.message.clone());
                self.count(|counts| counts.refused += 1);
                Reply::json(refusal.status, &refusal.body(self.insists.api))
            }
        };
        match self.write(reply, &mut from, &mut to).await {
            Ok(()) => self.count(|counts| counts.answered += 1),
            Err(Gone) => self.count(|counts| counts.dropped += 1),
        }
    }

    fn reply_to(&self, body: &Value) -> Reply {
        if let Some(reply) = lock(&self.queue).pop_front() {
            return reply;
        }
        let last = body.pointer("/messages").and_then(Value::as_array);
        let text = last
            .and_then(|messages| messages.last())
            .and_then(|message| message.get("content"))
            .and_then(Value::as_str)
            .unwrap_or_default();
        let asked = Asked::of_text(text);
        match self.rules.iter().find(|rule| rule.answers(&asked)) {
            Some(rule) => Reply::script(&self.insists.model, &rule.answer(&asked)),
            None => Reply::json(
                500,
                &Refusal::new(500, "no_script", "the script has no answer to this").body(self.insists.api),
            ),
        }
    }

    async fn write(
        &self,
        reply: Reply,
        from: &mut OwnedReadHalf,
        to: &mut OwnedWriteHalf,
    ) -> Result<(), Gone> {
        let pieces = reply.into_wire();
        let waits = |piece: &Piece| !matches!(piece, Piece::Bytes(_) | Piece::Repeat(..));
        let last = pieces.iter().rposition(waits).map_or(0, |at| at + 1);
        for (at, piece) in pieces.into_iter().enumerate() {
            if at == last {
                // It has all that it says, however long that takes.
                self.busy.store(false, Ordering::Relaxed);
            }
            match piece {
                Piece::Bytes(bytes) => self.send(&bytes, to).await?,
                Piece::Repeat(bytes, times) => {
                    for _ in 0..times {
                        self.send(&bytes, to).await?;
                    }
                }
                Piece::Wait(gate) => unless_gone(from, gate.opened()).await?,
                Piece::Pause(time) => unless_gone(from, tokio::time::sleep(time)).await?,
                Piece::Hang => unless_gone(from, std::future::pending()).await?,
                Piece::Cut => return Ok(()),
            }
        }
        to.shutdown().await.map_err(|_| Gone)
    }

    async fn send(&self, bytes: &[u8], to: &mut OwnedWriteHalf) -> Result<(), Gone> {
        to.write_all(bytes).await.map_err(|_| Gone)?;
        self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        self.counts.send_modify(change);
    }
}

/// As the server says it (`ConversationBusyError` there, and before that without a code).
fn busy() -> Value {
    json!({"detail": {"code": "CONVERSATION_BUSY", "message":
        "CONFLICT: Cannot send a new message: Another request is currently being processed for this conversation."}})
}

async fn unless_gone(from: &mut OwnedReadHalf, wait: impl Future<Output = ()>) -> Result<(), Gone> {
    let mut nothing = [0];
    tokio::select! {
        () = wait => Ok(()),
        // A client has nothing to say after its request: whatever comes is its end.
        _ = from.read(&mut nothing) => Err(Gone),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Plain data, whole after every change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
