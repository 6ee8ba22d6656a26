//! The server: REST below `/api/v10`, the gateway at `/gateway` and `/resume`.

use super::answer::{Answer, refuse};
use super::body::Body;
use super::chat::{Chat, Chats, Kind, Posted};
use super::gateway::{Gateway, Order};
use super::interactions::Commands;
use super::link::Out;
use super::route::Route;
use super::rules::{AGENT, BEAT, CDN, LIMIT, QUERY, TOKEN};
use crate::fault::{Faults, throttled};
use crate::sent::SentFiles;
use crate::{Broken, Fault, Mishap, Rule};
use axum::body::{Body as Bytes, Bytes as Chunk};
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State as Shared};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// What is in memory behind the server.
#[derive(Debug)]
pub(super) struct State {
    pub(super) token: String,
    pub(super) chats: Chats,
    pub(super) gateway: Gateway,
    pub(super) broken: Broken,
    pub(super) commands: Commands,
    faults: Faults,
    sent: SentFiles,
    /// Nobody is let through before then; who was told so, and calls again, breaks a rule.
    closed: Option<(Instant, bool)>,
    calls: u64,
}

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    news: Notify,
}

/// Discord for one bot, on loopback, until it is dropped.
#[derive(Debug)]
pub struct DiscordServer {
    address: SocketAddr,
    inner: Arc<Inner>,
    _serving: AbortOnDropHandle<()>,
}

impl DiscordServer {
    /// The id of the bot.
    pub const BOT: u64 = 700_000_000_000_000_001;

