//! The server: <https://core.telegram.org/bots/api#making-requests>.

use super::chat::{Chat, Posted, Queue};
use super::request::Parameters;
use super::rules::{CONFLICT, FILE_PATH, LIMIT, TOKEN};
use crate::fault::{Faults, throttled};
use crate::sent::SentFiles;
use crate::{Broken, Fault, GatewayBody, Mishap, Rule};
use axum::body::Body;
use axum::extract::{Request, State as Shared};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

/// What is in memory behind the server.
#[derive(Debug)]
pub(super) struct State {
    pub(super) bot: Value,
    pub(super) chats: BTreeMap<i64, Chat>,
    /// It takes no text with markup.
    pub(super) plain: bool,
    pub(super) sent: SentFiles,
    /// The menu.
    pub(super) commands: Vec<Value>,
    queue: Queue,
    faults: Faults,
    broken: Broken,
    /// The polls that are open, oldest first.
    polls: Vec<u64>,
    calls: u64,
}

/// A refusal, in the Bot API's form.
#[derive(Debug)]
pub struct Answer {
    code: u16,
    description: String,
    retry_after: Option<u64>,
    /// The supergroup that the chat of the call became.
    migrate_to: Option<i64>,
    rule: Option<Rule>,
}

impl Answer {
    pub(super) fn refused(code: u16, description: &str) -> Self {
        Self {
            code,
            description: description.to_owned(),
            retry_after: None,
            migrate_to: None,
            rule: None,
        }
    }

    /// The group of the call is this supergroup now: <https://core.telegram.org/bots/api#responseparameters>.
    pub(super) fn migrated(supergroup: i64) -> Self {
        Self {
            migrate_to: Some(supergroup),
            ..Self::refused(400, "Bad Request: group chat was upgraded to a supergroup chat")
        }
    }
}

/// A refusal because a rule was broken.
pub(super) fn refuse(rule: Rule, code: u16, description: &str) -> Answer {
    Answer {
        rule: Some(rule),
        ..Answer::refused(code, description)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code).unwrap_or(StatusCode::BAD_REQUEST);
        let mut body = json!({"ok": false, "error_code": self.code, "description": self.description});
        if let Some(seconds) = self.retry_after {
            body["parameters"] = json!({"retry_after": seconds});
        }
        if let Some(chat) = self.migrate_to {
            body["parameters"]["migrate_to_chat_id"] = chat.into();
        }
        (status, Json(body)).into_response()
    }
}

#[derive(Debug)]
struct Inner {
    token: String,
    state: Mutex<State>,
    news: Notify,
}

/// The Bot API for one bot, on loopback, until it is dropped.
#[derive(Debug)]
pub struct TelegramServer {
    address: SocketAddr,
    inner: Arc<Inner>,
    _serving: AbortOnDropHandle<()>,
}

impl TelegramServer {
    /// The id of the bot.
    pub const BOT: i64 = 700_001;

