//! The server: <https://developers.facebook.com/documentation/business-messaging/whatsapp/reference>.

use super::answer::answer;
use super::chat::{Chat, Media, Posted, Queue};
use super::webhooks;
use crate::fault::Faults;
use crate::sent::SentFiles;
use crate::{Broken, Fault, Mishap, Rule};
use axum::Router;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

/// The version that the addresses name.
pub(super) const VERSION: &str = "v26.0";

/// The system's time, as the platform writes it.
fn seconds_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

/// What an app knows of its phone number.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The id of the phone number.
    pub number: String,
    /// An access token.
    pub token: String,
    /// The app's secret.
    pub app_secret: String,
}

/// What is in memory behind the server.
#[derive(Debug)]
pub(super) struct State {
    pub(super) credentials: Credentials,
    /// The phone number itself.
    pub(super) phone: String,
    pub(super) chats: BTreeMap<String, Chat>,
    pub(super) media: BTreeMap<String, Media>,
    pub(super) sent: SentFiles,
    pub(super) queue: Queue,
    pub(super) broken: Broken,
    pub(super) posts: u64,
    /// How often every webhook comes again although it was confirmed.
    pub(super) repeats: u32,
    pub(super) faults: Faults,
    /// What the next calls of a method are answered with, in its place.
    pub(super) instead: Vec<(String, StatusCode, String)>,
    pub(super) calls: u64,
    pub(super) last: u64,
}

impl State {
    pub(super) fn mint(&mut self) -> String {
        self.last += 1;
        format!("wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI{:016X}AA==", self.last)
    }

    /// The status of a message that was sent goes to the endpoint, as it came to be at one of those it is for:
    /// <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status>.
    pub(super) fn tell_status(&mut self, to: &str, by: &str, id: &str, status: &str, error: Option<Value>) {
        let mut told = json!({"id": id, "status": status, "timestamp": "1750000000", "recipient_id": to});
        if matches!(status, "sent" | "delivered") {
            told["conversation"] = json!({
                "id": "5e7bd4ba9d4b4d6a8a1b7f5d2c3e4f50", "expiration_timestamp": "1750086400",
                "origin": {"type": "service"},
            });
            told["pricing"] = json!({
                "billable": false, "pricing_model": "PMP", "category": "service", "type": "free_customer_service",
            });
        }
        // A group has a status of each who is in it.
        if to != by {
            told["recipient_type"] = "group".into();
            told["recipient_participant_id"] = by.into();
        }
        if let Some(error) = error {
            told["errors"] = json!([error]);
        }
        let value = self.value(json!({"statuses": [told]}));
        self.queue.push(value);
    }

    /// The value of a change, with what all of them have.
    fn value(&self, mut rest: Value) -> Value {
        rest["messaging_product"] = "whatsapp".into();
        if rest["metadata"].is_null() {
            rest["metadata"] = json!({
                "display_phone_number": self.phone,
                "phone_number_id": self.credentials.number,
            });
        }
        rest
    }
}

#[derive(Debug)]
pub(super) struct Inner {
    state: Mutex<State>,
    pub(super) news: Notify,
}

impl Inner {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Plain data, whole after every change: a panic elsewhere spoils nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The Cloud API for one phone number, on loopback, until it is dropped.
#[derive(Debug)]
pub struct WhatsAppServer {
    address: SocketAddr,
    inner: Arc<Inner>,
    _serving: AbortOnDropHandle<()>,
    delivering: Mutex<Option<AbortOnDropHandle<()>>>,
}

impl WhatsAppServer {
    /// The phone number of the business.
    pub const PHONE: &str = "15550783881";

    /// Serves a phone number.
    pub async fn start(credentials: Credentials) -> io::Result<Self> {
        let state = State {
            credentials,
            phone: Self::PHONE.to_owned(),
            chats: BTreeMap::new(),
            media: BTreeMap::new(),
            sent: SentFiles::default(),
            queue: Queue::default(),
            broken: Broken::default(),
            posts: 0,
            repeats: 0,
            faults: Faults::default(),
            instead: Vec::new(),
            calls: 0,
            last: 0,
        };
        let inner = Arc::new(Inner {
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
            delivering: Mutex::default(),
        })
    }

    /// Where it is, with its version.
    pub fn root(&self) -> String {
        format!("http://{}/{VERSION}", self.address)
    }

    /// Registers the endpoint of the webhooks, which are delivered to it from then on.
    pub async fn register(&self, callback: &str, verify_token: &str) -> Result<(), String> {
        webhooks::register(&self.inner, callback, verify_token).await?;
        let delivering = webhooks::deliver(Arc::clone(&self.inner), callback.to_owned());
        let task = AbortOnDropHandle::new(tokio::spawn(delivering));
        *self.delivering.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        Ok(())
    }

