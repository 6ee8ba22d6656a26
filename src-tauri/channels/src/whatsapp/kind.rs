//! Channels on WhatsApp.

use super::{WHATSAPP, WhatsApp, WhatsAppNumber};
use crate::{
    AdapterParts, ChannelKindRow, ConnectionKey, Made,
    kind::{CREDENTIAL, needed},
    platform,
};
use std::sync::Arc;

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "whatsapp",
    platform: platform::WHATSAPP,
    api_root: WHATSAPP,
    ways: &[&[
        needed(
            ConnectionKey::Account,
            "the id of the phone number, such as \"106540352242922\"",
        ),
        needed(ConnectionKey::Token, CREDENTIAL),
        needed(
            ConnectionKey::SigningSecret,
            "a reference to the app's secret, with which Meta signs its webhooks",
        ),
        needed(
            ConnectionKey::VerifyToken,
            "a reference to the word that is told Meta when the webhook is registered",
        ),
        needed(
            ConnectionKey::Listen,
            "where webhooks arrive, such as \"127.0.0.1:8090\"",
        ),
    ]],
    takes: &[],
    make,
};

fn make(parts: AdapterParts) -> Made {
    let missing = AdapterParts::missing;
    let number = WhatsAppNumber {
        token: parts.secret(ConnectionKey::Token)?,
        app_secret: parts.secret(ConnectionKey::SigningSecret)?,
        verify_token: parts.secret(ConnectionKey::VerifyToken)?,
        id: parts.account.ok_or_else(|| missing(ConnectionKey::Account))?,
        listen: parts.listen.ok_or_else(|| missing(ConnectionKey::Listen))?,
    };
    Ok(Arc::new(WhatsApp::new(
        parts.channel,
        parts.can,
        number,
        &parts.api_root,
        parts.folder,
        parts.clock,
    )?))
}
