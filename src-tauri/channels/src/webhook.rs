//! Where a platform's webhooks arrive. Nothing is spawned: a dropped [`Listener::serve`] leaves no task, no connection
//! and, with its listener, no open port behind.

use crate::Refusal;
use connections::{Connections, Peer};
use foldback_wire::{RefusalCode, Secret};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use ring::hmac;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, sleep_until, timeout};

pub(crate) mod connections;

/// Most bytes of a body. `WhatsApp`'s are the largest, up to 3 MB:
/// <https://developers.facebook.com/docs/graph-api/webhooks/getting-started>.
const MAX_BODY: usize = 4_000_000;
/// Longest time from a connection to the last byte of its answer. No platform waits longer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longest time until the head of a request is there; platforms send it in one piece.
const HEAD: Duration = Duration::from_secs(5);
/// Longest time between two pieces of a body.
const PIECE: Duration = Duration::from_secs(5);
/// First wait after the system had no connection to give, doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// Failures in a row, about 25 seconds of them, after which the port is given up.
const MOST_FAILURES: u32 = 9;

/// What a request is answered with.
pub(crate) type Answer = Response<Full<Bytes>>;

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

    /// Answers every GET and POST, until nothing can be received any more. Only whole bodies are handed over, with
    /// their peer: whoever finds it signed says so with [`Peer::trust`]. One connection carries one request; however
    /// slow its sender is, it is cut off in the end.
    pub(crate) async fn serve<A, F>(&self, answer: A) -> Refusal
    where
        A: Fn(Request<Bytes>, Peer) -> F,
        F: Future<Output = Answer>,
    {
        serve(|| self.0.accept(), answer).await
    }
}

/// Answers what comes over the connections that `accept` gives, until it fails for good.
async fn serve<A, F, C>(accept: impl Fn() -> C, answer: A) -> Refusal
where
    A: Fn(Request<Bytes>, Peer) -> F,
    F: Future<Output = Answer>,
    C: Future<Output = io::Result<(TcpStream, SocketAddr)>>,
{
    let mut open = FuturesUnordered::new();
    let mut connections = Connections::default();
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
                    let conversation = converse(stream, peer, &answer);
                    open.push(conversation.map(move |()| number));
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) if failures == MOST_FAILURES => return lost(&error),
                Err(error) => {
                    // Out of descriptors or memory: asking again at once would only keep a core busy, and whoever
                    // has not shown a signature may give one back.
                    if failures == 0 {
                        tracing::warn!(%error, "no webhook can be received for now");
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
        format!("webhooks can no longer be received: {error}"),
    )
}

/// One connection. How it ends is its sender's concern: a platform that got no answer tries again.
async fn converse<A, F>(stream: TcpStream, peer: Peer, answer: &A)
where
    A: Fn(Request<Bytes>, Peer) -> F,
    F: Future<Output = Answer>,
{
    let service = service_fn(|request| async {
        peer.asked();
        Ok::<_, Infallible>(respond(request, &peer, answer).await)
    });
    let connection = http1::Builder::new()
        .keep_alive(false)
        // Some close their half once they have asked; they wait for the answer like all others.
        .half_close(true)
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
        _ = timeout(PATIENCE, connection) => {}
        () = peer.gives_way() => {}
        () = without_head => {}
    }
}

async fn respond<A, F>(request: Request<Incoming>, peer: &Peer, answer: &A) -> Answer
where
    A: Fn(Request<Bytes>, Peer) -> F,
    F: Future<Output = Answer>,
{
    if ![Method::GET, Method::POST].contains(request.method()) {
        let mut refused = say(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST");
        refused
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, POST"));
        return refused;
    }
    let (head, body) = request.into_parts();
    match whole(body).await {
        Ok(body) => answer(Request::from_parts(head, body), peer.clone()).await,
        Err(refused) => refused,
    }
}

/// The whole body, or what is said to whoever does not send it.
async fn whole(body: Incoming) -> Result<Bytes, Answer> {
    let mut body = Limited::new(body, MAX_BODY);
    let mut bytes = Vec::new();
    loop {
        match timeout(PIECE, body.frame()).await {
            Ok(None) => return Ok(bytes.into()),
            // Trailers are nothing that a platform signs.
            Ok(Some(Ok(frame))) => bytes.extend_from_slice(frame.data_ref().map_or(&[], |data| data)),
            Ok(Some(Err(e))) if e.is::<LengthLimitError>() => {
                return Err(say(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"));
            }
            Ok(Some(Err(_))) => return Err(say(StatusCode::BAD_REQUEST, "the body broke off")),
            Err(_) => return Err(say(StatusCode::REQUEST_TIMEOUT, "the body did not come")),
        }
    }
}

/// An answer in plain text.
pub(crate) fn say(status: StatusCode, text: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(text.into()));
    *answer.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, plain);
    answer
}

/// Whether `signature`, in hexadecimal digits, is the HMAC-SHA256 of `message` under `secret`. Takes the same time
/// wherever a wrong one differs.
pub(crate) fn is_signed(secret: &Secret, message: &[u8], signature: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
    // An empty secret would make everybody's signature good.
    !secret.expose().is_empty()
        && bytes_of(signature).is_some_and(|tag| hmac::verify(&key, message, &tag).is_ok())
}

fn bytes_of(hexadecimal: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let (pairs, rest) = hexadecimal.as_bytes().as_chunks::<2>();
    let bytes = pairs
        .iter()
        .map(|[high, low]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok());
    if rest.is_empty() { bytes.collect() } else { None }
}

#[cfg(test)]
mod tests;
