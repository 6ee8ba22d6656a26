//! Where a platform's webhooks arrive: whole bodies, and their signatures.

use crate::Refusal;
pub(crate) use crate::listener::Listener;
use crate::listener::{PortRules, connections::Peer, serve_requests};
use foldback_wire::Secret;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use ring::hmac;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Most bytes of a body. `WhatsApp`'s are the largest, up to 3 MB:
/// <https://developers.facebook.com/docs/graph-api/webhooks/getting-started>.
const MAX_BODY: usize = 4_000_000;
/// Longest time between two pieces of a body.
const PIECE: Duration = Duration::from_secs(5);
/// Most connections at once.
const AT_ONCE: usize = 64;
/// Some platforms close their half once they have asked.
const RULES: PortRules = PortRules {
    at_once: AT_ONCE,
    half_close: true,
};

/// What a request is answered with.
pub(crate) type Answer = Response<Full<Bytes>>;

impl Listener {
    /// Answers every GET and POST, until nothing can be received any more. Only whole bodies are handed over, with
    /// their peer: whoever finds it signed says so with [`Peer::trust`].
    pub(crate) async fn serve<A, F>(&self, answer: A) -> Refusal
    where
        A: Fn(Request<Bytes>, Peer) -> F,
        F: Future<Output = Answer>,
    {
        serve(|| self.accept(), answer).await
    }
}

/// Answers what comes over the connections that `accept` gives, until it fails for good.
async fn serve<A, F, C>(accept: impl Fn() -> C, answer: A) -> Refusal
where
    A: Fn(Request<Bytes>, Peer) -> F,
    F: Future<Output = Answer>,
    C: Future<Output = io::Result<(TcpStream, SocketAddr)>>,
{
    let answer = &answer;
    let whole = |request, peer: Peer| async move { respond(request, &peer, answer).await };
    serve_requests(accept, RULES, whole).await
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
