//! Channels on X.

use super::{X as Adapter, XApp, XFiles};
use crate::{
    AdapterParts, ChannelKindRow, ConnectionKey, Made, NeededKey,
    kind::{CREDENTIAL, needed},
    platform,
};
use std::sync::Arc;

const TOKEN: NeededKey = needed(ConnectionKey::Token, CREDENTIAL);
const CLIENT_ID: NeededKey = needed(
    ConnectionKey::ClientId,
    "the app's OAuth 2.0 client id, which https://console.x.com shows",
);

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "x",
    platform: platform::X,
    api_root: super::X,
    ways: &[
        // A confidential client.
        &[
            needed(
                ConnectionKey::ClientSecret,
                "a reference to the app's client secret",
            ),
            TOKEN,
            CLIENT_ID,
        ],
        &[TOKEN, CLIENT_ID],
    ],
    takes: &[],
    make,
};

fn make(parts: AdapterParts) -> Made {
    let app = XApp {
        client_secret: parts.secrets.get(&ConnectionKey::ClientSecret).cloned(),
        refresh_token: parts.secret(ConnectionKey::Token)?,
        client_id: parts
            .client_id
            .ok_or_else(|| AdapterParts::missing(ConnectionKey::ClientId))?,
    };
    let files = XFiles {
        folder: parts.data,
        journal: parts.journal,
    };
    let x = Adapter::new(
        parts.channel,
        parts.can,
        app,
        &parts.api_root,
        &files,
        parts.clock,
    )?;
    Ok(Arc::new(x))
}
