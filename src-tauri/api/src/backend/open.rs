//! Putting a host together: folders, journal, channels, agents, pipeline.

use super::{
    Backend, Shared,
    actions::{self, ActionSetupError, Actions},
    adapters::{self, Adapters, ChannelError},
    agents::{self, AgentError, Made},
    demo::DemoPlayer,
    descriptors,
    exposed::Exposed,
    hooks::{self, HookSetupError},
    reviews::unreviewed,
    runs::Runs,
    setup::{Setup, journal_file},
    speech::{self, SpeechSetupError},
    tasks::Tasks,
    turns::Turns,
    typed::Typed,
    views::Views,
    window::WindowRequests,
    workspaces::Workspaces,
};
use crate::live::Digest;
use foldback_hooks::Hooks;
use foldback_pipeline::{
    Engine, Parts, Readers, Rules, SendDir, StartError,
    config::{self, ByteSize, Config, ConfigError, CredentialReader, FilesConfig},
};
use foldback_store::{
    Journal, Limits, Numbers, OutboxEntry, SqliteJournal, StoreError, close_to_others, make_private_folder,
};
use foldback_wire::Seq;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, atomic::AtomicU64},
    time::Duration,
};
use tokio::sync::{Notify, broadcast};

/// Alarms that a subscriber may be behind.
const URGENT: usize = 256;

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
    /// A channel lacks a key of its kind.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An agent could send what belongs to the bot.
    #[error("files.send_dir: {0}")]
    Exposed(#[from] Exposed),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] StoreError),
    /// An agent cannot be made.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// An interface of actions cannot be made.
    #[error(transparent)]
    Action(#[from] ActionSetupError),
    /// Speech cannot be set up.
    #[error(transparent)]
    Speech(#[from] SpeechSetupError),
    /// A channel has no adapter.
    #[error(transparent)]
    Channel(#[from] ChannelError),
    /// A hook cannot be told of anything.
    #[error(transparent)]
    Hook(#[from] HookSetupError),
    /// The pipeline cannot start.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl Backend {
    /// Starts a host. With `demo` set, a conversation begins to flow as `demo_start` says.
    ///
    /// # Errors
    /// With what is wrong and what to do; nothing runs then.
    #[expect(
        clippy::too_many_lines,
        reason = "it puts the parts of a host together, one after the other"
    )]
    pub async fn open(setup: Setup) -> Result<Self, OpenError> {
        check_connections(&setup)?;
        let secrets = setup.redaction();
        let credentials = CredentialReader::new(setup.base.clone(), secrets.clone());
        let around = setup.surroundings(credentials.clone())?;
        let Setup {
            workspace,
            file: configuration,
            mut config,
            base,
            data,
            fixtures,
            actor,
            demo,
            demo_start,
            log,
            clock,
            rng,
            journal,
            window,
            replayed,
        } = setup;
        if replayed.is_some() {
            // What is only looked at acts on nothing, whatever its configuration has on.
            config.actions.without_interfaces = true;
            config.commands.without_programs = true;
        }
        descriptors::raise_limit();
        log.mask(secrets.clone());
        let (journal, file) = open_configured(journal, &config, &base, &data).await?;
        // Until a first message came in: a start that was cut short before that has shown nothing.
        let first_start = journal.reserve().await?.turn == Numbers::default().turn;
        let (before, outbox) = (journal.head(), journal.outbox().await?);
        if file.is_some() {
            tidy_send_dir(&config, &base, journal.as_ref(), &outbox);
        }
        let outbox = outbox.into_iter().map(|entry| (entry.op, entry.channel));
        let digest = Digest::resume(outbox, unreviewed(journal.as_ref()).await?);
        let typed = Typed::new(Arc::clone(&journal));
        let Made { agents, faulty } = agents::build(&config, &around, &typed, &clock, &rng)?;
        let speech = speech::build(&config, &credentials, data.join("voices"), &clock)?;
        let Actions { table, shells } = actions::build(&config, &around, secrets.as_ref(), &clock)?;
        let hooks = hooks::build(&config, &credentials, replayed.is_some(), &journal, &clock)?;
        let (config, kept_in) = (Arc::new(config), journal.kept_in());
        let Adapters { all, loopbacks } =
            adapters::build(&config, &base, &credentials, &data, kept_in, &clock, &rng)?;
        let parts = Parts {
            config: Arc::clone(&config),
            base: base.clone(),
            redaction: secrets.clone(),
            send_dir: None,
            journal: Arc::clone(&journal),
            channels: all,
            agents,
            speech: speech.clone(),
            actions: table,
            readers: Readers::default(),
            clock: Arc::clone(&clock),
            rng,
            rules: Rules::all(),
            grammar_off: Vec::new(),
        };
        let demo = demo.then(|| DemoPlayer::prepare(&config, &base, demo_start, first_start));
        let demo = demo.flatten();
        // Boxed, as all that a bot is made of is large.
        let engine = Box::pin(Engine::start(parts)).await?;
        // What files tell is counted from their beginning; the bot beside them tells nothing.
        let (journal, exports, before, replayed) = match replayed {
            Some(files) => (files.journal, files.exports, Seq(0), true),
            None => (journal, data.join("exports"), before, false),
        };
        let shared = Arc::new(Shared {
            hooks: hooks.statuses(),
            hooks_stop: hooks.stop(),
            hook_work: Tasks::default(),
            workspace,
            configuration,
            actor,
            secrets,
            config,
            base,
            exports,
            fixtures,
            clock,
            journal,
            replayed,
            workspaces: Workspaces::default(),
            window: WindowRequests::new(window),
            window_asked: Notify::new(),
            engine,
            loopbacks,
            typed,
            speech,
            faulty,
            shells,
            last_fault: AtomicU64::new(0),
            log,
            digest: Mutex::new(digest),
            turns: Turns::default(),
            views: Views::default(),
            runs: Runs::default(),
            urgent: broadcast::Sender::new(URGENT),
            stopped: OnceLock::new(),
            demo,
            tasks: Tasks::default(),
        });
        let backend = Self { shared };
        backend.attend(before, file, hooks);
        backend.spawn(backend.clone().perform_demo(first_start));
        Ok(backend)
    }

    /// Follows the journal from `before` on, and tells the hooks of what comes; prunes one that is a file, and hears
    /// operators beside that.
    fn attend(&self, before: Seq, file: Option<PathBuf>, hooks: Hooks) {
        self.spawn(self.clone().follow(before));
        self.shared.hook_work.spawn(super::hooks::run(hooks, before));
        if file.is_some() {
            self.spawn(self.clone().prune_journal());
        }
        #[cfg(unix)]
        if let Some(file) = file {
            self.spawn(self.clone().hear(file));
        }
    }
}

/// Checks the channels of a configuration that has a file; adapters name what one without it lacks.
fn check_connections(setup: &Setup) -> Result<(), ConfigError> {
    match &setup.file {
        Some(file) => config::check_connections(&setup.config, file),
        None => Ok(()),
    }
}

/// Deletes voice notes that no operation is to send any more, and makes the folder that files are sent from. Only the
/// journal knows which of its operations are still to be sent.
fn tidy_send_dir(config: &Config, base: &Path, journal: &dyn Journal, outbox: &[OutboxEntry]) {
    let files = SendDir::new(&config.files, base, None, journal.kept_in(), Rules::all());
    files.sweep_spoken(outbox.iter().map(|entry| &entry.operation));
    offer_send_dir(config, base);
}

/// Makes the folder that files are sent from, where nobody named another: a person who looks for it finds it. One that
/// is named and not there may be a mistake, which the first file and `foldback doctor` tell.
fn offer_send_dir(config: &Config, base: &Path) {
    let default = FilesConfig::default().send_dir;
    if config.files.send_dir == default
        && let Err(error) = std::fs::create_dir_all(base.join(&default))
    {
        tracing::warn!(%error, "there is no folder to send files from");
    }
}

/// How long the journal may still be another process's: one that ends puts its journal away.
const PARTING: Duration = Duration::from_secs(2);
/// How long between two looks meanwhile.
const LOOK: Duration = Duration::from_millis(50);

fn make_data_folder(folder: &Path) -> Result<(), OpenError> {
    make_private_folder(folder).map_err(|source| OpenError::DataFolder {
        path: folder.to_owned(),
        source,
    })
}

/// Takes the journal that is `given`, or opens the one that the configuration names and answers its file, too.
async fn open_configured(
    given: Option<Arc<dyn Journal>>,
    config: &Config,
    base: &Path,
    data: &Path,
) -> Result<(Arc<dyn Journal>, Option<PathBuf>), OpenError> {
    if let Some(journal) = given {
        return Ok((journal, None));
    }
    let file = journal_file(config, base, data);
    let journal = open_journal(&file, data, config.store.max_size).await?;
    Ok((journal, Some(file)))
}

async fn open_journal(
    path: &Path,
    data: &Path,
    max_size: Option<ByteSize>,
) -> Result<Arc<dyn Journal>, OpenError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_data_folder(folder)?;
    // Also where the journal lies elsewhere: sound and simulated platforms are kept there. That of an earlier version was
    // open to all. One that cannot be made is told by whoever needs it.
    if make_private_folder(data).is_ok() {
        close_to_others(data);
    }
    let limits = Limits {
        max_bytes: max_size.map(|ByteSize(bytes)| bytes),
        ..Limits::default()
    };
    let mut waited = Duration::ZERO;
    loop {
        match SqliteJournal::open_with(path, limits.clone()).await {
            // Who closes a window and opens the next one at once finds the process that ends.
            Err(StoreError::Locked(_)) if waited < PARTING => {
                tokio::time::sleep(LOOK).await;
                waited += LOOK;
            }
            opened => return Ok(Arc::new(opened?)),
        }
    }
}
