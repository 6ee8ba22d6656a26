//! Channels on Discord.

use super::{DISCORD, Discord};
use crate::{
    AdapterParts, ChannelKindRow, ConnectionKey, Made,
    kind::{CREDENTIAL, needed},
    platform,
};
use std::sync::Arc;

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "discord",
    platform: platform::DISCORD,
    api_root: DISCORD,
    ways: &[&[needed(ConnectionKey::Token, CREDENTIAL)]],
    takes: &[ConnectionKey::Mentions],
    make,
};

fn make(parts: AdapterParts) -> Made {
    let (token, menu) = (parts.secret(ConnectionKey::Token)?, parts.menu());
    let discord = Discord::new(
        parts.channel,
        parts.can,
        token,
        &parts.api_root,
        parts.folder,
        parts.clock,
        parts.rng,
    )?;
    let discord = discord.notifying(parts.mentions).offering(menu);
    Ok(Arc::new(discord.resuming(&parts.data, parts.journal.as_deref())))
}
