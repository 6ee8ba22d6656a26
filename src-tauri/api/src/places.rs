//! Where things lie when no flag says it: the configuration, the data, the fixtures. The window and the command
//! line look in the same places, so that both see the same bot.

use crate::Shelf;
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The configuration file: `FOLDBACK_CONFIG`, else `foldback/foldback.toml` in the system's folder for
/// configurations, if it is there. `None` means the embedded default.
pub fn config_file() -> Option<PathBuf> {
    let installed = || Some(config_folder()?.join("foldback.toml")).filter(|path| path.is_file());
    named("FOLDBACK_CONFIG").or_else(installed)
}

/// The data folder: `FOLDBACK_DATA_DIR`, else where the system keeps this person's data, such as
/// `~/.local/share/foldback`. `None` where the system does not say who the person is.
pub fn data_folder() -> Option<PathBuf> {
    named("FOLDBACK_DATA_DIR").or_else(|| Some(dirs::data_local_dir()?.join("foldback")))
}

/// The folder in which Foldback's configuration lies unless it is named.
pub(crate) fn config_folder() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("foldback"))
}

/// The folder in which an agent works unless the configuration `workspace` names one: beside Foldback's own folders and
/// below none of them, such as `~/.local/state/foldback-agent/foldback`. `None` where the system does not say who the
/// person is.
pub fn agent_folder(workspace: &str) -> Option<PathBuf> {
    let states = dirs::state_dir().or_else(dirs::data_local_dir)?;
    Some(states.join("foldback-agent").join(workspace))
}

/// The folder in which commands work unless the configuration `workspace` names one: beside Foldback's own folders and
/// below none of them, such as `~/.local/state/foldback-actions/foldback`. `None` where the system does not say who the
/// person is.
pub fn command_folder(workspace: &str) -> Option<PathBuf> {
    let states = dirs::state_dir().or_else(dirs::data_local_dir)?;
    Some(states.join("foldback-actions").join(workspace))
}

/// The fixtures: the folder `FOLDBACK_FIXTURES`, else `fixtures` in the current folder, else those that were
/// installed with the program, with a person's own in the data folder.
pub fn fixtures(data: &Path) -> Shelf {
    let installed = || {
        let program = env::current_exe().ok()?;
        Some(program.parent()?.parent()?.join("share/foldback/fixtures"))
    };
    fixtures_in(named("FOLDBACK_FIXTURES"), Path::new("fixtures"), data, installed)
}

fn fixtures_in(
    named: Option<PathBuf>,
    here: &Path,
    data: &Path,
    installed: impl FnOnce() -> Option<PathBuf>,
) -> Shelf {
    if let Some(folder) = named.or_else(|| here.is_dir().then(|| here.to_owned())) {
        return folder.into();
    }
    Shelf {
        own: data.join("fixtures"),
        shipped: installed().filter(|folder| folder.is_dir()),
    }
}

/// A path from the environment. A variable that is set to nothing counts as not set.
fn named(variable: &str) -> Option<PathBuf> {
    given(env::var_os(variable))
}

fn given(value: Option<OsString>) -> Option<PathBuf> {
    value.filter(|value| !value.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_names_nothing() {
        assert_eq!(given(Some(OsString::new())), None);
        assert_eq!(given(None), None);
        assert_eq!(given(Some("/data".into())), Some("/data".into()));
    }

    #[test]
    fn fixtures_are_those_named_then_those_here_then_the_installed_and_own_ones() {
        let folder = tempfile::tempdir().unwrap();
        let (here, installed) = (folder.path().join("here"), folder.path().join("installed"));
        let found = |named: Option<&str>| {
            fixtures_in(named.map(PathBuf::from), &here, Path::new("/data"), || {
                Some(installed.clone())
            })
        };
        let own = |shipped| Shelf {
            own: "/data/fixtures".into(),
            shipped,
        };
        assert_eq!(found(Some("/mine")), PathBuf::from("/mine").into());
        assert_eq!(found(None), own(None));
        std::fs::create_dir(&installed).unwrap();
        assert_eq!(found(None), own(Some(installed.clone())));
        std::fs::create_dir(&here).unwrap();
        assert_eq!(found(None), here.clone().into());
    }
}
