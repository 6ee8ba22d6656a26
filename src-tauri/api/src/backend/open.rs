//! Putting a host together: folders, journal, channels, agents, pipeline.

use super::{
    Backend, Shared,
    agents::{self, AgentError, Typed},
    runs::Runs,
    turns::Turns,
    views::Views,
};
use crate::{Shelf, live::Digest, log::LogBook, output};
use foldback_channels::{
    ChannelAdapter, Folder, Loopback, Refusal, RemoteLoopback, TELEGRAM, Telegram, profile,
};
use foldback_pipeline::{
    Engine, Parts, Rules, SeededRng, StartError, TokioClock,
    config::{self, ByteSize, ChannelConfig, ChannelKind, Config, ConfigError, SecretError},
};
use foldback_store::{Journal, Limits, Numbers, SqliteJournal, StoreError};
use foldback_wire::{Actor, ChannelId, Clock, Platform, Rng, Secret};
use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};
use tokio::{sync::broadcast, task::JoinSet};

/// Alarms that a subscriber may be behind.
const URGENT: usize = 256;

/// What a host is made from.
pub struct Setup {
    /// What the window calls it: the configuration's file, or `demo`.
    pub workspace: String,
    /// The configuration.
    pub config: Config,
    /// The folder that relative paths of the configuration lie below.
    pub base: PathBuf,
    /// Where the journal is kept unless the configuration says otherwise.
    pub data: PathBuf,
    /// The fixtures.
    pub fixtures: Shelf,
    /// Who acts through the commands: a person at the console or at the command line.
    pub actor: Actor,
    /// Whether the demonstration is played when the journal is empty.
    pub demo: bool,
    /// The app's own log.
    pub log: LogBook,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub rng: Arc<dyn Rng>,
    /// A journal to use instead of a file; recordings for tests are made in memory.
    pub journal: Option<Arc<dyn Journal>>,
}

impl Setup {
    /// The embedded default: loopback channels, the script agent, the demonstration at the first start.
    pub fn embedded(data: PathBuf, fixtures: impl Into<Shelf>, actor: Actor) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(TokioClock::system());
        Self {
            workspace: "demo".to_owned(),
            config: config::embedded(),
            base: data.clone(),
            data,
            fixtures: fixtures.into(),
            actor,
            demo: true,
            log: LogBook::new(Arc::clone(&clock)),
            rng: Arc::new(SeededRng::new(clock.now().0.unsigned_abs())),
            clock,
            journal: None,
        }
    }

    /// What a configuration file says.
    ///
    /// # Errors
    /// With file, line and field where the file is wrong.
    pub fn from_file(
        path: &Path,
        data: PathBuf,
        fixtures: impl Into<Shelf>,
        actor: Actor,
    ) -> Result<Self, ConfigError> {
        let config = config::load(path)?;
        Ok(Self {
            workspace: path
                .file_stem()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned(),
            config,
            base: path.parent().unwrap_or(Path::new(".")).to_owned(),
            demo: false,
            ..Self::embedded(data, fixtures, actor)
        })
    }

    /// The journal's file: what the configuration says, else `journal.sqlite` in the data folder.
    pub fn journal_file(&self) -> PathBuf {
        journal_file(&self.config, &self.base, &self.data)
    }
}

/// Why a host cannot start.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The data folder cannot be made.
    #[error("the data folder {path} cannot be made: {source}", path = path.display())]
    DataFolder {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] StoreError),
    /// An agent cannot be made.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// This version has no adapter for a channel.
    #[error("channels.{0}: this version has no adapter for {1}; kind = \"loopback\" simulates it")]
    NoAdapter(ChannelId, &'static str),
    /// A loopback channel names something that is no address.
    #[error(
        "channels.{0}.api_root: a simulated platform has an address such as tcp://127.0.0.1:4000, not {1}"
    )]
    NoAddress(ChannelId, String),
    /// A channel has no credentials.
    #[error("channels.{0}.token is missing; write a reference such as {{ env = \"TOKEN\" }}")]
    NoToken(ChannelId),
    /// A channel's credentials cannot be had.
    #[error("channels.{channel}.token: {source}")]
    Token {
        /// Which channel.
        channel: ChannelId,
        /// Why.
        source: SecretError,
    },
    /// A channel's settings are not those of its platform.
    #[error("channels.{channel}: {refusal}", refusal = .refusal.detail)]
    Channel {
        /// Which one.
        channel: ChannelId,
        /// Why.
        refusal: Refusal,
    },
    /// The pipeline cannot start.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl Backend {
    /// Starts a host. With `demo` set and no message in the journal yet, a conversation begins to flow.
    ///
    /// # Errors
    /// With what is wrong and what to do; nothing runs then.
    pub async fn open(setup: Setup) -> Result<Self, OpenError> {
        let Setup {
            workspace,
            config,
            base,
            data,
            fixtures,
            actor,
            demo,
            log,
            clock,
            rng,
            journal,
        } = setup;
        let (journal, file) = if let Some(journal) = journal {
            (journal, None)
        } else {
            let file = journal_file(&config, &base, &data);
            let journal = open_journal(&file, config.store.max_size).await?;
            (journal, Some(file))
        };
        // Until a first message came in: a start that was cut short before that has shown nothing.
        let first_start = journal.reserve().await?.turn == Numbers::default().turn;
        let before = journal.head();
        let outbox = journal
            .outbox()
            .await?
            .into_iter()
            .map(|entry| (entry.op, entry.channel));
        let digest = Digest::resume(outbox);
        let typed = Typed::default();
        let agents = agents::build(&config, &base, &typed, &clock, &rng)?;
        let Adapters { all, loopbacks } = adapters(&config, &base, &clock, &rng)?;
        let config = Arc::new(config);
        let parts = Parts {
            config: Arc::clone(&config),
            base: base.clone(),
            send_dir: None,
            journal: Arc::clone(&journal),
            channels: all,
            agents,
            clock: Arc::clone(&clock),
            rng,
            rules: Rules::all(),
            grammar_off: Vec::new(),
        };
        if demo {
            super::demo::lay_files(&config, &base);
        }
        let engine = Engine::start(parts).await?;
        let shared = Shared {
            workspace,
            actor,
            secrets: output::patterns(&config.redact),
            config,
            base,
            fixtures,
            clock,
            journal,
            engine,
            loopbacks,
            typed,
            log,
            digest: Mutex::new(digest),
            turns: Turns::default(),
            views: Views::default(),
            runs: Runs::default(),
            urgent: broadcast::Sender::new(URGENT),
            stopped: OnceLock::new(),
            tasks: Mutex::new(JoinSet::new()),
        };
        let backend = Self {
            shared: Arc::new(shared),
        };
        backend.tasks().spawn(backend.clone().follow(before));
        #[cfg(unix)]
        if let Some(file) = file {
            backend.tasks().spawn(backend.clone().hear(file));
        }
        if demo && first_start {
            backend.tasks().spawn(backend.clone().play_demo());
        }
        Ok(backend)
    }
}

