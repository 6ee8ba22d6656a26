//! Actions for agents that take tools from servers of the Model Context Protocol: one listener on loopback, with an
//! endpoint of its own for every process.
//!
//! An example: the process of the chat with Alice begins a session, and is told of
//! `http://127.0.0.1:40123/mcp` with the header `Authorization: Bearer 6f1c…`. It lists the tools: the actions that are on. In
//! the run that Alice's next message begins its model calls `bash`; the call goes to that run as [`RunInput::Action`], and its
//! result comes back as that of the tool. Between two runs every call is refused. A call that its client cancels closes
//! ([`action_cancel`](super::action_cancel)).
//!
//! What must hold:
//! - An endpoint answers to its token only: 32 random bytes that are told to one process, over its standard input, and are
//!   gone with it. An endpoint has nothing but the list of tools and their calls: no operator's method, no other session.
//! - A call belongs to the run that goes on in the session of its endpoint. Whether it is carried out is decided there.
//! - Only this machine reaches the listener. Pages in a browser do not know a token, and their `Host` and `Origin` are refused.

use super::{
    action_cancel::cancelled_request,
    action_tools::{SessionActions, ToolHandler},
};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use foldback_wire::Clock;
use ring::rand::{SecureRandom as _, SystemRandom};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use std::{
    collections::HashMap,
    fmt::Write as _,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// The path of every endpoint.
const PATH: &str = "/mcp";
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// Most bytes of a request: a payload has at most 64 KiB, and JSON around it.
const REQUEST_BYTES: usize = 1024 * 1024;

type Service = StreamableHttpService<ToolHandler, NeverSessionManager>;

/// The service that answers at an endpoint.
#[derive(Clone)]
struct Answering {
    service: Service,
    session: Arc<SessionActions>,
}

/// The endpoints that are open, by token.
#[derive(Default)]
struct Endpoints(Mutex<HashMap<String, Answering>>);

impl Endpoints {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Answering>> {
        // Whole after every change: a panic elsewhere spoils nothing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The listener. It ends when it is dropped.
pub(super) struct ActionServer {
    address: SocketAddr,
    endpoints: Arc<Endpoints>,
    _task: AbortOnDropHandle<()>,
}

impl ActionServer {
    /// Listens on a free port of loopback.
    pub(super) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let endpoints = Arc::<Endpoints>::default();
        let router = Router::new().fallback(enter).with_state(Arc::clone(&endpoints));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the server of actions for agents has ended");
            }
        });
        Ok(Self {
            address,
            endpoints,
            _task: AbortOnDropHandle::new(task),
        })
    }

    /// Opens an endpoint to the actions of a session.
    pub(super) fn open(
        &self,
        session: &Arc<SessionActions>,
        clock: &Arc<dyn Clock>,
    ) -> io::Result<ActionEndpoint> {
        let token = token()?;
        let handler = ToolHandler::new(Arc::clone(session), Arc::clone(clock));
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_max_request_body_bytes(REQUEST_BYTES)
            .enforce_origin_validation();
        let service = StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config);
        let session = Arc::clone(session);
        let answering = Answering { service, session };
        self.endpoints.all().insert(token.clone(), answering);
        Ok(ActionEndpoint {
            url: format!("http://{}{PATH}", self.address),
            token,
            endpoints: Arc::clone(&self.endpoints),
        })
    }
}

/// An endpoint. It closes when it is dropped.
pub(super) struct ActionEndpoint {
    pub(super) url: String,
    token: String,
    endpoints: Arc<Endpoints>,
}

impl ActionEndpoint {
    /// The value of the header `Authorization` to which it answers (RFC 6750, section 2.1).
    pub(super) fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

impl Drop for ActionEndpoint {
    fn drop(&mut self) {
        self.endpoints.all().remove(&self.token);
    }
}

async fn enter(State(endpoints): State<Arc<Endpoints>>, request: Request) -> Response {
    let token = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let answering = token.and_then(|token| endpoints.all().get(token).cloned());
    match answering {
        None => (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response(),
        Some(_) if request.uri().path() != PATH => StatusCode::NOT_FOUND.into_response(),
        Some(answering) => answering.answer(request).await,
    }
}

impl Answering {
    async fn answer(&self, request: Request) -> Response {
        let (head, body) = request.into_parts();
        let Ok(message) = to_bytes(body, REQUEST_BYTES).await else {
            return StatusCode::PAYLOAD_TOO_LARGE.into_response();
        };
        // The service checks the head of a cancellation, and drops it: whoever knows the token may cancel.
        if let Some(call) = cancelled_request(&message) {
            self.session.cancel(&call);
        }
        let request = Request::from_parts(head, Body::from(message));
        self.service.handle(request).await.map(Body::new)
    }
}

fn token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| io::Error::other("the system gives no random bytes"))?;
    Ok(bytes.iter().fold(String::new(), |mut token, byte| {
        // Writing to a String cannot fail.
        let _ = write!(token, "{byte:02x}");
        token
    }))
}
