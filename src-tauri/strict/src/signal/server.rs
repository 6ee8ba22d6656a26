//! The server: a daemon on loopback, until it is dropped.

use super::account::{Account, Person, Posted};
use super::connection::{Listener, Wire, serve};
use crate::fault::Faults;
use crate::sent::SentFiles;
use crate::{Broken, Fault, Mishap, Rule};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How the daemon was started.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The numbers of its accounts. People and messages are those of the first.
    pub accounts: Vec<String>,
    /// With `-a`: for one account, which it does not list and need not be told.
    pub single: bool,
    /// Without `--receive-mode=manual`: every connection is told what is received, subscribed or not.
    pub automatic: bool,
}

/// What is in memory behind the server.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) start: Start,
    pub(super) account: Account,
    pub(super) listeners: BTreeMap<u64, Listener>,
    pub(super) waiting: VecDeque<Value>,
    pub(super) faults: Faults,
    pub(super) sent: SentFiles,
    pub(super) broken: Broken,
    pub(super) calls: u64,
    pub(super) connections: u64,
    pub(super) subscriptions: i64,
    closing: CancellationToken,
}

/// A refusal, in JSON-RPC's form.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) fault: Value,
    pub(super) rule: Option<Rule>,
}

impl Refused {
    pub(super) fn plain(code: i64, message: &str) -> Self {
        Self {
            fault: json!({"code": code, "message": message, "data": null}),
            rule: None,
        }
    }

    /// <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#submitratelimitchallenge>
    pub(super) fn rate_limited(wait: Duration) -> Self {
        let results = json!([{
            "recipientAddress": {"number": "+33123456789"}, "type": "RATE_LIMIT_FAILURE",
            "token": "12ab-challenge", "retryAfterSeconds": wait.as_secs().max(1),
        }]);
        let mut refused = Self::plain(-5, "Failed to send message due to rate limiting");
        refused.fault["data"] = json!({"response": {"timestamp": 1, "results": results}});
        refused
    }
}

/// A refusal because a rule was broken.
pub(super) fn refuse(rule: Rule, code: i64, message: &str) -> Refused {
    Refused {
        rule: Some(rule),
        ..Refused::plain(code, message)
    }
}

#[derive(Debug)]
pub(super) struct Inner {
    state: Mutex<State>,
}

impl Inner {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Plain data, whole after every change: a panic elsewhere spoils nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The daemon of signal-cli on loopback, until it is dropped.
#[derive(Debug)]
pub struct SignalServer {
    root: String,
    inner: Arc<Inner>,
    _serving: AbortOnDropHandle<()>,
}

enum Listening {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listening {
    async fn accept(&self) -> io::Result<Box<dyn Wire>> {
        Ok(match self {
            Self::Tcp(listener) => Box::new(listener.accept().await?.0),
            Self::Unix(listener) => Box::new(listener.accept().await?.0),
        })
    }
}

impl SignalServer {
    /// Serves on a free port.
    pub async fn start(start: Start) -> io::Result<Self> {
        Self::start_at("127.0.0.1:0".parse().map_err(io::Error::other)?, start).await
    }

    /// Serves at an address.
    pub async fn start_at(address: SocketAddr, start: Start) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let root = format!("tcp://{}", listener.local_addr()?);
        Ok(Self::serve(root, Listening::Tcp(listener), start))
    }

    /// Serves on a Unix socket.
    pub fn start_on(path: &Path, start: Start) -> io::Result<Self> {
        let listener = UnixListener::bind(path)?;
        let root = format!("unix://{}", path.display());
        Ok(Self::serve(root, Listening::Unix(listener), start))
    }

