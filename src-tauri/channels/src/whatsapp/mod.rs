//! `WhatsApp`, through Meta's Cloud API: messages go out by calls, come in by webhooks. Every rule of the platform that
//! is followed here stands below <https://developers.facebook.com/documentation/business-messaging/whatsapp>.

mod api;
mod failure;
mod kind;
mod memory;
mod notification;
mod receive;
mod send;

use crate::folder::Folder;
use crate::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Rates, Refusal, platform, rates};
use api::Api;
use async_trait::async_trait;
use foldback_wire::{Attachment, Capabilities, ChannelId, ChannelState, ChatId, Clock, RefusalCode, Secret};
pub(crate) use kind::KIND;
use memory::Memory;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the Cloud API is, with the version that is spoken here:
/// <https://developers.facebook.com/docs/graph-api/changelog/versions>.
const WHATSAPP: &str = "https://graph.facebook.com/v26.0";

/// A phone number of a business, and what proves that it is ours.
#[derive(Debug, Clone)]
pub struct WhatsAppNumber {
    /// The id of the phone number, which is not the number itself.
    pub id: String,
    /// An access token that may send from it.
    pub token: Secret,
    /// The secret of the app whose webhooks arrive here; they are signed with it.
    pub app_secret: Secret,
    /// The word that Meta must know to register the webhook.
    pub verify_token: Secret,
    /// Where its webhooks arrive.
    pub listen: SocketAddr,
}

/// A phone number on `WhatsApp`.
pub struct WhatsApp {
    channel: ChannelId,
    capabilities: Capabilities,
    api: Api,
    number: WhatsAppNumber,
    folder: Folder,
    clock: Arc<dyn Clock>,
    memory: Mutex<Memory>,
}

impl WhatsApp {
    /// A phone number. `root` is the address of the Cloud API, the usual one or a server that takes its place; only a
    /// local one may do without https. Files are sent from `folder`.
    ///
    /// # Errors
    /// When something of the number is missing, or `root` is no address the token may be sent to.
    pub fn new(
        channel: ChannelId,
        capabilities: Capabilities,
        number: WhatsAppNumber,
        root: &str,
        folder: Folder,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Refusal> {
        let wrong = |why: &str| Err(Refusal::new(RefusalCode::Rejected, why));
        if number.id.is_empty() || !number.id.bytes().all(|c| c.is_ascii_digit()) {
            return wrong(
                "account is the id of the phone number, digits only (Meta's dashboard, WhatsApp, API Setup)",
            );
        }
        for (key, secret) in [
            ("token", &number.token),
            ("signing_secret", &number.app_secret),
            ("verify_token", &number.verify_token),
        ] {
            // Anybody could sign with an empty secret, or register with an empty word.
            if secret.expose().is_empty() {
                return wrong(&format!("{key} is empty"));
            }
        }
        Ok(Self {
            channel,
            capabilities,
            api: Api::new(root, &number)?,
            number,
            folder,
            clock,
            memory: Mutex::default(),
        })
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ChannelAdapter for WhatsApp {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rates(&self) -> Rates {
        rates(platform::WHATSAPP)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        connection
            .report(ChannelState::Connecting, "connecting to WhatsApp")
            .await;
        // Whatever else goes wrong may pass, or be mended at Meta.
        let refusal = self.receive(connection).await;
        ConnectionEnd::unless_denied(refusal, "WhatsApp refuses the number or the token")
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.send(&call.target, &call.operation).await
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.api.download(file, limit).await
    }
}
