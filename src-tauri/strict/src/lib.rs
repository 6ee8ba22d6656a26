//! Servers that take the place of the platforms, on loopback: strict where the platforms are, so that an adapter
//! that pleases them does not find out otherwise in public. Every rule carries the address of the platform's
//! documentation that demands it.

mod calls;
mod client;
pub mod discord;
mod fault;
mod free_address;
mod hex;
pub mod mtproto;
pub mod reddit;
mod sent;
pub mod signal;
pub mod slack;
pub mod telegram;
pub mod web_chat;
pub mod whatsapp;
pub mod x;

pub use fault::{Fault, GatewayBody, Mishap};
pub use free_address::free_address;
use hex::hex;

use std::collections::BTreeSet;

/// A sentence of a platform's documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// What it demands.
    pub says: &'static str,
    /// Where it stands.
    pub source: &'static str,
}

/// The rules that calls have broken. An adapter under test breaks none but those its test is about.
#[derive(Debug, Default)]
pub struct Broken(BTreeSet<Rule>);

impl Broken {
    fn note(&mut self, rule: Rule) {
        self.0.insert(rule);
    }

    /// The rules, each once.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }

    /// Whether none was broken.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A server in the place of a platform.
pub trait StrictServer: Send + Sync {
    /// Its address, as `api_root` names it.
    fn root(&self) -> String;
    /// Plans what goes wrong when this is called next.
    fn plan(&self, call: &str, mishap: Mishap);
    /// The calls so far.
    fn calls(&self) -> u64;
    /// The rules that were broken.
    fn broken(&self) -> Vec<Rule>;
}

macro_rules! strict_server {
    ($($server:ty),+ $(,)?) => {$(
        impl StrictServer for $server {
            fn root(&self) -> String {
                <$server>::root(self).to_string()
            }

            fn plan(&self, call: &str, mishap: Mishap) {
                <$server>::plan(self, call, mishap);
            }

            fn calls(&self) -> u64 {
                <$server>::calls(self)
            }

            fn broken(&self) -> Vec<Rule> {
                <$server>::broken(self)
            }
        }
    )+};
}

strict_server!(
    discord::DiscordServer,
    mtproto::MtprotoServer,
    reddit::RedditServer,
    signal::SignalServer,
    slack::SlackServer,
    telegram::TelegramServer,
    whatsapp::WhatsAppServer,
    x::XServer,
);
