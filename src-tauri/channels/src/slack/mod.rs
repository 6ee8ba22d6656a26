//! Slack, through the Web API (<https://docs.slack.dev/apis/web-api>) and, for what comes in, Socket Mode or the Events
//! API.

mod api;
mod command;
mod event;
mod hook;
mod intake;
mod kind;
mod manifest;
mod meaning;
mod names;
mod receive;
mod send;
mod socket;
mod text;
mod thread;

pub use manifest::slack_manifest;

use crate::folder::Folder;
use crate::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, MenuCommand, Rates, Refusal, ThreadPart,
    ThreadQuery, platform, rates,
};
use api::Api;
use async_trait::async_trait;
use foldback_wire::{Attachment, Capabilities, ChannelId, ChannelState, ChatId, Clock, Secret};
use intake::Seen;
pub(crate) use kind::KIND;
use names::UserNames;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Where the Web API is.
const SLACK: &str = "https://slack.com/api";

/// How Slack delivers what happens.
#[derive(Debug, Clone)]
pub enum SlackEvents {
    /// Through a connection that the app opens with its app-level token, so that it needs no public address:
    /// <https://docs.slack.dev/apis/events-api/using-socket-mode>.
    SocketMode(Secret),
    /// As webhooks: <https://docs.slack.dev/apis/events-api/using-http-request-urls>.
    Webhooks {
        /// Where they arrive; port 0 is any free one.
        listen: SocketAddr,
        /// What Slack signs them with.
        signing_secret: Secret,
    },
}

/// An app installed in a workspace, as its settings page shows it.
#[derive(Debug, Clone)]
pub struct SlackApp {
    /// The token of its bot, `xoxb-…`.
    pub token: Secret,
    /// How events come.
    pub events: SlackEvents,
    /// The address of the Web API, the usual one or another server of it; only a local one may do without https.
    pub root: String,
}

/// A bot in a Slack workspace.
pub struct Slack {
    channel: ChannelId,
    capabilities: Capabilities,
    api: Arc<Api>,
    events: SlackEvents,
    folder: Folder,
    clock: Arc<dyn Clock>,
    seen: Seen,
    names: UserNames,
    /// The user id of the bot, once Slack has told it.
    own_id: OnceCell<String>,
    /// The names of the bot's commands.
    menu: Vec<MenuCommand>,
}

impl Slack {
    /// The bot of `app`. Files are sent from `folder`.
    ///
    /// # Errors
    /// When the app's `root` is no address its tokens may be sent to.
    pub fn new(
        channel: ChannelId,
        capabilities: Capabilities,
        app: SlackApp,
        folder: Folder,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Refusal> {
        let api = Arc::new(Api::new(&app.root, app.token)?);
        Ok(Self {
            names: UserNames::new(Arc::clone(&api), Arc::clone(&clock)),
            channel,
            capabilities,
            api,
            events: app.events,
            folder,
            clock,
            seen: Seen::default(),
            own_id: OnceCell::new(),
            menu: Vec::new(),
        })
    }

    /// The same, with slash commands of these names. The app's page has them: no call sets them.
    #[must_use]
    pub fn offering(self, commands: Vec<MenuCommand>) -> Self {
        Self {
            menu: commands,
            ..self
        }
    }
}

#[async_trait]
impl ChannelAdapter for Slack {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rates(&self) -> Rates {
        rates(platform::SLACK)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        connection
            .report(ChannelState::Connecting, "connecting to Slack")
            .await;
        let Err(refusal) = self.receive(connection).await;
        ConnectionEnd::unless_denied(refusal, "Slack refuses the app")
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.send(&call.target, &call.operation).await
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.api.download(file, limit).await
    }

    async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        self.thread_before(query).await.map(Some)
    }
}
