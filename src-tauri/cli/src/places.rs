//! Where things lie: the configuration, the data, the journal, the fixtures.

use crate::{end::Stop, running::wrong};
use foldback_api::{Setup, places};
use foldback_wire::Actor;
use std::{env, path::PathBuf};

/// Which bot a command is about.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Place {
    /// The configuration [default: `FOLDBACK_CONFIG`, else foldback.toml in the system's folder for
    /// configurations, else the embedded default]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,

    /// The journal [default: what the configuration says, else journal.sqlite in the data folder, which
    /// `FOLDBACK_DATA_DIR` can name]
    #[arg(long, value_name = "FILE", global = true)]
    db: Option<PathBuf>,
}

impl Place {
    /// True where a flag says anything about it.
    pub(crate) const fn is_named(&self) -> bool {
        self.config.is_some() || self.db.is_some()
    }

    /// True where a flag names a journal.
    pub(crate) const fn names_journal(&self) -> bool {
        self.db.is_some()
    }

    /// The configuration file; `None` for the embedded default.
    pub(crate) fn config(&self) -> Option<PathBuf> {
        self.config.clone().or_else(places::config_file)
    }

    /// The setup of the bot.
    pub(crate) fn setup(&self) -> Result<Setup, Stop> {
        let mut setup = Setup::in_places(self.config().as_deref(), Actor::Cli).map_err(wrong)?;
        if let Some(db) = &self.db {
            setup.config.store.file = Some(std::path::absolute(db)?);
        }
        Ok(setup)
    }

    /// The arguments that name this bot to another command, each with a space before it: none where the system's folders
    /// do. The journal alone says which bot runs.
    pub(crate) fn arguments(&self, setup: &Setup) -> String {
        let by_environment = ["FOLDBACK_CONFIG", "FOLDBACK_DATA_DIR"];
        if !self.is_named() && by_environment.iter().all(|name| env::var_os(name).is_none()) {
            return String::new();
        }
        let journal = setup.journal_file().display().to_string();
        format!(" --db '{}'", journal.replace('\'', "'\\''"))
    }

    /// The journal's file. Needs neither configuration nor data folder where the file is named.
    pub(crate) fn journal(&self) -> Result<PathBuf, Stop> {
        match &self.db {
            Some(db) => Ok(db.clone()),
            None => Ok(self.setup()?.journal_file()),
        }
    }
}
