//! The server: <https://docs.slack.dev/apis/web-api>.

use super::room::{Person, Posted, Room};
use super::rules::CHALLENGE;
use super::state::State;
use super::{answer, socket};
use crate::client::client;
use crate::{Fault, Mishap, Rule};
use axum::Router;
use axum::routing::{any, get, post};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Notify, broadcast};
use tokio_util::task::AbortOnDropHandle;

/// What every open connection is told to do.
#[derive(Debug, Clone)]
pub(super) enum Order {
    Say(Value),
    /// One of them, or all.
    Close(Option<u64>),
    Mute,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) token: String,
    pub(super) app_token: String,
    state: Mutex<State>,
    patience: Mutex<Duration>,
    pub(super) news: Notify,
    pub(super) orders: broadcast::Sender<Order>,
}

/// Slack for one app, on loopback, until it is dropped.
#[derive(Debug)]
pub struct SlackServer {
    address: SocketAddr,
    inner: Arc<Inner>,
    pub(super) sender: reqwest::Client,
    _serving: AbortOnDropHandle<()>,
}

impl SlackServer {
    /// The user id of the bot.
    pub const BOT: &'static str = "U0FOLDBACK";

    /// Serves the bot `@name` with these tokens, its own and the app's.
    pub async fn start(token: &str, app_token: &str, name: &str) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let root = format!("http://{address}");
        let sender = client().map_err(io::Error::other)?;
        let inner = Arc::new(Inner {
            token: token.to_owned(),
            app_token: app_token.to_owned(),
            state: Mutex::new(State::new(name, root)),
            patience: Mutex::new(Duration::from_secs(3)),
            news: Notify::new(),
            orders: broadcast::Sender::new(16),
        });
        let router = Router::new()
            .route("/link", any(socket::link))
            .route("/upload/{id}", post(answer::upload))
            .route("/files-pri/{id}", get(answer::hand_over))
            .fallback(answer::answer)
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&inner));
        let serving = tokio::spawn(async move {
            // It ends only with the runtime.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            address,
            inner,
            sender,
            _serving: AbortOnDropHandle::new(serving),
        })
    }

    /// The address of its Web API.
    pub fn root(&self) -> String {
        format!("http://{}/api", self.address)
    }

    /// Opens a conversation.
    pub fn open_room(&self, id: &str) {
        self.state().rooms.entry(id.to_owned()).or_default();
    }

    /// Somebody joins the workspace, or changes their names.
    pub fn know(&self, id: &str, person: Person) {
        self.state().people.insert(id.to_owned(), person);
    }

    /// The bot is put out of a conversation, or let in.
    pub fn put_out(&self, room: &str, outside: bool) {
        self.with_room(room, |room| room.outside = outside);
    }

    /// A conversation is archived, or brought back.
    pub fn archive(&self, room: &str, archived: bool) {
        self.with_room(room, |room| room.archived = archived);
    }

    /// Somebody removes a message.
    pub fn remove(&self, room: &str, ts: &str) {
        self.with_room(room, |room| drop(room.messages.remove(ts)));
    }

    fn with_room(&self, room: &str, change: impl FnOnce(&mut Room)) {
        change(self.state().rooms.entry(room.to_owned()).or_default());
    }

    /// The app loses a scope.
    pub fn take_scope(&self, scope: &str) {
        self.state().scopes.retain(|known| *known != scope);
    }

    /// Somebody sends a file: gives its id.
    pub fn keep(&self, bytes: &[u8]) -> String {
        self.state().sent.keep("F0SENT", bytes)
    }

    /// `files.info` gives this address for it.
    pub fn name_address(&self, file: &str, address: &str) {
        self.state().sent.point(file, address);
    }

    /// The most messages of a thread that a call is answered with, whatever it asks for.
    pub fn page_threads_by(&self, most: usize) {
        self.state().page = most;
    }

    /// How often it is asked in vain where a file is shown.
    pub fn reveal_files_after(&self, asks: u32) {
        self.state().reveal_after = asks;
    }

    /// How long it waits for the confirmation of an envelope.
    pub fn wait_for_confirmation(&self, patience: Duration) {
        *self.inner.patience.lock().unwrap_or_else(PoisonError::into_inner) = patience;
    }

    /// Adds an emoji of the workspace's own.
    pub fn add_emoji(&self, name: &str) {
        self.state().own_emoji.insert(name.to_owned());
    }

    /// Somebody writes: a `message` event, without `type`, `channel` and time stamps. Gives its time stamp.
    pub fn write(&self, room: &str, mut event: Value) -> String {
        let mut state = self.state();
        let ts = state.stamp();
        event["type"] = "message".into();
        event["channel"] = room.into();
        event["ts"] = ts.clone().into();
        event["event_ts"] = ts.clone().into();
        let kind = if room.starts_with('D') { "im" } else { "channel" };
        event["channel_type"] = kind.into();
        let text = |name: &str| event[name].as_str().map(str::to_owned);
        let posted = Posted {
            raw: text("text").unwrap_or_default(),
            thread: text("thread_ts"),
            ..Posted::default()
        };
        let room = state.rooms.entry(room.to_owned()).or_default();
        room.messages.insert(ts.clone(), posted);
        room.told.insert(ts.clone(), event.clone());
        room.members.extend(event["user"].as_str().map(str::to_owned));
        state.tell(&event);
        drop(state);
        self.inner.news.notify_waiters();
        ts
    }

    /// Ana uses a slash command in a conversation. Gives its `trigger_id`.
    pub fn use_command(&self, room: &str, command: &str, text: &str) -> String {
        let mut state = self.state();
        let name = if room.starts_with('D') {
            "directmessage"
        } else {
            "general"
        };
        let trigger = format!("13345224609.738474920.{:032x}", state.serial());
        state.use_command(json!({
            "token": "gone", "team_id": "T0FOLDBACK", "api_app_id": "A0FOLDBACK", "is_enterprise_install": "false",
            "channel_id": room, "channel_name": name, "user_id": "U0ANA0001", "user_name": "ana",
            "command": command, "text": text, "trigger_id": trigger,
            "response_url": "https://hooks.slack.com/commands/1234/5678",
        }));
        drop(state);
        self.inner.news.notify_waiters();
        trigger
    }

    /// Something happens: an event as it is. Gives its `event_id`.
    pub fn tell(&self, event: &Value) -> String {
        let id = self.state().tell(event);
        self.inner.news.notify_waiters();
        id
    }

    /// Every connection is sent a frame as it is.
    pub fn say(&self, frame: Value) {
        // Where there is no connection, nobody hears it.
        let _ = self.inner.orders.send(Order::Say(frame));
    }

    /// Every connection is closed.
    pub fn close(&self) {
        let _ = self.inner.orders.send(Order::Close(None));
    }

    /// The connection that was opened first is closed.
    pub fn close_oldest(&self) {
        let oldest = self.state().open.first().copied();
        let _ = self.inner.orders.send(Order::Close(oldest));
    }

    /// Every connection stays open, and nothing more comes through it.
    pub fn mute(&self) {
        let _ = self.inner.orders.send(Order::Mute);
    }

    /// Connections that are open, and those there ever were.
    pub fn connections(&self) -> (u64, u64) {
        let state = self.state();
        (state.open.len() as u64, state.connections)
    }

    /// Plans a mishap of a method; `link` is the opening of a connection, `upload` the sending of a file's bytes.
    pub fn plan(&self, method: &str, mishap: Mishap) {
        self.state().faults.plan(Fault {
            method: method.to_owned(),
            mishap,
        });
    }

    /// The messages of a conversation, oldest first.
    pub fn messages(&self, room: &str) -> Vec<(String, Posted)> {
        let state = self.state();
        let messages = state.rooms.get(room).map(|room| room.messages.clone());
        messages.unwrap_or_default().into_iter().collect()
    }

    /// The messages that one person of a conversation was shown, oldest first.
    pub fn ephemeral(&self, room: &str) -> Vec<Posted> {
        let state = self.state();
        let shown = state.rooms.get(room).map(|room| room.ephemeral.clone());
        shown.unwrap_or_default()
    }

    /// Events that are not confirmed.
    pub fn unconfirmed(&self) -> usize {
        self.state()
            .happened
            .iter()
            .filter(|happened| !happened.confirmed)
            .count()
    }

    /// Calls that have arrived.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// The rules that were broken so far.
    pub fn broken(&self) -> Vec<Rule> {
        self.state().broken.rules().copied().collect()
    }

    pub(super) fn unconfirmed_events(&self) -> Vec<(usize, u32, Value)> {
        let state = self.state();
        let all = state.happened.iter().enumerate();
        all.filter(|(_, happened)| !happened.confirmed)
            .map(|(at, happened)| (at, happened.attempts, happened.event.clone()))
            .collect()
    }

    pub(super) fn note_delivery(&self, at: usize, confirmed: bool) {
        let happened = &mut self.state().happened[at];
        happened.attempts += 1;
        happened.confirmed |= confirmed;
    }

    pub(super) fn check_challenge(&self, answered: bool) {
        if !answered {
            self.state().broken.note(CHALLENGE);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state()
    }
}

