//! Where things lie when no flag says it: the configuration, the data, the fixtures. The window and the command
//! line look in the same places, so that both see the same bot.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The configuration file: `FOLDBACK_CONFIG`, else `foldback/foldback.toml` in the system's folder for
/// configurations, if it is there. `None` means the embedded default.
pub fn config_file() -> Option<PathBuf> {
    let installed = || Some(dirs::config_dir()?.join("foldback/foldback.toml")).filter(|path| path.is_file());
    named("FOLDBACK_CONFIG").or_else(installed)
}

/// The data folder: `FOLDBACK_DATA_DIR`, else where the system keeps this person's data, such as
/// `~/.local/share/foldback`. `None` where the system does not say who the person is.
pub fn data_folder() -> Option<PathBuf> {
    named("FOLDBACK_DATA_DIR").or_else(|| Some(dirs::data_local_dir()?.join("foldback")))
}

/// The fixtures: `FOLDBACK_FIXTURES`, else `fixtures` in the current folder, else those that were installed
/// with the program. The folder may be missing: then there are none.
pub fn fixtures_folder() -> PathBuf {
    let installed = || {
        let program = env::current_exe().ok()?;
        Some(program.parent()?.parent()?.join("share/foldback/fixtures"))
    };
    fixtures_in(named("FOLDBACK_FIXTURES"), Path::new("fixtures"), installed)
}

fn fixtures_in(
    named: Option<PathBuf>,
    here: &Path,
    installed: impl FnOnce() -> Option<PathBuf>,
) -> PathBuf {
    named
        .or_else(|| here.is_dir().then(|| here.to_owned()))
        .or_else(|| installed().filter(|path| path.is_dir()))
        .unwrap_or_else(|| here.to_owned())
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
    fn fixtures_are_what_is_named_then_what_is_here_then_what_is_installed() {
        let folder = tempfile::tempdir().unwrap();
        let (here, installed) = (folder.path().join("here"), folder.path().join("installed"));
        let found = |named: Option<&str>| {
            fixtures_in(named.map(PathBuf::from), &here, || Some(installed.clone()))
        };
        assert_eq!(found(Some("/mine")), Path::new("/mine"));
        assert_eq!(found(None), here, "what is missing is told by the name people know");
        std::fs::create_dir(&installed).unwrap();
        assert_eq!(found(None), installed);
        std::fs::create_dir(&here).unwrap();
        assert_eq!(found(None), here);
    }
}
