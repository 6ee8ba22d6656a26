//! Where things lie: the configuration, the data, the fixtures.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The configuration file: `FOLDBACK_CONFIG`, else `foldback.toml` in the folder for configurations of the
/// system, if it is there. Without one the embedded default starts.
pub(crate) fn config() -> Option<PathBuf> {
    if let Some(path) = variable("FOLDBACK_CONFIG") {
        return Some(path);
    }
    let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))?;
    Some(folder.join("foldback/foldback.toml")).filter(|path| path.is_file())
}

/// The data folder: `FOLDBACK_DATA_DIR`, else where the system keeps this person's data.
pub(crate) fn data() -> Option<PathBuf> {
    variable("FOLDBACK_DATA_DIR").or_else(foldback_api::data_folder)
}

/// The fixtures: `FOLDBACK_FIXTURES`, else those of the source tree it was started in, else those that were
/// installed beside the program.
pub(crate) fn fixtures() -> PathBuf {
    let installed = || {
        Some(
            env::current_exe()
                .ok()?
                .parent()?
                .parent()?
                .join("share/foldback/fixtures"),
        )
    };
    let here = || Some(Path::new("fixtures").to_owned()).filter(|path| path.is_dir());
    variable("FOLDBACK_FIXTURES")
        .or_else(here)
        .or_else(installed)
        .unwrap_or_else(|| PathBuf::from("fixtures"))
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
