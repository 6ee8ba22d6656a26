//! Channels on Signal.

use super::{SIGNAL_CLI, SignalCli};
use crate::{AdapterParts, ChannelKindRow, ConnectionKey, Made, platform};
use std::sync::Arc;

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "signal",
    platform: platform::SIGNAL,
    api_root: SIGNAL_CLI,
    // The daemon has the account and its keys.
    ways: &[&[]],
    takes: &[ConnectionKey::Account],
    make,
};

fn make(parts: AdapterParts) -> Made {
    Ok(Arc::new(SignalCli::new(
        parts.channel,
        parts.can,
        parts.account,
        &parts.api_root,
        parts.folder,
        parts.clock,
    )?))
}
