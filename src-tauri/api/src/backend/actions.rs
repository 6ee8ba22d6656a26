//! The actions of a configuration, and the interfaces that carry them out.

use super::acp::{self, Surroundings};
use crate::places;
use foldback_actions::{
    ActionInterface, ActionTable, TableError,
    terminal::{KeptTerminal, PatternError, ShellLimits, ShellSettings, Shells, Terminal},
};
use foldback_pipeline::config::{Config, ProgramError};
use foldback_wire::{Clock, redact::Redaction};
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

/// The actions that are on.
pub(super) struct Actions {
    pub(super) table: Arc<ActionTable>,
    /// The shells that are kept between commands, where that is on.
    pub(super) shells: Option<Arc<Shells>>,
}

/// The actions that are on. Nothing is started before the first one is carried out. None is where the configuration is one
/// without interfaces: the bot of a replay or of a file that was opened leaves the machine alone.
pub(super) fn build(
    all: &Config,
    around: &Surroundings,
    secrets: Option<&Redaction>,
    clock: &Arc<dyn Clock>,
) -> Result<Actions, ActionSetupError> {
    if all.actions.without_interfaces {
        return Ok(Actions {
            table: Arc::default(),
            shells: None,
        });
    }
    let mut interfaces: Vec<Arc<dyn ActionInterface>> = Vec::new();
    let (bash, terminal) = (&all.actions.bash, &all.actions.terminal);
    if bash.enabled {
        let settings = shell_settings(all, around, secrets)?;
        interfaces.push(Arc::new(Terminal::new(
            bash.rules()?,
            settings,
            Arc::clone(clock),
        )));
    }
    let mut shells = None;
    if terminal.enabled {
        let limits = ShellLimits {
            idle: terminal.idle.0,
            most: usize::try_from(terminal.max_shells).unwrap_or(usize::MAX),
        };
        let kept = Arc::new(Shells::new(
            shell_settings(all, around, secrets)?,
            limits,
            Arc::clone(clock),
        ));
        interfaces.push(Arc::new(KeptTerminal::new(bash.rules()?, Arc::clone(&kept))));
        shells = Some(kept);
    }
    let table = Arc::new(ActionTable::of(interfaces)?);
    Ok(Actions { table, shells })
}

/// The settings of every shell.
fn shell_settings(
    all: &Config,
    around: &Surroundings,
    secrets: Option<&Redaction>,
) -> Result<ShellSettings, ActionSetupError> {
    let from = &all.actions.bash;
    // A command may not know where we are.
    let base = std::path::absolute(&around.base)?;
    let folder = from
        .folder(&base)
        .or_else(|| places::command_folder(&around.workspace));
    let confinement = from
        .bubblewrap()?
        .map(|bubblewrap| acp::confinement(bubblewrap, all, &base, around, Vec::new()));
    Ok(ShellSettings {
        folder: folder.ok_or(ActionSetupError::NoFolder)?,
        timeout: from.timeout.0,
        max_output: from.most_output(),
        confinement,
        guard: None,
        redaction: secrets.cloned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Backend, ReplayedFiles, Setup},
        *,
    };
    use foldback_store::MemoryJournal;
    use foldback_wire::Actor;
    use std::path::Path;

    /// A bot whose configuration has every interface on.
    fn setup(folder: &Path) -> Setup {
        let mut setup = Setup::embedded(folder.to_owned(), folder.join("fixtures"), Actor::Console);
        setup.demo = false;
        setup.journal = Some(Arc::new(MemoryJournal::new()));
        let actions = &mut setup.config.actions;
        actions.bash.enabled = true;
        actions.bash.folder = Some("work".into());
        actions.terminal.enabled = true;
        actions.event.enabled = true;
        setup
    }

    async fn names(setup: Setup) -> (Vec<String>, bool) {
        let backend = Backend::open(setup).await.unwrap();
        let names = backend.shared.engine.actions().rows().map(|row| row.name.clone());
        let found = (names.collect(), backend.shared.shells.is_some());
        backend.end().await.unwrap();
        found
    }

    #[tokio::test]
    async fn the_bot_beside_files_that_are_opened_has_no_action_whatever_its_configuration_says() {
        let folder = tempfile::tempdir().unwrap();
        let (live, has_shells) = names(setup(folder.path())).await;
        assert_eq!(live, ["bash", "event", "event_cancel", "event_list", "terminal"]);
        assert!(has_shells);
        let mut opened = setup(folder.path());
        opened.replayed = Some(ReplayedFiles {
            journal: Arc::new(MemoryJournal::new()),
            redaction: None,
            exports: folder.path().join("exports"),
        });
        assert_eq!(names(opened).await, (Vec::new(), false));
    }
}
