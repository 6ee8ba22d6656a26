//! What a host is made from, and where it is found when no flag says it.

use super::{
    acp::Surroundings,
    demo::DemoStart,
    exposed::{Exposed, check_send_dir},
    naming::backends_in_words,
};
use crate::{Shelf, log::LogBook, places};
use foldback_pipeline::{
    SeededRng, TokioClock,
    config::{self, Config, ConfigError, CredentialReader},
};
use foldback_store::Journal;
use foldback_wire::{Actor, Clock, Rng, redact::Redaction};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The parts that a host is made from.
pub struct Setup {
    /// Name in the window: the configuration's file, or `demo`.
    pub workspace: String,
    /// The configuration's file, as an absolute path; `None` for the embedded default.
    pub file: Option<PathBuf>,
    /// The configuration.
    pub config: Config,
    /// The folder that relative paths of the configuration lie below.
    pub base: PathBuf,
    /// Folder of the journal, unless the configuration names another.
    pub data: PathBuf,
    /// The fixtures.
    pub fixtures: Shelf,
    /// Actor of the commands: a person at the console or at the command line.
    pub actor: Actor,
    /// True where the demonstration may play. It never plays beside a channel that is not simulated.
    pub demo: bool,
    /// Start of the demonstration by itself.
    pub demo_start: DemoStart,
    /// The app's own log.
    pub log: LogBook,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub rng: Arc<dyn Rng>,
    /// A journal to use instead of a file; recordings for tests are made in memory.
    pub journal: Option<Arc<dyn Journal>>,
    /// True where a window shows it, so that it can be asked to open files and links.
    pub window: bool,
    /// Files to show instead of what the bot itself does.
    pub replayed: Option<ReplayedFiles>,
}

/// Files that a workspace shows.
pub struct ReplayedFiles {
    /// Their events.
    pub journal: Arc<dyn Journal>,
    /// Patterns that exports mask: those of the live bot.
    pub redaction: Option<Redaction>,
    /// The folder for exports of the live bot.
    pub exports: PathBuf,
}

impl Setup {
    /// The embedded default: loopback channels, the script agent, the demonstration at the first start.
    pub fn embedded(data: PathBuf, fixtures: impl Into<Shelf>, actor: Actor) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(TokioClock::system());
        Self {
            workspace: "demo".to_owned(),
            file: None,
            config: config::embedded(),
            base: data.clone(),
            data,
            fixtures: fixtures.into(),
            actor,
            demo: true,
            demo_start: DemoStart::FirstStart,
            log: LogBook::new(Arc::clone(&clock)),
            rng: Arc::new(SeededRng::new(clock.now().0.unsigned_abs())),
            clock,
            journal: None,
            window: false,
            replayed: None,
        }
    }

    /// The setup that a configuration file describes.
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
        // A file's bare name has an empty folder, which is none. Only an empty path has no absolute one, and no file.
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(Self {
            workspace: path
                .file_stem()
                .unwrap_or(path.as_os_str())
                .to_string_lossy()
                .into_owned(),
            config,
            base: file.parent().unwrap_or(Path::new("/")).to_owned(),
            file: Some(file),
            demo: false,
            ..Self::embedded(data, fixtures, actor)
        })
    }

    /// The setup that the configuration `file` describes, or the embedded default without one; data and fixtures are where
    /// [`places`] finds them.
    ///
    /// # Errors
    /// Without a data folder, and where the file is wrong.
    pub fn in_places(file: Option<&Path>, actor: Actor) -> Result<Self, SetupError> {
        let data = places::data_folder().ok_or(SetupError::NoDataFolder)?;
        let fixtures = places::fixtures(&data);
        Ok(match file {
            None => Self::embedded(data, fixtures, actor),
            Some(file) => Self::from_file(file, data, fixtures, actor)?,
        })
    }

    /// The journal's file: what the configuration says, else `journal.sqlite` in the data folder.
    pub fn journal_file(&self) -> PathBuf {
        journal_file(&self.config, &self.base, &self.data)
    }

    /// Mask of what is kept: in opened files as they were read.
    pub(super) fn redaction(&self) -> Option<Redaction> {
        match &self.replayed {
            Some(files) => files.redaction.clone(),
            None => self.config.redaction(&self.base),
        }
    }

    /// The places of the bot, where none of its own lies in the folder that files are sent from.
    pub(super) fn surroundings(&self, credentials: CredentialReader) -> Result<Surroundings, Exposed> {
        check_send_dir(
            &self.config,
            &self.base,
            self.file.as_deref(),
            &self.journal_file(),
        )?;
        Ok(Surroundings {
            base: self.base.clone(),
            credentials,
            file: self.file.clone(),
            workspace: self.workspace.clone(),
            data: self.data.clone(),
            journal: self.journal.is_none().then(|| self.journal_file()),
        })
    }

    /// The configuration's file and the backends, in words: `configuration /etc/foldback.toml; agent acp (opencode)`. A
    /// demonstration that somebody takes for their own bot costs an afternoon, so that it names a file that lies unused.
    pub fn in_words(&self) -> String {
        let agent = backends_in_words(&self.config);
        if let Some(file) = &self.file {
            return format!("configuration {}; agent {agent}", file.display());
        }
        let unused = if Path::new("foldback.toml").is_file() {
            "; the foldback.toml in this folder is not used: name it with --config or in FOLDBACK_CONFIG"
        } else {
            ""
        };
        format!("built-in configuration; agent {agent}{unused}")
    }

    /// Says the same in the log.
    pub fn log_in_words(&self) {
        tracing::info!("{}", self.in_words());
    }
}

/// The reason why there is no setup.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The system does not say who the person is.
    #[error("the system does not say where your data is kept; set FOLDBACK_DATA_DIR to a folder")]
    NoDataFolder,
    /// The configuration's file is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

pub(super) fn journal_file(config: &Config, base: &Path, data: &Path) -> PathBuf {
    match &config.store.file {
        Some(file) => base.join(file),
        None => data.join("journal.sqlite"),
    }
}
