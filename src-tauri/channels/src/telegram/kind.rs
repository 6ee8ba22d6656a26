//! Channels on Telegram.

use super::{TELEGRAM, Telegram};
use crate::{
    AdapterParts, ChannelKindRow, ConnectionKey, Made,
    kind::{CREDENTIAL, needed},
    platform,
};
use std::sync::Arc;

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "telegram",
    platform: platform::TELEGRAM,
    api_root: TELEGRAM,
    ways: &[&[needed(ConnectionKey::Token, CREDENTIAL)]],
    takes: &[],
    make,
};

fn make(parts: AdapterParts) -> Made {
    let (token, menu) = (parts.secret(ConnectionKey::Token)?, parts.menu());
    let telegram = Telegram::new(
        parts.channel,
        parts.can,
        token,
        &parts.api_root,
        parts.folder,
        parts.clock,
    )?;
    Ok(Arc::new(telegram.offering(menu)))
}
