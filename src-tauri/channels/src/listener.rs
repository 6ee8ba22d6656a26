//! An open port of this machine, at which requests arrive. Nothing is spawned: a dropped [`Listener::serve_requests`] leaves
//! no task, no connection and, with its listener, no open port behind.

use crate::Refusal;
use connections::{Connections, Peer};
use foldback_wire::RefusalCode;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, sleep_until};

pub(crate) mod connections;

/// Longest time until the head of a request is there; it is sent in one piece.
const HEAD: Duration = Duration::from_secs(5);
/// Most bytes of an answer that wait for the system to take them.
const UNSENT: usize = 64 * 1024;
/// First wait after the system had no connection to give, doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// Failures in a row, about 25 seconds of them, after which the port is given up.
const MOST_FAILURES: u32 = 9;

/// Bounds and habits of whoever connects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PortRules {
    /// Most connections at once; more wait to be taken.
    pub(crate) at_once: usize,
    /// True where a sender may close its half once it has asked, and still waits for the answer. Elsewhere a connection
    /// ends with either half.
    pub(crate) half_close: bool,
}

/// An open port.
#[derive(Debug)]
pub(crate) struct Listener(TcpListener);

impl Listener {
    /// Opens a port of this machine.
    pub(crate) async fn bind(address: SocketAddr) -> Result<Self, Refusal> {
        TcpListener::bind(address).await.map(Self).map_err(|e| {
            let what = match e.kind() {
                io::ErrorKind::AddrInUse => "; another program listens there, choose another port",
                io::ErrorKind::AddrNotAvailable => "; this machine has no such address",
                io::ErrorKind::PermissionDenied => "; choose a port from 1024 on",
                _ => "",
            };
            Refusal::new(
                RefusalCode::Transient,
                format!("listen = \"{address}\": {e}{what}"),
            )
        })
    }

    /// Which one it is.
    pub(crate) fn address(&self) -> Result<SocketAddr, Refusal> {
        self.0.local_addr().map_err(|e| lost(&e))
    }

    /// The next connection.
    pub(crate) async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }

    /// Answers every request until nothing can be received any more. One connection carries one request; however slow its
    /// sender is, it is cut off in the end.
    pub(crate) async fn serve_requests<A, F, B>(&self, rules: PortRules, answer: A) -> Refusal
    where
        A: Fn(Request<Incoming>, Peer) -> F,
        F: Future<Output = Response<B>>,
        B: Body<Data = Bytes> + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        serve_requests(|| self.accept(), rules, answer).await
    }
}

/// Answers what comes over the connections that `accept` gives, until it fails for good.
pub(crate) async fn serve_requests<A, F, B, C>(accept: impl Fn() -> C, rules: PortRules, answer: A) -> Refusal
where
    A: Fn(Request<Incoming>, Peer) -> F,
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
    C: Future<Output = io::Result<(TcpStream, SocketAddr)>>,
{
    let mut open = FuturesUnordered::new();
    let mut connections = Connections::new(rules.at_once);
    let (mut failures, mut resume) = (0, Instant::now());
    loop {
        let now = Instant::now();
        let ready = connections.room_at(now).map(|room| room.max(resume));
        tokio::select! {
            // A connection is read before another one takes its place.
            biased;
            Some(ended) = open.next(), if !open.is_empty() => connections.remove(ended),
            () = sleep_until(ready.unwrap_or(now)), if ready.is_some_and(|ready| ready > now) => {}
            accepted = accept(), if ready.is_some_and(|ready| ready <= now) => match accepted {
                Ok((stream, from)) => {
                    failures = 0;
                    let (number, peer) = connections.add(from.ip(), Instant::now());
                    let conversation = converse(stream, peer, rules, &answer);
                    open.push(conversation.map(move |()| number));
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) if failures == MOST_FAILURES => return lost(&error),
                Err(error) => {
                    // Out of descriptors or memory: asking again at once would only keep a core busy, and whoever
                    // has not shown a signature may give one back.
                    if failures == 0 {
                        tracing::warn!(%error, "no request can be received for now");
                    }
                    let now = Instant::now();
                    connections.drop_oldest(now, |_| true);
                    resume = now + FIRST_WAIT * 2_u32.pow(failures);
                    failures += 1;
                }
            },
        }
    }
}

/// True where accepting failed because of the connection that was to be accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset
    )
}

fn lost(error: &io::Error) -> Refusal {
    Refusal::new(
        RefusalCode::Transient,
        format!("requests can no longer be received: {error}"),
    )
}

/// One connection. How it ends is its sender's concern: a platform that got no answer tries again.
pub(crate) async fn converse<A, F, B>(stream: TcpStream, peer: Peer, rules: PortRules, answer: &A)
where
    A: Fn(Request<Incoming>, Peer) -> F,
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    // Small pieces of a stream go out at once. A connection that cannot have it goes on as it is.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| async {
        peer.asked();
        Ok::<_, Infallible>(answer(request, peer.clone()).await)
    });
    let connection = http1::Builder::new()
        .keep_alive(false)
        .half_close(rules.half_close)
        .max_buf_size(UNSENT)
        .serve_connection(TokioIo::new(stream), service);
    let without_head = async {
        sleep(HEAD).await;
        if peer.has_asked() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        // A request that has come is read before its connection gives way.
        biased;
        _ = connection => {}
        () = peer.is_late() => {}
        () = peer.gives_way() => {}
        () = without_head => {}
    }
}