    /// Delivers no more webhooks until an endpoint is registered again.
    pub fn unregister(&self) {
        drop(
            self.delivering
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }

    /// A person, or a group, that can be written to.
    pub fn open_chat(&self, chat: &str) {
        self.state().chats.entry(chat.to_owned()).or_default();
    }

    /// The person has not written for 24 hours, or has again.
    pub fn close(&self, chat: &str, closed: bool) {
        self.state().chats.entry(chat.to_owned()).or_default().closed = closed;
    }

    /// The number is not on the platform.
    pub fn remove(&self, chat: &str) {
        self.state().chats.entry(chat.to_owned()).or_default().unknown = true;
    }

    /// What cannot get there is acknowledged all the same, and fails later.
    pub fn fail_late(&self, chat: &str) {
        self.state().chats.entry(chat.to_owned()).or_default().late = true;
    }

    /// Most changes that one webhook carries.
    pub fn batch(&self, most: usize) {
        self.state().queue.batch = most.max(1);
    }

    /// Every webhook comes so many times more.
    pub fn repeat(&self, times: u32) {
        self.state().repeats = times;
    }

    /// Somebody writes: a message as the documentation describes it, without id. Gives its id.
    pub fn write(&self, from: &str, mut message: Value) -> String {
        let mut state = self.state();
        let id = state.mint();
        message["id"] = id.clone().into();
        if message["timestamp"].is_null() {
            message["timestamp"] = seconds_now().to_string().into();
        }
        if message["from"].is_null() && message["from_user_id"].is_null() {
            message["from"] = from.into();
        }
        let chat = message["group_id"].as_str().unwrap_or(from).to_owned();
        let posted = Posted {
            text: message["text"]["body"].as_str().unwrap_or_default().to_owned(),
            ..Posted::default()
        };
        state.chats.entry(chat).or_default().post(&id, posted);
        let mut contact = json!({"profile": {"name": "Ana Lima"}, "wa_id": message["from"]});
        if !message["from_user_id"].is_null() {
            contact["user_id"] = message["from_user_id"].clone();
        }
        let value = state.value(json!({"contacts": [contact], "messages": [message]}));
        state.queue.push(value);
        drop(state);
        self.inner.news.notify_waiters();
        id
    }

    /// A message of the business has come further at somebody it is for: `delivered`, `read` or `played`. In a group
    /// `by` is one of many.
    pub fn reach(&self, chat: &str, by: &str, message: &str, status: &str) {
        let mut state = self.state();
        state.tell_status(chat, by, message, status, None);
        drop(state);
        self.inner.news.notify_waiters();
    }

    /// Something else comes by webhook: the value of a change. Without `metadata` it is about this phone number.
    pub fn tell(&self, rest: Value) {
        let mut state = self.state();
        let value = state.value(rest);
        state.queue.push(value);
        drop(state);
        self.inner.news.notify_waiters();
    }

    /// Somebody sends a file: gives its media id.
    pub fn keep(&self, bytes: &[u8]) -> String {
        self.state().sent.keep("2064300000", bytes)
    }

    /// This address is given for it.
    pub fn name_address(&self, media: &str, address: &str) {
        self.state().sent.point(media, address);
    }

    /// Plans a mishap of `messages`, `media` or `profile`.
    pub fn plan(&self, method: &str, mishap: Mishap) {
        self.state().faults.plan(Fault {
            method: method.to_owned(),
            mishap,
        });
    }

    /// The next call of a method does not arrive; something before it answers so, with this status and body.
    pub fn answer_instead(&self, method: &str, status: StatusCode, body: &str) {
        let mut state = self.state();
        state.instead.push((method.to_owned(), status, body.to_owned()));
    }

    /// The messages of a chat, oldest first.
    pub fn messages(&self, chat: &str) -> Vec<(String, Posted)> {
        let state = self.state();
        let Some(chat) = state.chats.get(chat) else {
            return Vec::new();
        };
        let posted = |id: &String| Some((id.clone(), chat.messages.get(id)?.clone()));
        chat.order.iter().filter_map(posted).collect()
    }

    /// How often typing was shown in a chat.
    pub fn typing(&self, chat: &str) -> u32 {
        self.state().chats.get(chat).map_or(0, |chat| chat.typing)
    }

    /// Changes that the endpoint has not confirmed.
    pub fn unconfirmed(&self) -> usize {
        self.state().queue.len()
    }

    /// Webhooks that were sent, repetitions included.
    pub fn posts(&self) -> u64 {
        self.state().posts
    }

    /// Calls that have arrived.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// The rules that were broken so far.
    pub fn broken(&self) -> Vec<Rule> {
        self.state().broken.rules().copied().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state()
    }
}
