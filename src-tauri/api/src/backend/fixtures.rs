//! The fixtures: what there is, and what a person writes.

use super::Backend;
use crate::failure;
use foldback_replay::fixture::{self, Fixture};
use foldback_wire::rpc::{ExampleFile, Failure, FixtureEntry, FixtureText, FixtureWrite};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

impl Backend {
    pub(super) async fn list_fixtures(&self) -> Result<Vec<FixtureEntry>, Failure> {
        let shelf = self.shared.fixtures.clone();
        off_thread(move || {
            let all = shelf
                .all()
                .map_err(|e| failure::cannot_read("the fixtures folder", &e))?;
            let entry = |(name, file): (String, PathBuf)| match fixture::load(&file) {
                Ok(fixture) => entry(&name, &fixture),
                Err(error) => broken(&name, &error),
            };
            Ok(all.into_iter().map(entry).collect())
        })
        .await
    }

    pub(super) async fn list_examples(&self) -> Result<Vec<ExampleFile>, Failure> {
        let shelf = self.shared.fixtures.clone();
        off_thread(move || {
            let all = shelf
                .examples()
                .map_err(|e| failure::cannot_read("the folder of examples", &e))?;
            let example = |(name, path): (String, PathBuf)| ExampleFile {
                name,
                path: path.to_string_lossy().into_owned(),
            };
            Ok(all.into_iter().map(example).collect())
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
        let file = self.fixture_place(&path)?;
        off_thread(move || {
            let fixture = fixture::parse(Path::new(&path), &text).map_err(|e| failure::bad_fixture(&e))?;
            replace(&file, &text).map_err(|e| failure::cannot_write(&path, &e))?;
            Ok(entry(&path, &fixture))
        })
        .await
    }

    /// Where a fixture is read.
    pub(super) fn fixture_file(&self, path: &str) -> Result<PathBuf, Failure> {
        let file = self.shared.fixtures.file(path);
        file.ok_or_else(|| failure::bad_path(path))
    }

    /// Where a fixture is written.
    pub(super) fn fixture_place(&self, path: &str) -> Result<PathBuf, Failure> {
        let file = self.shared.fixtures.place(path);
        file.ok_or_else(|| failure::bad_path(path))
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