    fn serve(root: String, listener: Listening, start: Start) -> Self {
        let state = State {
            start,
            ..State::default()
        };
        let inner = Arc::new(Inner {
            state: Mutex::new(state),
        });
        let serving = tokio::spawn({
            let inner = Arc::clone(&inner);
            async move {
                let mut connections = JoinSet::new();
                loop {
                    tokio::select! {
                        Ok(wire) = listener.accept() => {
                            let closed = inner.state().closing.child_token();
                            connections.spawn(serve(Arc::clone(&inner), wire, closed));
                        }
                        Some(_) = connections.join_next() => {}
                    }
                }
            }
        });
        Self {
            root,
            inner,
            _serving: AbortOnDropHandle::new(serving),
        }
    }

    /// Where it is.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Somebody sends a file: gives the id of the attachment.
    pub fn keep(&self, bytes: &[u8]) -> String {
        self.inner.state().sent.keep("attachment-", bytes)
    }

    /// Somebody is on Signal.
    pub fn register(&self, number: &str, aci: &str, name: &str) {
        let person = Person {
            aci: aci.to_owned(),
            name: name.to_owned(),
            distrusted: false,
        };
        self.state().account.people.insert(number.to_owned(), person);
    }

    /// Somebody has a new safety number, which nobody has compared.
    pub fn distrust(&self, number: &str) {
        if let Some(person) = self.state().account.people.get_mut(number) {
            person.distrusted = true;
        }
    }

    /// There is a group with these members, or it has them from now on.
    pub fn open_group(&self, id: &str, members: &[&str]) {
        let members = members.iter().map(|&member| member.to_owned()).collect();
        let mut state = self.state();
        let account = &mut state.account;
        if account.groups.insert(id.to_owned(), members).is_some() {
            // Who is in it is a change of the group, of which every message after it tells.
            let revision = account.revision(id) + 1;
            account.revisions.insert(id.to_owned(), revision);
        }
    }

    /// Somebody writes to the account, or into a group: a `dataMessage`, whose timestamp may be left out. Gives the
    /// timestamp.
    pub fn write(&self, from: &str, group: Option<&str>, data: Value) -> i64 {
        let mut state = self.state();
        let account = state.start.accounts.first().cloned();
        let envelope = state.account.envelope(from, group, data);
        let sent = envelope["timestamp"].as_i64().unwrap_or_default();
        state
            .waiting
            .push_back(json!({"envelope": envelope, "account": account}));
        state.hand_out();
        sent
    }

    /// Something else is received.
    pub fn receive(&self, received: Value) {
        let mut state = self.state();
        state.waiting.push_back(received);
        state.hand_out();
    }

    /// These bytes are written to everybody who listens.
    pub fn babble(&self, bytes: &[u8]) {
        for listener in self.state().listeners.values() {
            // A closed connection is told nothing.
            let _ = listener.lines.send(bytes.to_vec());
        }
    }

    /// Closes every connection.
    pub fn disconnect(&self) {
        let mut state = self.state();
        std::mem::take(&mut state.closing).cancel();
    }

    /// Plans a mishap.
    pub fn plan(&self, method: &str, mishap: Mishap) {
        self.state().faults.plan(Fault {
            method: method.to_owned(),
            mishap,
        });
    }

    /// The messages of a chat, oldest first: of a group by its id, of a person by their number.
    pub fn messages(&self, chat: &str) -> Vec<Posted> {
        self.state().account.chats.get(chat).cloned().unwrap_or_default()
    }

    /// How often it was shown in a chat that somebody is typing.
    pub fn typing(&self, chat: &str) -> u32 {
        self.state().account.typing.get(chat).copied().unwrap_or_default()
    }

    /// What was received and nobody was told.
    pub fn waiting(&self) -> usize {
        self.state().waiting.len()
    }

    /// Connections that are open.
    pub fn open_connections(&self) -> usize {
        self.state().listeners.len()
    }

    /// Subscriptions that are open.
    pub fn open_subscriptions(&self) -> usize {
        self.state()
            .listeners
            .values()
            .map(|listener| listener.subscriptions.len())
            .sum()
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
