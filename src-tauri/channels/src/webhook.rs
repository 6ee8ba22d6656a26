//! Where a platform's webhooks arrive. Nothing is spawned: a dropped [`Listener::serve`] leaves no task, no connection
//! and, with its listener, no open port behind.

use crate::Refusal;
use foldback_wire::{RefusalCode, Secret};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
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
use tokio::time::timeout;

/// Most bytes of a body. `WhatsApp`'s are the largest, up to 3 MB:
/// <https://developers.facebook.com/docs/graph-api/webhooks/getting-started>.
const MAX_BODY: usize = 4_000_000;
/// Connections at once; more wait to be taken.
const AT_ONCE: usize = 64;
/// How long a request may take, from its first byte to the last one of its answer. No platform waits longer.
const PATIENCE: Duration = Duration::from_secs(20);

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

    /// Answers every GET and POST, until nothing can be received any more. Only whole bodies are handed over. One
    /// connection carries one request; however slow its sender is, it is cut off in the end.
    pub(crate) async fn serve<A, F>(&self, answer: A) -> Refusal
    where
        A: Fn(Request<Bytes>) -> F,
        F: Future<Output = Answer>,
    {
        let mut open = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = open.next(), if !open.is_empty() => {}
                accepted = self.0.accept(), if open.len() < AT_ONCE => match accepted {
                    Ok((stream, _)) => open.push(converse(stream, &answer)),
                    // Of that connection only.
                    Err(e) if matches!(
                        e.kind(),
                        io::ErrorKind::ConnectionAborted
                            | io::ErrorKind::ConnectionRefused
                            | io::ErrorKind::ConnectionReset
                    ) => {}
                    Err(e) => return lost(&e),
                },
            }
        }
    }
}

fn lost(error: &io::Error) -> Refusal {
    Refusal::new(
        RefusalCode::Transient,
        format!("webhooks can no longer be received: {error}"),
    )
}

/// One connection. How it ends is its sender's concern: a platform that got no answer tries again.
async fn converse<A, F>(stream: TcpStream, answer: &A)
where
    A: Fn(Request<Bytes>) -> F,
    F: Future<Output = Answer>,
{
    let service = service_fn(|request| async { Ok::<_, Infallible>(respond(request, answer).await) });
    let connection = http1::Builder::new()
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    let _ = timeout(PATIENCE, connection).await;
}

async fn respond<A, F>(request: Request<Incoming>, answer: &A) -> Answer
where
    A: Fn(Request<Bytes>) -> F,
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
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => answer(Request::from_parts(head, body.to_bytes())).await,
        Err(e) if e.is::<LengthLimitError>() => say(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
        Err(_) => say(StatusCode::BAD_REQUEST, "the body broke off"),
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