    /// Serves the bot `@name` with this token.
    pub async fn start(token: &str, name: &str) -> io::Result<Self> {
        let bot = json!({"id": Self::BOT, "is_bot": true, "first_name": name, "username": name});
        let state = State {
            bot,
            chats: BTreeMap::new(),
            plain: false,
            sent: SentFiles::default(),
            commands: Vec::new(),
            queue: Queue::default(),
            faults: Faults::default(),
            broken: Broken::default(),
            polls: Vec::new(),
            calls: 0,
        };
        let inner = Arc::new(Inner {
            token: token.to_owned(),
            state: Mutex::new(state),
            news: Notify::new(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
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

    /// Opens a chat, with these topics.
    pub fn open_chat(&self, id: i64, topics: &[i64]) {
        self.state().chats.entry(id).or_default().topics.extend(topics);
    }

    /// The person of the chat blocks the bot, or unblocks it.
    pub fn block(&self, chat: i64, blocked: bool) {
        self.state().chats.entry(chat).or_default().blocked = blocked;
    }

    /// A group becomes a supergroup, which has another id and other messages.
    pub fn upgrade(&self, group: i64, supergroup: i64) {
        let mut state = self.state();
        state.chats.entry(group).or_default().became = Some(supergroup);
        state.chats.entry(supergroup).or_default();
    }

    /// The person of the chat takes no voice messages.
    pub fn forbid_voice(&self, chat: i64) {
        self.state().chats.entry(chat).or_default().no_voice = true;
    }

    /// From now on no markup can be read, as where an older server knows fewer tags.
    pub fn read_no_markup(&self) {
        self.state().plain = true;
    }

    /// Somebody writes: a message as the Bot API describes it, without id and chat. Gives its id.
    pub fn write(&self, chat: i64, mut message: Value) -> i64 {
        let mut state = self.state();
        let posted = Posted {
            text: message["text"].as_str().unwrap_or_default().to_owned(),
            ..Posted::default()
        };
        let id = state.chats.entry(chat).or_default().post(posted);
        message["message_id"] = id.into();
        if message["chat"].is_null() {
            message["chat"] = json!({"id": chat, "type": if chat > 0 { "private" } else { "supergroup" }});
        }
        state.queue.push(&message);
        drop(state);
        self.inner.news.notify_waiters();
        id
    }

    /// Somebody sends a file: gives its `file_id`.
    pub fn keep(&self, bytes: &[u8]) -> String {
        self.state().sent.keep("AgACfile", bytes)
    }

    /// `getFile` gives this path for it.
    pub fn name_path(&self, file: &str, path: &str) {
        self.state().sent.point(file, path);
    }

    /// Plans a mishap.
    pub fn plan(&self, method: &str, mishap: Mishap) {
        self.state().faults.plan(Fault {
            method: method.to_owned(),
            mishap,
        });
    }

    /// The messages of a chat, oldest first.
    pub fn messages(&self, chat: i64) -> Vec<(i64, Posted)> {
        let state = self.state();
        let messages = state.chats.get(&chat).map(|chat| chat.messages.clone());
        messages.unwrap_or_default().into_iter().collect()
    }

    /// How often an action such as typing was shown in a chat.
    pub fn actions(&self, chat: i64) -> u32 {
        self.state().chats.get(&chat).map_or(0, |chat| chat.actions)
    }

    /// Updates that are not confirmed.
    pub fn unconfirmed(&self) -> usize {
        self.state().queue.len()
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

    async fn call(&self, method: &str, given: &Parameters) -> Result<Value, Answer> {
        if method == "getUpdates" {
            self.updates(given).await
        } else {
            self.state().call(method, given)
        }
    }

    /// <https://core.telegram.org/bots/api#getupdates>
    async fn updates(&self, given: &Parameters) -> Result<Value, Answer> {
        given.only(&["offset", "limit", "timeout", "allowed_updates"])?;
        let offset = given.integer("offset")?.unwrap_or_default();
        let limit = given.integer("limit")?.unwrap_or(100);
        let timeout = given.integer("timeout")?.unwrap_or_default();
        let (Ok(limit @ 1..=100), Ok(timeout)) = (usize::try_from(limit), u64::try_from(timeout)) else {
            return Err(refuse(LIMIT, 400, "Bad Request: wrong limit or timeout"));
        };
        let poll = Poll::begin(self);
        let until = tokio::time::Instant::now() + Duration::from_secs(timeout);
        loop {
            let news = self.news.notified();
            poll.only().await?;
            let found = self.state().queue.from(offset, limit);
            if !found.is_empty() || timeout == 0 {
                return Ok(found.into());
            }
            if tokio::time::timeout_at(until, news).await.is_err() {
                return Ok(json!([]));
            }
        }
    }
}

/// How long two polls may be open at once: one that was given up ends when the server hears of it.
const OVERLAP: Duration = Duration::from_secs(1);

/// A poll that is open. A later one terminates it.
struct Poll<'a> {
    inner: &'a Inner,
    number: u64,
}

impl<'a> Poll<'a> {
    fn begin(inner: &'a Inner) -> Self {
        let mut state = inner.state();
        let number = state.polls.last().map_or(0, |last| last + 1);
        state.polls.push(number);
        drop(state);
        inner.news.notify_waiters();
        Self { inner, number }
    }

    fn is_last(&self) -> bool {
        self.inner.state().polls.last() == Some(&self.number)
    }

    /// Refused where a later poll is open beside it.
    async fn only(&self) -> Result<(), Answer> {
        if !self.is_last() {
            tokio::time::sleep(OVERLAP).await;
        }
        if self.is_last() {
            return Ok(());
        }
        Err(refuse(
            CONFLICT,
            409,
            "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
        ))
    }
}

impl Drop for Poll<'_> {
    fn drop(&mut self) {
        self.inner.state().polls.retain(|number| *number != self.number);
    }
}

/// A file's bytes: <https://core.telegram.org/bots/api#getfile>.
fn hand_over(inner: &Inner, rest: &str) -> Response {
    let file = rest
        .strip_prefix(inner.token.as_str())
        .and_then(|rest| rest.strip_prefix("/documents/"));
    let mut state = inner.state();
    state.calls += 1;
    if let Some(file) = file.and_then(|id| state.sent.get(id)) {
        return file.bytes.clone().into_response();
    }
    state.broken.note(FILE_PATH);
    Answer::refused(404, "Not Found").into_response()
}

async fn answer(Shared(inner): Shared<Arc<Inner>>, request: Request<Body>) -> Response {
    let path = request.uri().path().to_owned();
    if let Some(rest) = path.strip_prefix("/file/bot") {
        return hand_over(&inner, rest);
    }
    let method = path
        .strip_prefix("/bot")
        .and_then(|rest| rest.strip_prefix(inner.token.as_str()))
        .and_then(|rest| rest.strip_prefix('/'));
    let mishap = {
        let mut state = inner.state();
        state.calls += 1;
        method.and_then(|method| state.faults.next(method))
    };
    let done = match (method, mishap) {
        (None, _) => Err(refuse(TOKEN, 401, "Unauthorized")),
        (Some(_), Some(Mishap::RateLimited(wait))) => Err(Answer {
            retry_after: Some(wait.as_secs().max(1)),
            ..Answer::refused(
                429,
                &format!("Too Many Requests: retry after {}", wait.as_secs().max(1)),
            )
        }),
        (Some(_), Some(Mishap::Throttled(status, until))) => return throttled(status, until),
        (Some(_), Some(Mishap::Gateway(status, body))) => return unreached(status, body),
        (Some(_), Some(Mishap::Failed)) => Err(Answer::refused(500, "Internal Server Error")),
        (Some(_), Some(Mishap::Broken)) => return broken_off(),
        (Some(method), _) => match Parameters::read(request).await {
            Ok(given) => inner.call(method, &given).await,
            Err(answer) => Err(answer),
        },
    };
    if let Err(Answer { rule: Some(rule), .. }) = &done {
        inner.state().broken.note(*rule);
    }
    match mishap {
        Some(Mishap::Lost) => return broken_off(),
        Some(Mishap::FailedAfter) => {
            return (StatusCode::BAD_GATEWAY, "<html>502 Bad Gateway</html>").into_response();
        }
        Some(Mishap::Late(late)) => tokio::time::sleep(late).await,
        _ => {}
    }
    match done {
        Ok(result) => Json(json!({"ok": true, "result": result})).into_response(),
        Err(answer) => answer.into_response(),
    }
}

/// A failure of the front end of api.telegram.org, which gives both bodies.
fn unreached(status: u16, body: GatewayBody) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let reason = status.canonical_reason().unwrap_or_default();
    match body {
        GatewayBody::Page => (status, Html(format!("<html>{status}</html>"))).into_response(),
        GatewayBody::Json => Answer::refused(status.as_u16(), reason).into_response(),
    }
}

/// An answer whose body breaks off, which ends the connection.
fn broken_off() -> Response {
    let error = io::Error::from(io::ErrorKind::ConnectionReset);
    let body = tokio_util::io::ReaderStream::new(Breaks(error.kind()));
    Response::new(Body::from_stream(body))
}

/// A body that fails at once.
struct Breaks(io::ErrorKind);

impl tokio::io::AsyncRead for Breaks {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        _: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::task::Poll::Ready(Err(self.0.into()))
    }
}
