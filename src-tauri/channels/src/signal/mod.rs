//! Signal, through the JSON-RPC daemon of signal-cli. What the daemon does is described in
//! <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc>, what its methods take in
//! <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc>.
//!
//! The client is our own: every call has a connection to itself, so that one that breaks says exactly which call
//! is in doubt, and what the daemon sends between waits in the socket until somebody has room for it. JSON-RPC
//! libraries share one connection, end it at the first line they cannot read, and drop notifications nobody takes.

mod attach;
mod daemon;
mod envelope;
mod fetch;
mod ids;
mod kind;
mod link;
mod members;
mod memory;
mod receipts;
mod receive;
mod refusal;
mod send;

use crate::folder::Folder;
use crate::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Rates, Refusal, platform, rates};
use async_trait::async_trait;
use attach::MAX_FILE;
use daemon::Daemon;
use envelope::Me;
use foldback_wire::{Attachment, Capabilities, ChannelId, ChatId, Clock};
pub(crate) use kind::KIND;
use members::Groups;
use memory::Memory;
use receipts::Receipts;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// Where signal-cli listens unless it is told otherwise.
const SIGNAL_CLI: &str = "tcp://127.0.0.1:7583";

/// An account on Signal, in the hands of a signal-cli daemon.
pub struct SignalCli {
    channel: ChannelId,
    capabilities: Capabilities,
    daemon: Arc<Daemon>,
    account: Option<String>,
    folder: Folder,
    state: Arc<Mutex<State>>,
    /// The connection on which messages arrive. Held by an attempt to connect; one that is dropped leaves it here, so
    /// that what is on its way is taken before it is closed.
    listening: tokio::sync::Mutex<Option<receive::Listening>>,
    /// Read receipts under way, which end with the adapter.
    showing: Mutex<JoinSet<()>>,
    /// Questions for the members of groups, which end with the connection.
    asking: Mutex<JoinSet<()>>,
}

/// What outlives a connection.
#[derive(Debug, Default)]
struct State {
    me: Me,
    memory: Memory,
    inbox: receive::Inbox,
    receipts: Receipts,
    groups: Groups,
}

impl SignalCli {
    /// The account with this phone number, or the daemon's only one. `root` is where the daemon listens, such as
    /// its usual address or `unix:///run/user/1000/signal-cli/socket`. Files are sent from `folder`.
    ///
    /// # Errors
    /// When `root` is no such address, or one on another machine: the daemon asks nobody for a password.
    pub fn new(
        channel: ChannelId,
        capabilities: Capabilities,
        account: Option<String>,
        root: &str,
        folder: Folder,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Refusal> {
        let file_limit = capabilities.file_limit.map(|limit| limit.min(MAX_FILE));
        Ok(Self {
            channel,
            capabilities: Capabilities {
                file_limit,
                ..capabilities
            },
            daemon: Arc::new(Daemon::at(root, clock)?),
            state: Arc::new(Mutex::new(State {
                me: Me::of(account.as_deref()),
                ..State::default()
            })),
            showing: Mutex::default(),
            asking: Mutex::default(),
            account,
            folder,
            listening: tokio::sync::Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// Parameters of a call, with the account where it is known: a daemon of several must be told.
    fn parameters(&self) -> Map<String, Value> {
        let account = self.state().me.account().map(str::to_owned);
        account
            .map(|account| ("account".to_owned(), account.into()))
            .into_iter()
            .collect()
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Plain data, whole after every change: a panic elsewhere spoils nothing.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl ChannelAdapter for SignalCli {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rates(&self) -> Rates {
        rates(platform::SIGNAL)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.receive(connection).await
    }

    async fn disconnect(&self, connection: &Connection) {
        self.leave_groups();
        let listening = self.listening.lock().await.take();
        if let Some(listening) = listening {
            self.leave(listening).await;
        }
        self.empty(connection.sink()).await;
    }

    /// Performs an operation, and shows those who wrote in the chat that they were read.
    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.show_read(&call.target.chat);
        self.send(&call.target, &call.operation).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.download(chat, file, limit).await
    }
}
