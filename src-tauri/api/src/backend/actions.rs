//! The actions of a configuration, and the interfaces that carry them out.

use super::acp::{self, Surroundings};
use crate::places;
use foldback_actions::{
    ActionInterface, ActionTable, TableError,
    terminal::{PatternError, ShellSettings, Terminal},
};
use foldback_pipeline::config::{Config, ProgramError};
use foldback_wire::Clock;
use std::{io, sync::Arc};

/// The reason for which an interface of actions cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ActionSetupError {
    /// A list of commands cannot be read.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The program that confines commands is not there.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The system has no folder for commands.
    #[error("actions.bash.folder: the system has no folder for it; name one")]
    NoFolder,
    /// A folder cannot be made.
    #[error("actions.bash.folder: {0}")]
    Folder(#[from] io::Error),
    /// The interfaces make no table.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// The table of the actions that are on. Nothing is started before the first action.
pub(super) fn build(
    all: &Config,
    around: &Surroundings,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<ActionTable>, ActionSetupError> {
    let mut interfaces: Vec<Arc<dyn ActionInterface>> = Vec::new();
    let from = &all.actions.bash;
    if from.enabled {
        // A command may not know where we are.
        let base = std::path::absolute(&around.base)?;
        let folder = from
            .folder(&base)
            .or_else(|| places::command_folder(&around.workspace));
        let confinement = from
            .bubblewrap()?
            .map(|bubblewrap| acp::confinement(bubblewrap, all, &base, around, Vec::new()));
        let shell = ShellSettings {
            folder: folder.ok_or(ActionSetupError::NoFolder)?,
            timeout: from.timeout.0,
            max_output: usize::try_from(from.max_output.0).unwrap_or(usize::MAX),
            confinement,
            guard: None,
        };
        interfaces.push(Arc::new(Terminal::new(from.rules()?, shell, Arc::clone(clock))));
    }
    Ok(Arc::new(ActionTable::of(interfaces)?))
}
