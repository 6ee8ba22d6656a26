//! X: the bot reads the posts that mention it, and answers each with a reply. Every rule of the platform that is followed
//! here stands below <https://docs.x.com>, or at the address beside it.
//!
//! | on X | here |
//! |---|---|
//! | the first post of a conversation, by its number | a chat, a group |
//! | a post that mentions the bot | a message, and the thread that its answer belongs to |
//! | a reply to that post | the answer |
//! | a reply to that reply | what follows of an answer that is longer than a post |
//!
//! What holds:
//!
//! - A mention counts as read only once it is durable here, together with all that came before it. The number of the last one
//!   is kept in a file, and the next process goes on behind it. What was written before the first start is not answered.
//! - What the bot wrote itself, and what somebody only passes on, is passed over.
//! - A refresh token is used once: the next one is written to a file that its owner alone can read, before the access token
//!   that came with it is used.

mod api;
mod kind;
mod post;
mod receive;
mod refresh;
mod refusal;
mod send;
mod service;

use crate::kept::KeptFile;
use crate::recent::Recent;
use crate::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Rates, Refusal, platform, rates};
use api::Api;
use async_trait::async_trait;
use foldback_wire::{
    Attachment, Capabilities, ChannelId, ChatId, Clock, MessageId, RefusalCode, Secret, ThreadId,
};
pub(crate) use kind::KIND;
use receive::Found;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Address of the API.
const X: &str = "https://api.x.com";

/// An app, and the authorization that it acts by.
#[derive(Debug, Clone)]
pub struct XApp {
    /// The client id.
    pub client_id: String,
    /// The client secret, which only confidential clients have.
    pub client_secret: Option<Secret>,
    /// The refresh token that the authorization gave. Where a later one is kept, that is used.
    pub refresh_token: Secret,
}

/// The place for what the next process needs.
#[derive(Debug, Clone)]
pub struct XFiles {
    /// The data folder.
    pub folder: PathBuf,
    /// The journal's file: what was read for one journal is new to another one.
    pub journal: Option<PathBuf>,
}

/// An account of a bot on X.
pub struct X {
    channel: ChannelId,
    capabilities: Capabilities,
    api: Api,
    clock: Arc<dyn Clock>,
    /// The last mention that was read.
    read: KeptFile,
    /// The pages of mentions that were fetched before X wanted a pause.
    found: Mutex<Option<Found>>,
    /// The last post of each answer.
    answers: Recent<ThreadId, MessageId>,
}

impl X {
    /// The bot of an authorization. `root` is the address of the API, the usual one or another server of it; only a local
    /// one may do without https.
    ///
    /// # Errors
    /// When `root` is no address the credentials may be sent to.
    pub fn new(
        channel: ChannelId,
        capabilities: Capabilities,
        app: XApp,
        root: &str,
        files: &XFiles,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Refusal> {
        let journal = files.journal.as_ref();
        let journal = journal.map_or(&[][..], |file| file.as_os_str().as_encoded_bytes());
        let of = [
            channel.as_str().as_bytes(),
            root.as_bytes(),
            app.client_id.as_bytes(),
        ];
        let read = KeptFile::new(&files.folder, "x-read", &[&of[..], &[journal]].concat());
        // Of the authorization alone: it stays the same where the channel has another name or the API another address, and
        // the configured token is used up by then.
        let configured = app.refresh_token.expose().as_bytes();
        let token = KeptFile::new(&files.folder, "x-token", &[app.client_id.as_bytes(), configured]);
        Ok(Self {
            channel,
            capabilities,
            api: Api::new(root, app, token, Arc::clone(&clock))?,
            clock,
            read,
            found: Mutex::default(),
            answers: Recent::default(),
        })
    }
}

#[async_trait]
impl ChannelAdapter for X {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rates(&self) -> Rates {
        rates(platform::X)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.receive(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.send(&call.target, &call.operation).await
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, _: u64) -> Result<Vec<u8>, Refusal> {
        // No mention is handed over with files.
        let why = format!("pictures of posts are not fetched, and {} is none", file.name);
        Err(Refusal::new(RefusalCode::Unsupported, why))
    }
}
