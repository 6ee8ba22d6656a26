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
mod folder;
mod http;
mod ids;
mod limit;
mod loopback;
mod menu;
mod millis;
mod profile;
mod rates;
mod reconnect;
mod refusal;
mod remote;
mod render;
mod signal;
pub mod sim;
mod slack;
#[cfg(feature = "strict")]
pub mod strict;
mod switchboard;
mod telegram;
mod told;
mod unread;
mod webhook;
mod whatsapp;

pub use adapter::{Ack, Call, ChannelAdapter};
pub use connection::{Connection, ConnectionEnd};
pub use discord::{DISCORD, Discord, Mention};
pub use emoji::{EMOJI_ALIASES, SentEmoji, emoji_for, resolve_emoji, resolve_emoji_on, similar_emoji};
pub use events::{Arrival, Late, LateNews, Signal, SignalSink, Unreadable};
pub use folder::{FileRefusal, Folder, Left, OpenFile, check_size};
pub use ids::is_message_id;
pub use limit::{LimitScope, Pause};
pub use loopback::{InboxFull, Loopback};
pub use menu::MenuCommand;
pub use profile::{Feature, profile, restrict, size_limit};
pub use rates::{Rate, Rates, Route, rates};
pub use reconnect::stay_connected;
pub use refusal::Refusal;
pub use remote::{RemoteLoopback, ServeError, read_log, serve};
pub use render::{render, rendered_length};
pub use signal::{SIGNAL_CLI, SignalCli};
pub use sim::KEY_WINDOW;
pub use slack::{SLACK, Slack, SlackApp, SlackEvents};
pub use switchboard::{Channel, Closed, Delivered, NameTaken, NotDelivered, Status, Switchboard, is_dry};
pub use telegram::{TELEGRAM, Telegram};
pub use whatsapp::{WHATSAPP, WhatsApp, WhatsAppNumber, takes_caption};
