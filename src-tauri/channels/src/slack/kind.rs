//! Channels on Slack. An app-level token stands for Socket Mode, an address for the Events API.

use super::{SLACK, Slack, SlackApp, SlackEvents};
use crate::{
    AdapterParts, ChannelKindRow, ConnectionKey, Made,
    kind::{CREDENTIAL, needed},
    platform,
};
use std::sync::Arc;

pub(crate) static KIND: ChannelKindRow = ChannelKindRow {
    code: "slack",
    platform: platform::SLACK,
    api_root: SLACK,
    ways: &[
        &[
            needed(
                ConnectionKey::AppToken,
                "a reference to the app-level token (xapp-…) for Socket Mode; for the Events API write listen and \
                 signing_secret",
            ),
            needed(ConnectionKey::Token, CREDENTIAL),
        ],
        &[
            needed(
                ConnectionKey::Listen,
                "where webhooks arrive, such as \"127.0.0.1:8090\"",
            ),
            needed(
                ConnectionKey::SigningSecret,
                "a reference to the app's signing secret, with which Slack signs its webhooks",
            ),
            needed(ConnectionKey::Token, CREDENTIAL),
        ],
    ],
    takes: &[],
    make,
};

fn make(parts: AdapterParts) -> Made {
    let events = match (parts.secret(ConnectionKey::AppToken), parts.listen) {
        (Ok(token), _) => SlackEvents::SocketMode(token),
        (Err(_), Some(listen)) => SlackEvents::Webhooks {
            listen,
            signing_secret: parts.secret(ConnectionKey::SigningSecret)?,
        },
        (Err(refusal), None) => return Err(refusal),
    };
    let app = SlackApp {
        token: parts.secret(ConnectionKey::Token)?,
        events,
        root: parts.api_root,
    };
    let slack = Slack::new(parts.channel, parts.can, app, parts.folder, parts.clock)?;
    // No call sets them: they only say which names are the bot's.
    Ok(Arc::new(slack.offering(parts.commands)))
}
