//! Channels on Reddit.

use super::{REDDIT, Reddit, RedditAccount, RedditLogin};
use crate::{
    AdapterParts, ChannelKindRow, ConnectionKey, Made, NeededKey,
    kind::{CREDENTIAL, needed},
    platform,
};
use std::sync::Arc;

const CLIENT_ID: NeededKey = needed(
    ConnectionKey::ClientId,
    "the app's id, which https://www.reddit.com/prefs/apps shows below its name",
);
const CLIENT_SECRET: NeededKey = needed(ConnectionKey::ClientSecret, "a reference to the app's secret");
const ACCOUNT: NeededKey = needed(
    ConnectionKey::Account,
    "the name of the bot's account, without u/",
);

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "reddit",
    platform: platform::REDDIT,
    api_root: REDDIT,
    ways: &[
        &[
            needed(ConnectionKey::Token, CREDENTIAL),
            CLIENT_ID,
            CLIENT_SECRET,
            ACCOUNT,
        ],
        &[
            needed(ConnectionKey::Password, CREDENTIAL),
            CLIENT_ID,
            CLIENT_SECRET,
            ACCOUNT,
        ],
    ],
    takes: &[],
    make,
};

fn make(parts: AdapterParts) -> Made {
    let login = match parts.secrets.get(&ConnectionKey::Token) {
        Some(token) => RedditLogin::RefreshToken(token.clone()),
        None => RedditLogin::Password(parts.secret(ConnectionKey::Password)?),
    };
    let account = RedditAccount {
        client_secret: parts.secret(ConnectionKey::ClientSecret)?,
        login,
        name: parts
            .account
            .ok_or_else(|| AdapterParts::missing(ConnectionKey::Account))?,
        client_id: parts
            .client_id
            .ok_or_else(|| AdapterParts::missing(ConnectionKey::ClientId))?,
    };
    let reddit = Reddit::new(parts.channel, parts.can, account, &parts.api_root, parts.clock)?;
    Ok(Arc::new(reddit))
}