impl Drop for SlackServer {
    /// Connections have tasks of their own.
    fn drop(&mut self) {
        self.close();
    }
}

impl Inner {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Plain data, whole after every change: a panic elsewhere spoils nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn patience(&self) -> Duration {
        *self.patience.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next event for a connection, in its envelope. Slack sends each through any one that is open; here it is the
    /// newest, so that an app which hears only its old ones is found out.
    pub(super) fn next_event(&self, connection: u64) -> Option<(usize, Value)> {
        let mut state = self.state();
        if state.open.last() != Some(&connection) {
            return None;
        }
        let waits = |happened: &super::state::Happened| !happened.confirmed && happened.held_by.is_none();
        let at = state.happened.iter().position(waits)?;
        let envelope = format!("envelope-{}", state.serial());
        let happened = &mut state.happened[at];
        happened.held_by = Some(connection);
        let attempts = happened.attempts;
        happened.attempts += 1;
        let kind = if happened.event["command"].is_string() {
            "slash_commands"
        } else {
            "events_api"
        };
        let reason = if attempts > 0 { "timeout" } else { "" };
        let envelope = json!({
            "envelope_id": envelope, "type": kind, "accepts_response_payload": kind == "slash_commands",
            "payload": happened.event, "retry_attempt": attempts, "retry_reason": reason,
        });
        Some((at, envelope))
    }

    /// A connection is gone: what it did not confirm is for the next one.
    pub(super) fn let_go(&self, connection: u64) {
        let mut state = self.state();
        state.open.remove(&connection);
        for happened in &mut state.happened {
            if happened.held_by == Some(connection) {
                happened.held_by = None;
            }
        }
        drop(state);
        self.news.notify_waiters();
    }
}
