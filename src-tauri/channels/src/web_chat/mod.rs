//! Web chat: the platform is this program. An HTTP server of its own shows a page, takes what visitors post and streams what
//! the bot does. It needs no account anywhere.
//!
//! A page's way, with times of one answer:
//!
//! | time | request | answer |
//! |---|---|---|
//! | 0.00 s | `GET /`, in a window or in a frame of another site | the page: HTML, a style sheet, two scripts |
//! | 0.05 s | `POST /session` | a cookie, new or as before, and the bounds |
//! | 0.06 s | `GET /events` | all messages that are kept, and then every change as it happens |
//! | 5.00 s | `POST /messages` | 200 once the message is in the journal |
//! | 5.30 s | (events) | a message of the bot, then its text as it grows, a reaction, a file |
//! | 9.00 s | the network breaks; `GET /events` with `Last-Event-ID` | what happened since, or all messages again |
//!
//! What holds:
//!
//! - One conversation is one visitor, known by a cookie. The journal has a digest of it (`session.rs`).
//! - Only the page itself may change or stream anything: both ends of a request are looked at (`origin.rs`).
//! - A conversation is kept in the data folder, so that a reload and a restart show it. An operation is acknowledged once it
//!   is there, whether or not a page is open (`conversation.rs`, `log.rs`).
//! - The key of an operation makes the id of its message: done again, it is the same message (`send.rs`).
//! - Everything is bounded: connections, streams, conversations, messages, files, and what comes in a minute (`limits.rs`).
//! - No task outlives the connection: a channel that is switched off closes its port and all streams.

mod answer;
mod conversation;
mod conversations;
mod entry;
mod file;
mod kind;
mod limits;
mod log;
mod origin;
mod parts;
mod receive;
mod recent;
mod route;
mod seats;
mod send;
mod session;
mod stream;
mod upload;

use crate::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Folder, Refusal, VisitorLimits};
use async_trait::async_trait;
use conversations::Conversations;
use foldback_wire::{Attachment, Capabilities, ChannelId, ChannelState, ChatId, Clock};
pub(crate) use kind::KIND;
use limits::Addresses;
use origin::Origins;
use seats::Seats;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a page is, and for whom.
#[derive(Debug, Clone)]
pub struct WebChatPlace {
    /// The address of the page on this machine.
    pub listen: SocketAddr,
    /// The page's public address, and the sites that show it in a frame.
    pub origins: Vec<String>,
    /// Bounds of its visitors.
    pub limits: VisitorLimits,
    /// The data folder, in which conversations are kept.
    pub data: PathBuf,
    /// The journal that has them, too.
    pub journal: Option<PathBuf>,
}

/// A chat page.
pub struct WebChat {
    channel: ChannelId,
    capabilities: Capabilities,
    listen: SocketAddr,
    origins: Origins,
    limits: VisitorLimits,
    folder: Folder,
    clock: Arc<dyn Clock>,
    conversations: Conversations,
    seats: Seats,
    requests: Mutex<Addresses>,
    newcomers: Mutex<Addresses>,
}

impl WebChat {
    /// A page. Files are sent from `folder`.
    ///
    /// # Errors
    /// Where other machines reach the page and no site is listed, or what is listed is no site.
    pub fn new(
        channel: ChannelId,
        capabilities: Capabilities,
        place: WebChatPlace,
        folder: Folder,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Refusal> {
        let WebChatPlace {
            listen,
            origins,
            limits,
            data,
            journal,
        } = place;
        let origins = Origins::new(listen, &origins)?;
        let most = limits.conversations;
        let conversations =
            Conversations::open(&channel, &data, journal.as_deref(), most, Arc::clone(&clock));
        Ok(Self {
            channel,
            capabilities,
            listen,
            origins,
            limits,
            folder,
            clock,
            conversations,
            seats: Seats::default(),
            requests: Mutex::new(Addresses::new(limits::REQUESTS_OF_ADDRESS)),
            newcomers: Mutex::new(Addresses::new(limits::NEW_OF_ADDRESS)),
        })
    }

    fn requests(&self) -> MutexGuard<'_, Addresses> {
        locked(&self.requests)
    }

    fn newcomers(&self) -> MutexGuard<'_, Addresses> {
        locked(&self.newcomers)
    }
}

fn locked(addresses: &Mutex<Addresses>) -> MutexGuard<'_, Addresses> {
    // Plain data, whole after every change.
    addresses.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl ChannelAdapter for WebChat {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        connection
            .report(ChannelState::Connecting, "opening the chat page")
            .await;
        ConnectionEnd::Lost(self.serve(connection).await)
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.send(&call).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.hand_over(chat, file, limit).await
    }
}
