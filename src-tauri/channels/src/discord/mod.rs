//! Discord: messages come in through the gateway, operations go out through REST. Every rule of the platform
//! that is followed here stands in <https://discord.com/developers/docs>.
//!
//! The words (identifiers, intents, opcodes, close codes, the bodies of calls) are those of `serenity`. Messages are read
//! part by part, since its own types refuse a whole message over one unfamiliar value.
//! Its client is not used, for what this seam promises cannot be kept on top of it: it hands every event to a task
//! of its own, so that their order is lost and a slow pipeline slows nobody down; it keeps a session's place to
//! itself, so that nothing could be asked for again that did not become durable, nor after a channel was off or the bot
//! started anew; and
//! its REST client gives neither how long a refused call must wait nor whether a lost one may have arrived.

mod api;
mod bookmark;
mod kind;
mod menu;
mod message;
mod receive;
mod refusal;
mod send;
mod session;
mod socket;
mod thread;

use crate::folder::Folder;
use crate::mention::Mention;
use crate::menu::Menu;
use crate::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, MenuCommand, Rates, Refusal, ThreadPart,
    ThreadQuery, platform, rates,
};
use api::Api;
use async_trait::async_trait;
use bookmark::Bookmark;
use foldback_wire::{Attachment, Capabilities, ChannelId, ChatId, Clock, Rng, Secret};
pub(crate) use kind::KIND;
use receive::INTENTS;
use serenity::model::id::UserId;
use session::Session;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{Mutex, OnceCell};

/// Where Discord is.
const DISCORD: &str = "https://discord.com";

/// A Discord bot.
pub struct Discord {
    channel: ChannelId,
    capabilities: Capabilities,
    api: Api,
    folder: Folder,
    mentions: Vec<Mention>,
    menu: Menu,
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
    /// Held by an attempt to connect: there is one at a time. It outlives a run, so that the next one takes up where
    /// this one ended, as long as Discord remembers.
    session: Mutex<Session>,
    /// The id of the bot, once Discord has told it.
    own_id: OnceCell<UserId>,
    /// With it, the next process does, too.
    bookmark: Option<Bookmark>,
}

impl Discord {
    /// The bot that `token` belongs to. `root` is where the REST interface is, the usual address or a stand-in for it;
    /// only a local one may do without https. Files are sent from `folder`. Mentions notify nobody.
    ///
    /// # Errors
    /// When `root` is no address the token may be sent to.
    pub fn new(
        channel: ChannelId,
        capabilities: Capabilities,
        token: Secret,
        root: &str,
        folder: Folder,
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            channel,
            capabilities,
            api: Api::new(root, token)?,
            folder,
            mentions: Vec::new(),
            menu: Menu::default(),
            clock,
            rng,
            session: Mutex::default(),
            own_id: OnceCell::new(),
            bookmark: None,
        })
    }

    /// The same, with mentions that notify those they name.
    #[must_use]
    pub fn notifying(self, mentions: Vec<Mention>) -> Self {
        Self { mentions, ..self }
    }

    /// The same, with these application commands.
    #[must_use]
    pub fn offering(self, commands: Vec<MenuCommand>) -> Self {
        Self {
            menu: Menu::new(commands),
            ..self
        }
    }

    /// The same, with a bookmark in this folder: goes on with the session of the process before that wrote into the same
    /// journal, known by its file.
    #[must_use]
    pub fn resuming(self, folder: &Path, journal: Option<&Path>) -> Self {
        let bookmark = Bookmark::of(&self.api, INTENTS, folder, journal);
        let session = bookmark.read().map(Session::from_progress).unwrap_or_default();
        Self {
            session: Mutex::new(session),
            bookmark: Some(bookmark),
            ..self
        }
    }

    /// Puts the bookmark where the session stands, unless it is there.
    async fn mark(&self, session: &mut Session) {
        if let (Some(bookmark), Some(progress)) = (&self.bookmark, session.unmarked()) {
            bookmark.write(&progress).await;
        }
    }
}

#[async_trait]
impl ChannelAdapter for Discord {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rates(&self) -> Rates {
        rates(platform::DISCORD)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.receive(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.send(&call).await
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.api.download(file, limit).await
    }

    async fn read_thread(&self, query: &ThreadQuery) -> Result<Option<ThreadPart>, Refusal> {
        self.thread_before(query).await.map(Some)
    }
}
