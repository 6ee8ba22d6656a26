//! Kinds of channels: an adapter each, and the keys of `[channels.NAME]` that it is made from.

use crate::{ChannelAdapter, Folder, Mention, MenuCommand, Refusal, VisitorLimits};
use foldback_wire::{Capabilities, ChannelId, Clock, Platform, RefusalCode, Rng, Secret};
use std::{collections::BTreeMap, fmt, net::SocketAddr, path::PathBuf, sync::Arc};

/// A key of a channel's table that says where its platform is, and how to get in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConnectionKey {
    /// The bot's credentials.
    Token,
    /// A second credential, where the platform has one.
    AppToken,
    /// The secret that the platform signs its webhooks with.
    SigningSecret,
    /// The word that a platform must know to register a webhook.
    VerifyToken,
    /// The id of the app that the bot acts through.
    ClientId,
    /// The secret of that app.
    ClientSecret,
    /// The password of the bot's own account.
    Password,
    /// The address at which webhooks arrive.
    Listen,
    /// The platform's endpoint.
    ApiRoot,
    /// The bot's own account, where the platform has several.
    Account,
    /// The people whom a mention in an agent's text notifies.
    Mentions,
    /// The sites that may use a page of the bot's own.
    Origins,
    /// Bounds of whoever visits such a page.
    Limits,
    /// The owner's word that a risk of the platform is taken.
    AcceptRisk,
}

impl ConnectionKey {
    /// Every key.
    pub const ALL: &'static [Self] = &[
        Self::Token,
        Self::AppToken,
        Self::SigningSecret,
        Self::VerifyToken,
        Self::ClientId,
        Self::ClientSecret,
        Self::Password,
        Self::Listen,
        Self::ApiRoot,
        Self::Account,
        Self::Mentions,
        Self::Origins,
        Self::Limits,
        Self::AcceptRisk,
    ];

    /// The name in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::AppToken => "app_token",
            Self::SigningSecret => "signing_secret",
            Self::VerifyToken => "verify_token",
            Self::ClientId => "client_id",
            Self::ClientSecret => "client_secret",
            Self::Password => "password",
            Self::Listen => "listen",
            Self::ApiRoot => "api_root",
            Self::Account => "account",
            Self::Mentions => "mentions",
            Self::Origins => "origins",
            Self::Limits => "limits",
            Self::AcceptRisk => "accept_risk",
        }
    }
}

impl fmt::Display for ConnectionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A key without which there is no connection, and what stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededKey {
    /// The key.
    pub key: ConnectionKey,
    /// Its value, in words.
    pub what: &'static str,
}

/// What stands where a credential is needed.
pub(crate) const CREDENTIAL: &str = "a reference such as { env = \"TOKEN\" }";

/// A key that must be there.
pub(crate) const fn needed(key: ConnectionKey, what: &'static str) -> NeededKey {
    NeededKey { key, what }
}

/// A kind of channel.
pub struct ChannelKindRow {
    /// The word of `kind` in a configuration.
    pub code: &'static str,
    /// The platform whose rules its channels follow.
    pub platform: Platform,
    /// The endpoint, where `api_root` names none; empty where the platform is this program itself, and the key of no use.
    pub api_root: &'static str,
    /// The keys that each of its ways to connect needs. The way whose first key is set is taken, else the first way.
    pub(crate) ways: &'static [&'static [NeededKey]],
    /// The keys that it takes beside those.
    pub(crate) takes: &'static [ConnectionKey],
    pub(crate) make: fn(AdapterParts) -> Made,
}

/// An adapter, or the reason for which its settings make none.
pub type Made = Result<Arc<dyn ChannelAdapter>, Refusal>;

impl ChannelKindRow {
    /// The needed keys that are used where these keys are set.
    ///
    /// # Errors
    /// The first key that is missing.
    pub fn used(&self, is_set: impl Fn(ConnectionKey) -> bool) -> Result<Vec<ConnectionKey>, NeededKey> {
        let begins = |way: &&&[NeededKey]| way.first().is_none_or(|first| is_set(first.key));
        let way = self.ways.iter().find(begins).or(self.ways.first());
        let way = way.copied().unwrap_or_default();
        match way.iter().find(|needed| !is_set(needed.key)) {
            Some(missing) => Err(*missing),
            None => Ok(way.iter().map(|needed| needed.key).collect()),
        }
    }

    /// Whether it has a use for a key.
    pub fn knows(&self, key: ConnectionKey) -> bool {
        let mut needed = self.ways.iter().copied().flatten();
        let is_elsewhere = key == ConnectionKey::ApiRoot && !self.api_root.is_empty();
        is_elsewhere || self.takes.contains(&key) || needed.any(|needed| needed.key == key)
    }

    /// Makes an adapter. It does not connect yet.
    ///
    /// # Errors
    /// Where its settings are not those of the platform.
    pub fn make(&self, parts: AdapterParts) -> Made {
        (self.make)(parts)
    }
}

impl fmt::Debug for ChannelKindRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ChannelKindRow").field(&self.code).finish()
    }
}

/// The parts of an adapter.
pub struct AdapterParts {
    /// The channel.
    pub channel: ChannelId,
    /// Its capabilities.
    pub can: Capabilities,
    /// The credentials that its kind uses.
    pub secrets: BTreeMap<ConnectionKey, Secret>,
    /// The endpoint.
    pub api_root: String,
    /// The address at which webhooks arrive.
    pub listen: Option<SocketAddr>,
    /// The bot's own account.
    pub account: Option<String>,
    /// The id of the app that the bot acts through.
    pub client_id: Option<String>,
    /// The people whom a mention notifies.
    pub mentions: Vec<Mention>,
    /// The sites that may use a page of the bot's own.
    pub origins: Vec<String>,
    /// Bounds of its visitors.
    pub limits: VisitorLimits,
    /// The bot's commands: those names are the bot's.
    pub commands: Vec<MenuCommand>,
    /// Whether the commands go into the platform's own menu.
    pub sets_menu: bool,
    /// The folder that files are sent from.
    pub folder: Folder,
    /// The data folder: what an adapter wants to find again after a restart.
    pub data: PathBuf,
    /// The journal's file: what an adapter keeps in the data folder for one journal is nothing for another one.
    pub journal: Option<PathBuf>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of jitter.
    pub rng: Arc<dyn Rng>,
}

impl AdapterParts {
    /// A credential that its kind needs.
    pub(crate) fn secret(&self, key: ConnectionKey) -> Result<Secret, Refusal> {
        let secret = self.secrets.get(&key).cloned();
        secret.ok_or_else(|| Self::missing(key))
    }

    /// The commands for the platform's own menu; none where it is to be left as it is.
    pub(crate) fn menu(&self) -> Vec<MenuCommand> {
        if self.sets_menu {
            self.commands.clone()
        } else {
            Vec::new()
        }
    }

    /// The refusal of parts that lack a needed key, which whoever made them should have seen.
    pub(crate) fn missing(key: ConnectionKey) -> Refusal {
        Refusal::new(RefusalCode::Rejected, format!("{key} is missing"))
    }
}
