//! What is at the other end of each channel.

use super::renewed::{Credentials, Renewed};
use foldback_channels::{
    ChannelAdapter, DISCORD, Discord, Folder, Loopback, MenuCommand, Refusal, RemoteLoopback, SIGNAL_CLI,
    SLACK, SignalCli, Slack, SlackApp, SlackEvents, TELEGRAM, Telegram, WHATSAPP, WhatsApp, WhatsAppNumber,
    profile,
};
use foldback_pipeline::{
    command_menu,
    config::{self, ChannelConfig, ChannelKind, Config, CredentialReader, SecretError},
};
use foldback_wire::{Capabilities, ChannelId, Clock, Platform, Rng, Secret};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The adapters of a configuration.
pub(super) struct Adapters {
    pub(super) all: Vec<(ChannelId, Arc<dyn ChannelAdapter>)>,
    /// Those whose platform lives in this process.
    pub(super) loopbacks: BTreeMap<ChannelId, Arc<Loopback>>,
}

/// Why a channel has no adapter.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// A loopback channel names something that is no address.
    #[error(
        "channels.{0}.api_root: a simulated platform has an address such as tcp://127.0.0.1:4000, not {1}"
    )]
    NoAddress(ChannelId, String),
    /// It lacks a key that its platform needs.
    #[error("channels.{channel}.{key} is missing; write {what}")]
    Missing {
        /// Which channel.
        channel: ChannelId,
        /// Which key.
        key: &'static str,
        /// What stands there.
        what: &'static str,
    },
    /// A credential cannot be had.
    #[error("channels.{channel}.{key}: {source}")]
    Credential {
        /// Which channel.
        channel: ChannelId,
        /// Which key.
        key: &'static str,
        /// Why.
        source: SecretError,
    },
    /// Its settings are not those of its platform.
    #[error("channels.{channel}: {refusal}", refusal = .refusal.detail)]
    Refused {
        /// Which channel.
        channel: ChannelId,
        /// Why.
        refusal: Refusal,
    },
}

impl ChannelError {
    /// Whether a person can mend it while the bot runs: what a credential's reference names is read again.
    pub(super) const fn is_mended_without_start(&self) -> bool {
        matches!(self, Self::Credential { .. })
    }
}

/// Makes the adapter of every channel.
pub(super) fn build(
    config: &Arc<Config>,
    base: &Path,
    credentials: &CredentialReader,
    data: &Path,
    journal: Option<&Path>,
    clock: &Arc<dyn Clock>,
    rng: &Arc<dyn Rng>,
) -> Result<Adapters, ChannelError> {
    let mut adapters = Adapters {
        all: Vec::new(),
        loopbacks: BTreeMap::new(),
    };
    for (id, settings) in &config.channels {
        // The configuration was checked: every channel has a platform and a kind.
        let (Some(platform), Some(kind)) = (settings.platform(id), settings.kind(id)) else {
            continue;
        };
        let place = Place {
            id: id.clone(),
            settings: settings.clone(),
            platform,
            config: Arc::clone(config),
            base: base.to_owned(),
            reader: credentials.clone(),
            data: data.to_owned(),
            journal: journal.map(Path::to_owned),
            clock: Arc::clone(clock),
            rng: Arc::clone(rng),
        };
        let make = match kind {
            ChannelKind::Loopback => {
                let adapter = if let Some(address) = place.simulated()? {
                    place.remote(address)
                } else {
                    let loopback = Arc::new(Loopback::new(place.can(), Arc::clone(clock), None));
                    adapters.loopbacks.insert(id.clone(), Arc::clone(&loopback));
                    loopback
                };
                adapters.all.push((id.clone(), adapter));
                continue;
            }
            ChannelKind::Telegram => Place::telegram,
            ChannelKind::Discord => Place::discord,
            ChannelKind::Slack => Place::slack,
            ChannelKind::Whatsapp => Place::whatsapp,
            ChannelKind::Signal => Place::signal,
        };
        let (reader, can) = (place.clone(), place.can());
        let adapter = Renewed::new(can, move || reader.credentials(), move || make(&place))?;
        let adapter: Arc<dyn ChannelAdapter> = Arc::new(adapter);
        adapters.all.push((id.clone(), adapter));
    }
    Ok(adapters)
}

/// One channel of the configuration.
#[derive(Clone)]
struct Place {
    id: ChannelId,
    settings: ChannelConfig,
    platform: Platform,
    config: Arc<Config>,
    base: PathBuf,
    reader: CredentialReader,
    /// The data folder: what an adapter wants to find again after a restart.
    data: PathBuf,
    /// The journal's file: what an adapter keeps in the data folder for one journal is nothing for another one.
    journal: Option<PathBuf>,
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
}

pub(super) type Made = Result<Arc<dyn ChannelAdapter>, ChannelError>;

impl Place {
    /// What its platform can do; what the configuration takes away the pipeline knows.
    fn can(&self) -> Capabilities {
        profile(self.platform)
    }

    /// The folder that files are sent from.
    fn folder(&self) -> Folder {
        let files = &self.config.files;
        Folder::new(self.base.join(&files.send_dir), files.max_size.0)
    }

    fn root<'b>(&'b self, usual: &'b str) -> &'b str {
        self.settings.api_root.as_deref().unwrap_or(usual)
    }

    fn missing(&self, key: &'static str, what: &'static str) -> ChannelError {
        ChannelError::Missing {
            channel: self.id.clone(),
            key,
            what,
        }
    }