fn journal_file(config: &Config, base: &Path, data: &Path) -> PathBuf {
    match &config.store.file {
        Some(file) => base.join(file),
        None => data.join("journal.sqlite"),
    }
}

async fn open_journal(path: &Path, max_size: Option<ByteSize>) -> Result<Arc<dyn Journal>, OpenError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|source| OpenError::DataFolder {
        path: folder.to_owned(),
        source,
    })?;
    let limits = Limits {
        max_bytes: max_size.map(|ByteSize(bytes)| bytes),
        ..Limits::default()
    };
    Ok(Arc::new(SqliteJournal::open_with(path, limits).await?))
}

/// What is at the other end of each channel.
struct Adapters {
    all: Vec<(ChannelId, Arc<dyn ChannelAdapter>)>,
    /// Those whose platform lives in this process.
    loopbacks: BTreeMap<ChannelId, Arc<Loopback>>,
}

fn adapters(
    config: &Config,
    base: &Path,
    clock: &Arc<dyn Clock>,
    rng: &Arc<dyn Rng>,
) -> Result<Adapters, OpenError> {
    let mut adapters = Adapters {
        all: Vec::new(),
        loopbacks: BTreeMap::new(),
    };
    for (id, settings) in &config.channels {
        // The configuration was checked: every channel has a platform and a kind.
        let (Some(platform), Some(kind)) = (settings.platform(id), settings.kind(id)) else {
            continue;
        };
        let clocked = (Arc::clone(clock), Arc::clone(rng));
        let channel: Arc<dyn ChannelAdapter> = match kind {
            ChannelKind::Loopback => {
                if let Some(address) = simulated(id, settings)? {
                    let (clock, rng) = clocked;
                    Arc::new(RemoteLoopback::new(profile(platform), address, clock, rng, None))
                } else {
                    let channel = Arc::new(Loopback::new(profile(platform), Arc::clone(clock), None));
                    adapters.loopbacks.insert(id.clone(), Arc::clone(&channel));
                    channel
                }
            }
            ChannelKind::Telegram => {
                let folder = Folder::new(base.join(&config.files.send_dir), config.files.max_size.0);
                let root = settings.api_root.as_deref().unwrap_or(TELEGRAM);
                let (can, token) = (profile(Platform::Telegram), token(id, settings, base)?);
                let telegram = Telegram::new(id.clone(), can, token, root, folder, clocked.0, clocked.1);
                Arc::new(telegram.map_err(|refusal| OpenError::Channel {
                    channel: id.clone(),
                    refusal,
                })?)
            }
            ChannelKind::Discord | ChannelKind::Slack | ChannelKind::Whatsapp | ChannelKind::Signal => {
                return Err(OpenError::NoAdapter(id.clone(), platform.code()));
            }
        };
        adapters.all.push((id.clone(), channel));
    }
    Ok(adapters)
}

/// The channel's token, read where the configuration says it is.
fn token(channel: &ChannelId, settings: &ChannelConfig, base: &Path) -> Result<Secret, OpenError> {
    let reference = settings
        .token
        .as_ref()
        .ok_or_else(|| OpenError::NoToken(channel.clone()))?;
    let token = reference.resolve(base).map_err(|source| OpenError::Token {
        channel: channel.clone(),
        source,
    })?;
    Ok(Secret::new(token))
}

/// Where the simulated platform of a loopback channel listens, when it is another process.
fn simulated(id: &ChannelId, settings: &ChannelConfig) -> Result<Option<SocketAddr>, OpenError> {
    let Some(root) = &settings.api_root else {
        return Ok(None);
    };
    let address = root
        .strip_prefix("tcp://")
        .and_then(|address| address.parse().ok());
    address
        .map(Some)
        .ok_or_else(|| OpenError::NoAddress(id.clone(), root.clone()))
}