    /// Serves the bot `name` with this token.
    pub async fn start(token: &str, name: &str) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let state = State {
            token: token.to_owned(),
            chats: Chats::default(),
            gateway: Gateway::new(name, format!("ws://{address}")),
            broken: Broken::default(),
            commands: Commands::default(),
            faults: Faults::default(),
            sent: SentFiles::default(),
            closed: None,
            calls: 0,
        };
        let inner = Arc::new(Inner {
            state: Mutex::new(state),
            news: Notify::new(),
        });
        let router = Router::new()
            .route("/gateway", any(connect))
            .route("/resume", any(connect))
            .route("/attachments/{id}", any(hand_over))
            .fallback(answer)
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&inner));
        let serving = tokio::spawn(async move {
            // It ends only with the runtime.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            address,
            inner,
            _serving: AbortOnDropHandle::new(serving),
        })
    }

    /// Where it is.
    pub fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Opens a channel of a server.
    pub fn open_channel(&self, id: u64) {
        self.open(id, Kind::Text);
    }

    /// Opens a thread of a channel.
    pub fn open_thread(&self, id: u64, parent: u64) {
        self.open(id, Kind::Thread(parent));
    }

    /// Opens a direct conversation.
    pub fn open_direct(&self, id: u64) {
        self.open(id, Kind::Direct);
    }

    fn open(&self, id: u64, kind: Kind) {
        self.state().chats.all.entry(id).or_default().kind = kind;
    }

    /// Refuses the bot in a channel, with one of Discord's error codes: 50001 (missing access), 50007 (a person who
    /// takes no messages), 50013 (missing permissions).
    pub fn close_channel(&self, channel: u64, code: u32, message: &'static str) {
        let mut state = self.state();
        let chat: &mut Chat = state.chats.all.entry(channel).or_default();
        chat.closed = Some((code, message));
    }

    /// Somebody sends a file: gives its signed address.
    pub fn keep(&self, bytes: &[u8]) -> String {
        let file = self.state().sent.keep("", bytes);
        format!("http://{}/attachments/{file}?{SIGNED}", self.address)
    }

    /// Somebody writes: what is different from a plain message of Ana's. Gives its id.
    pub fn write(&self, channel: u64, message: &Value) -> u64 {
        let mut state = self.state();
        let id = state.chats.mint();
        let message = state.chats.object(channel, id, message);
        let posted = Posted {
            text: message["content"].as_str().unwrap_or_default().to_owned(),
            ..Posted::default()
        };
        let chat = state.chats.all.entry(channel).or_default();
        chat.messages.insert(id, posted);
        chat.told.insert(id, message.clone());
        state.gateway.dispatch("MESSAGE_CREATE", message);
        drop(state);
        self.inner.news.notify_waiters();
        id
    }

    /// Somebody writes a post in a forum: opens its thread with a first message of the thread's own id, which is answered.
    pub fn open_post(&self, parent: u64, message: &Value) -> u64 {
        let mut state = self.state();
        let id = state.chats.mint();
        let message = state.chats.object(id, id, message);
        let chat = state.chats.all.entry(id).or_default();
        chat.kind = Kind::Thread(parent);
        let posted = Posted {
            text: message["content"].as_str().unwrap_or_default().to_owned(),
            ..Posted::default()
        };
        chat.messages.insert(id, posted);
        chat.told.insert(id, message);
        id
    }

    /// Takes from the bot, in a channel, the permission to read what was said before.
    pub fn hide_history(&self, channel: u64) {
        let mut state = self.state();
        state.chats.all.entry(channel).or_default().without_history = true;
    }

    /// Something else happens.
    pub fn dispatch(&self, name: &str, event: Value) {
        self.state().gateway.dispatch(name, event);
        self.inner.news.notify_waiters();
    }

    /// Makes the gateway do something.
    pub fn order(&self, order: Order) {
        self.state().gateway.orders.push_back(order);
        self.inner.news.notify_waiters();
    }

    /// Tells the next connections, one after the other, to connect anew (7) or to resume (9) when they want to take up a
    /// session.
    pub fn rebuff(&self, opcodes: &[u8]) {
        let words = opcodes.iter().map(|op| json!({"op": op, "d": true}));
        self.state().gateway.rebuffs.extend(words);
    }

    /// Forgets the session, as Discord does after a while.
    pub fn forget_session(&self) {
        self.state().gateway.forget();
    }

    /// How fast hearts have to beat on connections to come.
    pub fn beat_every(&self, interval: Duration) {
        self.state().gateway.interval = interval;
    }

    /// Leaves heartbeats unanswered, or answers them again.
    pub fn deaf(&self, deaf: bool) {
        self.state().gateway.deaf = deaf;
    }

    /// Switches the privileged intents of the application off.
    pub fn without_privileged_intents(&self) {
        self.state().gateway.plain = true;
    }

    /// Sessions to come are given an address to resume at where nobody listens.
    pub fn lose_resume_url(&self) {
        self.state().gateway.lost = true;
    }

    /// How many sessions may still be begun.
    pub fn sessions_left(&self, remaining: u32) {
        self.state().gateway.remaining = remaining;
    }

    /// Plans a mishap of a call: `get_gateway`, `get_channel`, `get_messages`, `get_message`, `create_message`, `edit_message`, `delete_message`,
    /// `create_reaction`, `typing`.
    pub fn plan(&self, call: &str, mishap: Mishap) {
        let method = call.to_owned();
        self.state().faults.plan(Fault { method, mishap });
    }

    /// Refuses every call for so long.
    pub fn limit_globally(&self, wait: Duration) {
        self.state().closed = Some((Instant::now() + wait, false));
    }

    /// The messages of a channel, oldest first.
    pub fn messages(&self, channel: u64) -> Vec<(u64, Posted)> {
        let state = self.state();
        let messages = state.chats.all.get(&channel).map(|chat| chat.messages.clone());
        messages.unwrap_or_default().into_iter().collect()
    }

    /// How often typing was shown in a channel.
    pub fn typing(&self, channel: u64) -> u32 {
        self.state().chats.all.get(&channel).map_or(0, |chat| chat.typing)
    }

    /// Sessions begun, and resumed.
    pub fn sessions(&self) -> (u32, u32) {
        let state = self.state();
        (state.gateway.begun, state.gateway.resumed)
    }

    /// Heartbeats that have come.
    pub fn beats(&self) -> u32 {
        self.state().gateway.beats
    }

    /// Connections to the gateway that are open.
    pub fn connections(&self) -> usize {
        self.state().gateway.open
    }

    /// Calls that have arrived.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// The rules that were broken so far.
    pub fn broken(&self) -> Vec<Rule> {
        self.state().broken.rules().copied().collect()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state()
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        // Plain data, whole after every change: a panic elsewhere spoils nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What every address of a file carries.
const SIGNED: &str =
    "ex=65d903de&is=65c68ede&hm=2481f30dd67f503f54d020ae3b5533b9987fae4e55f2b4e3926e08a3fa3ee24f&";

/// A file's bytes.
async fn hand_over(
    Shared(inner): Shared<Arc<Inner>>,
    Path(id): Path<String>,
    request: Request<Bytes>,
) -> Response {
    let mut state = inner.state();
    state.calls += 1;
    if request.headers().contains_key(header::AUTHORIZATION) {
        state.broken.note(CDN);
    }
    match state.sent.get(&id) {
        Some(_) if request.uri().query() != Some(SIGNED) => StatusCode::NOT_FOUND.into_response(),
        Some(file) => file.bytes.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn connect(Shared(inner): Shared<Arc<Inner>>, uri: Uri, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(async move |socket| serve(inner, uri, socket).await)
}

/// Counts a connection while it is open.
struct Open(Arc<Inner>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.state().gateway.open -= 1;
    }
}

async fn serve(inner: Arc<Inner>, uri: Uri, mut socket: WebSocket) {
    inner.state().gateway.open += 1;
    let _open = Open(Arc::clone(&inner));
    let query = uri.query().unwrap_or_default();
    if !["v=10", "encoding=json"]
        .iter()
        .all(|wanted| query.split('&').any(|part| part == *wanted))
    {
        inner.state().broken.note(QUERY);
        say(&mut socket, Out::Close(4012, "Invalid API version.")).await;
        return;
    }
    let (mut link, hello) = inner.state().greet(uri.path() == "/resume");
    if !say(&mut socket, hello).await {
        return;
    }
    loop {
        let news = inner.news.notified();
        let due = inner.state().due(&mut link);
        for out in due {
            if !say(&mut socket, out).await {
                return;
            }
        }
        let heard = tokio::select! {
            () = news => continue,
            () = tokio::time::sleep_until(link.beat_by) => {
                inner.state().broken.note(BEAT);
                vec![Out::Close(4009, "Session timed out.")]
            }
            heard = socket.recv() => match heard {
                Some(Ok(Message::Text(text))) => inner.state().hear(&mut link, &text),
                Some(Ok(Message::Binary(_))) => inner.state().hear(&mut link, ""),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Vec::new(),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
            },
        };
        for out in heard {
            if !say(&mut socket, out).await {
                return;
            }
        }
    }
}

/// Says something; whether the connection stays open.
async fn say(socket: &mut WebSocket, out: Out) -> bool {
    match out {
        Out::Say(value) => socket.send(Message::text(value.to_string())).await.is_ok(),
        Out::Close(code, reason) => {
            let frame = CloseFrame {
                code,
                reason: reason.into(),
            };
            // Whether it arrives or not, that was it.
            let _ = socket.send(Message::Close(Some(frame))).await;
            false
        }
        Out::Cut => false,
    }
}

async fn answer(Shared(inner): Shared<Arc<Inner>>, request: Request<Bytes>) -> Response {
    let (route, mishap) = match admit(&inner, &request) {
        Ok(admitted) => admitted,
        Err(answer) => return refused(&inner, answer),
    };
    match mishap {
        Some(Mishap::RateLimited(wait)) => return Answer::wait(wait, false).into_response(),
        Some(Mishap::Throttled(status, until)) => return throttled(status, until),
        Some(Mishap::Failed) => {
            return Answer::new(
                500,
                serde_json::json!({"message": "500: Internal Server Error", "code": 0}),
            )
            .into_response();
        }
        Some(Mishap::Broken) => return broken_off(),
        _ => {}
    }
    let query = request.uri().query().unwrap_or_default().to_owned();
    let done = match Body::read(request).await {
        Ok(body) => inner.state().call(route, &query, body),
        Err(answer) => Err(answer),
    };
    inner.news.notify_waiters();
    match mishap {
        Some(Mishap::Lost) => return broken_off(),
        Some(Mishap::FailedAfter) => {
            return (StatusCode::BAD_GATEWAY, "<html>502 Bad Gateway</html>").into_response();
        }
        Some(Mishap::Late(late)) => tokio::time::sleep(late).await,
        _ => {}
    }
    let mut response = match done {
        Ok(Value::Null) => StatusCode::NO_CONTENT.into_response(),
        Ok(object) => Json(object).into_response(),
        Err(answer) => refused(&inner, answer),
    };
    // <https://discord.com/developers/docs/topics/rate-limits#header-format>
    if let Some(Mishap::UsedUp(wait)) = mishap
        && let Ok(after) = wait.as_secs_f64().to_string().parse()
    {
        let headers = response.headers_mut();
        headers.insert("x-ratelimit-remaining", 0.into());
        headers.insert("x-ratelimit-reset-after", after);
    }
    response
}

/// What every call has to be, before it is looked at.
fn admit(inner: &Inner, request: &Request<Bytes>) -> Result<(Route, Option<Mishap>), Answer> {
    let mut state = inner.state();
    state.calls += 1;
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let agent = header(header::USER_AGENT).unwrap_or_default();
    let introduced = agent
        .strip_prefix("DiscordBot (")
        .is_some_and(|rest| rest.contains(", "));
    if !introduced {
        return Err(refuse(AGENT, 403, 0, "403: Forbidden"));
    }
    let route = Route::of(request.method(), request.uri().path())?;
    let token = header(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bot "));
    if token != Some(state.token.as_str()) {
        return Err(refuse(TOKEN, 401, 0, "401: Unauthorized"));
    }
    let now = Instant::now();
    if let Some((until, told)) = state.closed.filter(|(until, _)| *until > now) {
        state.closed = Some((until, true));
        let answer = Answer::wait(until - now, true);
        return Err(if told { answer.because(LIMIT) } else { answer });
    }
    let mishap = state.faults.next(route.name());
    Ok((route, mishap))
}

fn refused(inner: &Inner, answer: Answer) -> Response {
    if let Some(rule) = answer.rule {
        inner.state().broken.note(rule);
    }
    answer.into_response()
}

/// An answer whose body breaks off, which ends the connection.
fn broken_off() -> Response {
    let error = io::Error::from(io::ErrorKind::ConnectionReset);
    let broken = futures::stream::once(async move { Err::<Chunk, _>(error) });
    Response::new(Bytes::from_stream(broken))
}
