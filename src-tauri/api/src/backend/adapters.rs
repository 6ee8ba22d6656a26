//! What is at the other end of each channel.

use super::renewed::{Credentials, Renewed};
use foldback_channels::{
    AdapterParts, ChannelAdapter, ChannelKindRow, ConnectionKey, Folder, Loopback, Refusal, RemoteLoopback,
    profile,
};
use foldback_pipeline::{
    command_menu,
    config::{ChannelConfig, ChannelKind, Config, CredentialReader, SecretError},
};
use foldback_wire::{Capabilities, ChannelId, Clock, Platform, Rng};
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
        key: ConnectionKey,
        /// What stands there.
        what: &'static str,
    },
    /// A credential cannot be had.
    #[error("channels.{channel}.{key}: {source}")]
    Credential {
        /// Which channel.
        channel: ChannelId,
        /// Which key.
        key: ConnectionKey,
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
        let row = match kind {
            ChannelKind::Real(row) => row,
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
        };
        let (reader, can) = (place.clone(), place.can());
        let adapter = Renewed::new(can, move || reader.credentials(), move || place.adapter(row))?;
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

    /// All that its settings name, as it is now.
    fn credentials(&self) -> Credentials {
        let named = self.settings.secrets();
        named.map(|(_, secret)| self.reader.read(secret).ok()).collect()
    }

    /// Its adapter, with the credentials as they are now.
    fn adapter(&self, row: &ChannelKindRow) -> Made {
        let (channel, settings) = (self.id.clone(), &self.settings);
        let used = row.used(|key| settings.is_set(key));
        let used = used.map_err(|needed| ChannelError::Missing {
            channel: channel.clone(),
            key: needed.key,
            what: needed.what,
        })?;
        let mut secrets = BTreeMap::new();
        for key in used {
            if let Some(reference) = settings.secret(key) {
                let read = self.reader.read(reference);
                let secret = read.map_err(|source| ChannelError::Credential {
                    channel: channel.clone(),
                    key,
                    source,
                })?;
                secrets.insert(key, secret);
            }
        }
        let root = settings.api_root.as_deref();
        let parts = AdapterParts {
            channel: channel.clone(),
            can: self.can(),
            secrets,
            api_root: root.unwrap_or(row.api_root).to_owned(),
            listen: settings.listen,
            account: settings.account.clone(),
            client_id: settings.client_id.clone(),
            mentions: settings.mentions.clone(),
            origins: settings.origins.clone(),
            limits: settings.limits.unwrap_or_default(),
            commands: command_menu(&self.config),
            // What is not armed changes nothing there.
            sets_menu: settings.menu && settings.armed,
            folder: self.folder(),
            data: self.data.clone(),
            journal: self.journal.clone(),
            clock: Arc::clone(&self.clock),
            rng: Arc::clone(&self.rng),
        };
        row.make(parts)
            .map_err(|refusal| ChannelError::Refused { channel, refusal })
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
}
