//! Channels on a person's own account on Telegram.

use super::{TELEGRAM, TelegramUser, TelegramUserApp};
use crate::{AdapterParts, ChannelKindRow, ConnectionKey, Made, kind::needed, platform};
use std::sync::Arc;

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "telegram_user",
    platform: platform::TELEGRAM_USER,
    api_root: TELEGRAM,
    ways: &[&[
        needed(
            ConnectionKey::ClientId,
            "the app's api_id, which https://my.telegram.org/apps shows",
        ),
        needed(ConnectionKey::ClientSecret, "a reference to the app's api_hash"),
        needed(
            ConnectionKey::Account,
            "the phone number of the account, such as \"+4915112345678\"",
        ),
        needed(
            ConnectionKey::AcceptRisk,
            "`true` where you take the risk: Telegram may end the account of whoever lets a program do what people do, \
             together with all of its chats (https://core.telegram.org/api/terms)",
        ),
    ]],
    takes: &[],
    make,
};

fn make(parts: AdapterParts) -> Made {
    let app = TelegramUserApp::new(
        parts
            .client_id
            .as_deref()
            .ok_or_else(|| AdapterParts::missing(ConnectionKey::ClientId))?,
        parts.secret(ConnectionKey::ClientSecret)?,
        parts
            .account
            .as_deref()
            .ok_or_else(|| AdapterParts::missing(ConnectionKey::Account))?,
        &parts.api_root,
    )?;
    Ok(Arc::new(TelegramUser::new(
        parts.channel,
        parts.can,
        app,
        parts.data,
        parts.folder,
        parts.clock,
    )))
}