    /// A credential, read where the configuration says it is.
    fn credential(
        &self,
        key: &'static str,
        reference: Option<&config::Secret>,
        what: &'static str,
    ) -> Result<Secret, ChannelError> {
        let reference = reference.ok_or_else(|| self.missing(key, what))?;
        let read = self.reader.read(reference);
        read.map_err(|source| ChannelError::Credential {
            channel: self.id.clone(),
            key,
            source,
        })
    }

    /// All that its settings name, as it is now.
    fn credentials(&self) -> Credentials {
        let named = self.settings.secrets();
        named.map(|(_, secret)| self.reader.read(secret).ok()).collect()
    }

    fn token(&self) -> Result<Secret, ChannelError> {
        let what = "a reference such as { env = \"TOKEN\" }";
        self.credential("token", self.settings.token.as_ref(), what)
    }

    fn made<A: ChannelAdapter + 'static>(&self, adapter: Result<A, Refusal>) -> Made {
        match adapter {
            Ok(adapter) => Ok(Arc::new(adapter)),
            Err(refusal) => Err(ChannelError::Refused {
                channel: self.id.clone(),
                refusal,
            }),
        }
    }

    /// The commands for the platform's own menu; none where it is to be left as it is. What is not armed changes nothing
    /// there.
    fn menu(&self) -> Vec<MenuCommand> {
        if self.settings.menu && self.settings.armed {
            command_menu(&self.config)
        } else {
            Vec::new()
        }
    }

    /// Where the simulated platform of a loopback channel listens, when it is another process.
    fn simulated(&self) -> Result<Option<SocketAddr>, ChannelError> {
        let Some(root) = &self.settings.api_root else {
            return Ok(None);
        };
        let address = root
            .strip_prefix("tcp://")
            .and_then(|address| address.parse().ok());
        address
            .map(Some)
            .ok_or_else(|| ChannelError::NoAddress(self.id.clone(), root.clone()))
    }

    fn remote(&self, address: SocketAddr) -> Arc<dyn ChannelAdapter> {
        let clock = Arc::clone(&self.clock);
        Arc::new(RemoteLoopback::new(self.can(), address, clock, None))
    }

    fn telegram(&self) -> Made {
        let clock = Arc::clone(&self.clock);
        let (root, token) = (self.root(TELEGRAM), self.token()?);
        let telegram = Telegram::new(self.id.clone(), self.can(), token, root, self.folder(), clock);
        self.made(telegram.map(|telegram| telegram.offering(self.menu())))
    }

    fn discord(&self) -> Made {
        let (clock, rng) = (Arc::clone(&self.clock), Arc::clone(&self.rng));
        let (root, token) = (self.root(DISCORD), self.token()?);
        let discord = Discord::new(
            self.id.clone(),
            self.can(),
            token,
            root,
            self.folder(),
            clock,
            rng,
        );
        self.made(discord.map(|discord| {
            discord
                .notifying(self.settings.mentions.clone())
                .offering(self.menu())
                .resuming(&self.data, self.journal.as_deref())
        }))
    }

    /// An app-level token stands for Socket Mode, an address for the Events API.
    fn slack(&self) -> Made {
        let clock = Arc::clone(&self.clock);
        let settings = &self.settings;
        let events = match (&settings.app_token, settings.listen) {
            (token @ Some(_), _) => {
                SlackEvents::SocketMode(self.credential("app_token", token.as_ref(), "it")?)
            }
            (None, Some(listen)) => SlackEvents::Webhooks {
                listen,
                signing_secret: self.credential(
                    "signing_secret",
                    settings.signing_secret.as_ref(),
                    "a reference to the app's signing secret, with which Slack signs its webhooks",
                )?,
            },
            (None, None) => {
                let what = "a reference to the app-level token (xapp-…) for Socket Mode; for the Events API write \
                            listen and signing_secret";
                return Err(self.missing("app_token", what));
            }
        };
        let app = SlackApp {
            token: self.token()?,
            events,
            root: self.root(SLACK).to_owned(),
        };
        let slack = Slack::new(self.id.clone(), self.can(), app, self.folder(), clock);
        // No call sets them: they only say which names are the bot's.
        self.made(slack.map(|slack| slack.offering(command_menu(&self.config))))
    }

    fn whatsapp(&self) -> Made {
        let clock = Arc::clone(&self.clock);
        let settings = &self.settings;
        let account = settings.account.clone();
        let number = WhatsAppNumber {
            id: account.ok_or_else(|| {
                let what = "the id of the phone number, such as \"106540352242922\"";
                self.missing("account", what)
            })?,
            token: self.token()?,
            app_secret: self.credential(
                "signing_secret",
                settings.signing_secret.as_ref(),
                "a reference to the app's secret, with which Meta signs its webhooks",
            )?,
            verify_token: self.credential(
                "verify_token",
                settings.verify_token.as_ref(),
                "a reference to the word that is told Meta when the webhook is registered",
            )?,
            listen: settings
                .listen
                .ok_or_else(|| self.missing("listen", "where webhooks arrive, such as \"127.0.0.1:8090\""))?,
        };
        let root = self.root(WHATSAPP);
        self.made(WhatsApp::new(
            self.id.clone(),
            self.can(),
            number,
            root,
            self.folder(),
            clock,
        ))
    }

    fn signal(&self) -> Made {
        let clock = Arc::clone(&self.clock);
        let (root, account) = (self.root(SIGNAL_CLI), self.settings.account.clone());
        self.made(SignalCli::new(
            self.id.clone(),
            self.can(),
            account,
            root,
            self.folder(),
            clock,
        ))
    }
}
