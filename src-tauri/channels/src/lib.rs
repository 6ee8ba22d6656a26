//! Channel adapters: how messages come in from a platform and how operations reach it.

mod adapter;
mod backoff;
mod connection;
#[cfg(feature = "contract")]
pub mod contract;
mod discord;
mod download;
mod emoji;
mod events;
mod feature;
mod folder;
mod http;
mod kept;
mod kind;
mod kinds;
mod limit;
mod listener;
mod loopback;
mod mention;
mod menu;
mod millis;
mod oauth;
mod pauses;
pub mod platform;
mod rates;
mod recent;
mod reconnect;
mod reddit;
mod refusal;
mod remote;
mod render;
mod signal;
pub mod sim;
mod slack;
mod switchboard;
mod telegram;
mod telegram_user;
mod thread;
mod told;
mod unread;
mod visitor_limits;
mod web_chat;
mod webhook;
mod whatsapp;
mod x;

pub use adapter::{Ack, Call, ChannelAdapter};
pub use connection::{Connection, ConnectionEnd};
pub use discord::Discord;
pub use emoji::{
    EMOJI_ALIASES, SentEmoji, emoji_for, is_telegram_reaction, resolve_emoji, resolve_emoji_on, similar_emoji,
};
pub use events::{Arrival, Late, LateNews, Signal, SignalSink, Unreadable};
pub use feature::{Feature, restrict, size_limit};
pub use folder::{FileRefusal, Folder, Left, OpenFile, check_size};
pub use kind::{AdapterParts, ChannelKindRow, ConnectionKey, Made, NeededKey};
pub use kinds::{CHANNEL_KINDS, channel_kind};
pub use limit::{LimitScope, Pause};
pub use loopback::{InboxFull, Loopback};
pub use mention::Mention;
pub use menu::MenuCommand;
pub use platform::{is_message_id, profile, rates, takes_caption};
pub use rates::{Rate, Rates, Route};
pub use reconnect::stay_connected;
pub use reddit::{Reddit, RedditAccount, RedditLogin};
pub use refusal::Refusal;
pub use remote::{RemoteLoopback, ServeError, read_log, serve};
pub use render::{render, rendered_length};
pub use signal::SignalCli;
pub use sim::KEY_WINDOW;
pub use slack::{Slack, SlackApp, SlackEvents, slack_manifest};
pub use switchboard::{Channel, Closed, Delivered, NameTaken, NotDelivered, Status, Switchboard, is_dry};
pub use telegram::Telegram;
pub use telegram_user::{
    SignInStep, TELEGRAM_RISK, TelegramSignIn, TelegramUser, TelegramUserApp, is_signed_in_at,
    telegram_session_file,
};
pub use thread::{ThreadMessage, ThreadPart, ThreadQuery};
pub use visitor_limits::VisitorLimits;
pub use web_chat::{WebChat, WebChatPlace};
pub use whatsapp::{WhatsApp, WhatsAppNumber};
pub use x::{X, XApp, XFiles};
