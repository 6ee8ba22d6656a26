//! A person's own account on Telegram ("userbot"), over `MTProto`: <https://core.telegram.org/api>, with the crate
//! `grammers-client`. Everything goes over one encrypted connection that both sides write to; what is asked is answered,
//! and what happens is told in between.
//!
//! | on Telegram | here |
//! |---|---|
//! | a person, 4711 | a person, and the direct chat with them, `4711` |
//! | a group, 815 | a chat, `-815` |
//! | a supergroup, 99 | a chat, `-1000000000099` |
//! | a message, 12 | a message, `12`; supergroups count their own, all other chats of an account together |
//!
//! Those are the ids that bots see, too: <https://core.telegram.org/api/bots/ids>.
//!
//! What holds:
//!
//! - An update counts as had once the message in it is durable here; after a restart Telegram is asked for what came since.
//! - What the account writes itself, here or on a telephone, is nobody's message. Neither is what Telegram's own service
//!   account writes: the codes with which somebody signs in.
//! - A text that is sent again carries the same `random_id`, and Telegram takes it once.
//! - Nothing is marked as read: the person finds it unread on their own devices.

mod attach;
mod entity;
mod fetch;
mod file;
mod kind;
mod link;
mod messages;
mod peers;
mod place;
mod receive;
mod refusal;
mod send;
mod session;
mod sign_in;
mod sign_in_password;
mod update;

use crate::recent::Recent;
use crate::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Folder, Rates, Refusal, platform, rates};
use async_trait::async_trait;
pub use file::{is_signed_in_at, telegram_session_file};
use foldback_wire::{Attachment, Capabilities, ChannelId, ChatId, Clock, RefusalCode, Secret};
pub(crate) use kind::KIND;
use link::Link;
use session::AccountSession;
pub use sign_in::{SignInStep, TelegramSignIn};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Mutex;
use update::Author;

/// Address of the first data centre, which <https://my.telegram.org/apps> names.
const TELEGRAM: &str = "tcp://149.154.167.50:443";

/// The risk of such a channel, for whoever configures it or signs in.
pub const TELEGRAM_RISK: &str = "Telegram may end the account of whoever lets a program do what people do, together with all \
    of its chats (https://core.telegram.org/api/terms)";

/// An account, and the app that it is used through.
#[derive(Debug, Clone)]
pub struct TelegramUserApp {
    /// The app's `api_id`.
    pub api_id: i32,
    /// The app's `api_hash`.
    pub api_hash: Secret,
    /// The account's phone number, with its `+`.
    pub phone: String,
    /// Address of the first data centre.
    pub root: SocketAddr,
}

impl TelegramUserApp {
    /// An app by what stands in a configuration.
    ///
    /// # Errors
    /// For the first setting that is none.
    pub fn new(client_id: &str, api_hash: Secret, phone: &str, root: &str) -> Result<Self, Refusal> {
        let wrong = |why: String| Refusal::new(RefusalCode::Rejected, why);
        let api_id = client_id.parse().ok().filter(|id| *id > 0);
        let api_id = api_id.ok_or_else(|| {
            wrong(format!(
                "client_id is the app's api_id, a number, and not {client_id:?}"
            ))
        })?;
        if !platform::is_phone_number(phone) {
            return Err(wrong(format!(
                "account is the phone number of the account, such as +4915112345678, and not {phone:?}"
            )));
        }
        let address = root.trim_end_matches('/').strip_prefix("tcp://");
        let root = address.and_then(|address| address.parse().ok()).ok_or_else(|| {
            wrong(format!(
                "api_root is tcp://ADDRESS:PORT with the number of an address, and not {root:?}"
            ))
        })?;
        Ok(Self {
            api_id,
            api_hash,
            phone: phone.to_owned(),
            root,
        })
    }
}

/// A person's account on Telegram.
pub struct TelegramUser {
    channel: ChannelId,
    capabilities: Capabilities,
    app: TelegramUserApp,
    data: PathBuf,
    folder: Folder,
    clock: Arc<dyn Clock>,
    /// The session that was signed in to, as far as there is one.
    session: std::sync::Mutex<Option<Arc<AccountSession>>>,
    link: Mutex<Option<Link>>,
    /// The people who wrote last, by their ids: an update in short form names nobody.
    authors: Recent<i64, Author>,
}

impl TelegramUser {
    /// The account of an app, whose session is kept in the data folder.
    pub fn new(
        channel: ChannelId,
        capabilities: Capabilities,
        app: TelegramUserApp,
        data: PathBuf,
        folder: Folder,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let made = Self {
            channel,
            capabilities,
            app,
            data,
            folder,
            clock,
            session: std::sync::Mutex::default(),
            link: Mutex::default(),
            authors: Recent::default(),
        };
        // Whoever needs it says what is wrong.
        let _ = made.open_session(true);
        made
    }
}

#[async_trait]
impl ChannelAdapter for TelegramUser {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rates(&self) -> Rates {
        rates(platform::TELEGRAM_USER)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.receive(connection).await
    }

    async fn disconnect(&self, _: &Connection) {
        // It ends with the last call that is under way on it.
        *self.link.lock().await = None;
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.send(&call).await
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.download(file, limit).await
    }
}
