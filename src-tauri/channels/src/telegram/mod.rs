//! Telegram, through the Bot API with long polling. Every rule of the platform that is followed here stands
//! in <https://core.telegram.org/bots/api>.

mod api;
mod kind;
mod menu;
mod moved;
mod receive;
mod send;
mod told;
mod update;

use crate::folder::Folder;
use crate::menu::Menu;
use crate::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, MenuCommand, Rates, Refusal, platform, rates,
};
use api::Api;
use async_trait::async_trait;
use foldback_wire::{Attachment, Capabilities, ChannelId, ChatId, Clock, Secret};
pub(crate) use kind::KIND;
use std::sync::Arc;

/// Where the Bot API is.
const TELEGRAM: &str = "https://api.telegram.org";

/// A Telegram bot.
pub struct Telegram {
    channel: ChannelId,
    capabilities: Capabilities,
    api: Api,
    folder: Folder,
    clock: Arc<dyn Clock>,
    menu: Menu,
}

impl Telegram {
    /// The bot that `token` belongs to. `root` is the address of the Bot API, the usual one or another server
    /// of it; only a local one may do without https. Files are sent from `folder`.
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
    ) -> Result<Self, Refusal> {
        Ok(Self {
            channel,
            capabilities,
            api: Api::new(root, token)?,
            folder,
            clock,
            menu: Menu::default(),
        })
    }

    /// The same, with a menu of these commands.
    #[must_use]
    pub fn offering(self, commands: Vec<MenuCommand>) -> Self {
        Self {
            menu: Menu::new(commands),
            ..self
        }
    }
}

#[async_trait]
impl ChannelAdapter for Telegram {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn rates(&self) -> Rates {
        rates(platform::TELEGRAM)
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.receive(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.send(&call.target, &call.operation).await
    }

    async fn fetch(&self, _: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.api.download(file, limit).await
    }
}
