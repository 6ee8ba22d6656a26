//! Channels on a page of the bot's own.

use super::{WebChat, WebChatPlace};
use crate::{AdapterParts, ChannelKindRow, ConnectionKey, Made, kind::needed, platform};
use std::sync::Arc;

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "web_chat",
    platform: platform::WEB_CHAT,
    // It is this program.
    api_root: "",
    ways: &[&[needed(
        ConnectionKey::Listen,
        "the address of the page on this machine, such as \"127.0.0.1:8095\"",
    )]],
    takes: &[ConnectionKey::Origins, ConnectionKey::Limits],
    make,
};

fn make(parts: AdapterParts) -> Made {
    let missing = || AdapterParts::missing(ConnectionKey::Listen);
    let place = WebChatPlace {
        listen: parts.listen.ok_or_else(missing)?,
        origins: parts.origins,
        limits: parts.limits,
        data: parts.data,
        journal: parts.journal,
    };
    Ok(Arc::new(WebChat::new(
        parts.channel,
        parts.can,
        place,
        parts.folder,
        parts.clock,
    )?))
}
