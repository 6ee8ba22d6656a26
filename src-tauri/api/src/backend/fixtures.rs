//! The fixtures: what there is, and what a person writes.

use super::Backend;
use crate::failure;
use foldback_replay::fixture::{self, Fixture};
use foldback_wire::rpc::{Failure, FixtureEntry, FixtureText, FixtureWrite};
use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

impl Backend {
    pub(super) async fn list_fixtures(&self) -> Result<Vec<FixtureEntry>, Failure> {
        let root = self.shared.fixtures.clone();
        off_thread(move || {
            if !root.is_dir() {
                return Ok(Vec::new());
            }
            let found = fixture::find(&root).map_err(|e| failure::cannot_read("the fixtures folder", &e))?;
            let entry = |path: PathBuf| match fixture::load(&path) {
                Ok(fixture) => entry(&below(&root, &path), &fixture),
                Err(error) => broken(&below(&root, &path), &error),
            };
            Ok(found.fixtures.into_iter().map(entry).collect())
        })
        .await
    }

    pub(super) async fn read_fixture(&self, path: String) -> Result<FixtureText, Failure> {
        let file = self.fixture_file(&path)?;
        off_thread(move || {
            let text = fs::read_to_string(file).map_err(|e| failure::cannot_read(&path, &e))?;
            Ok(FixtureText { path, text })
        })
        .await
    }

    pub(super) async fn write_fixture(&self, write: FixtureWrite) -> Result<FixtureEntry, Failure> {
        let FixtureWrite { path, text } = write;
        let file = self.fixture_file(&path)?;
        off_thread(move || {
            let fixture = fixture::parse(Path::new(&path), &text).map_err(|e| failure::bad_fixture(&e))?;
            replace(&file, &text).map_err(|e| failure::cannot_write(&path, &e))?;
            Ok(entry(&path, &fixture))
        })
        .await
    }

    /// The file of a path below the fixtures folder; nothing outside of it can be named.
    pub(super) fn fixture_file(&self, path: &str) -> Result<PathBuf, Failure> {
        let relative = Path::new(path);
        let plain = relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let yaml = relative.extension().is_some_and(|e| e == "yaml" || e == "yml");
        if plain && yaml {
            Ok(self.shared.fixtures.join(relative))
        } else {
            Err(failure::bad_path(path))
        }
    }
}

/// File work, off the runtime's own threads.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|e| failure::internal(&e))?
}

/// Writes a fixture, also into a folder that is new: a full disk leaves the old text.
pub(super) fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    foldback_replay::replace(file, text)
}

/// A path as clients name it: below the fixtures folder, with `/`.
pub(super) fn below(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

fn entry(path: &str, fixture: &Fixture) -> FixtureEntry {
    FixtureEntry {
        path: path.to_owned(),
        name: fixture.name.clone(),
        about: fixture.about.clone(),
        channels: fixture
            .channel
            .platforms()
            .iter()
            .map(ToString::to_string)
            .collect(),
        rules: fixture.rules.clone(),
        error: None,
    }
}

fn broken(path: &str, error: &fixture::Unreadable) -> FixtureEntry {
    FixtureEntry {
        path: path.to_owned(),
        name: path.to_owned(),
        about: String::new(),
        channels: Vec::new(),
        rules: Vec::new(),
        error: Some(error.to_string()),
    }
}
