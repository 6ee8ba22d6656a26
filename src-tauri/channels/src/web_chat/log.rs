//! The folder of one conversation: a log of its changes, and its files. It is made with the first change, and nobody else can
//! read it. What a kill leaves half written at the end of the log is passed over, and what it leaves of files that the log does not
//! name is removed with the next start.

use super::entry::{Change, ChatMessage};
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Bytes by which a log may grow beyond four times what it holds, before it is written anew.
const SLACK: u64 = 256 * 1024;
const NAME: &str = "log.jsonl";

#[derive(Debug)]
pub(super) struct Log {
    folder: PathBuf,
    file: Option<File>,
    /// Its bytes now, and when it was last written anew.
    bytes: u64,
    base: u64,
}

impl Log {
    /// The log in a folder that may not be there yet.
    pub(super) const fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            file: None,
            bytes: 0,
            base: 0,
        }
    }

    /// Reads the changes of a folder.
    pub(super) fn read(&mut self) -> io::Result<Vec<Change>> {
        let file = File::open(self.path())?;
        self.bytes = file.metadata()?.len();
        let mut changes = Vec::new();
        for line in BufReader::new(file).split(b'\n') {
            let line = line?;
            if line.is_empty() {
                continue;
            }
            match serde_json::from_slice(&line) {
                Ok(change) => changes.push(change),
                Err(error) => {
                    let folder = self.folder.display();
                    tracing::warn!(%error, %folder, "a line of a conversation cannot be read");
                }
            }
        }
        Ok(changes)
    }

    /// The time at which it was last written.
    pub(super) fn written(&self) -> Option<std::time::SystemTime> {
        fs::metadata(self.path()).and_then(|meta| meta.modified()).ok()
    }

    /// Appends a line.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let mut file = if let Some(file) = self.file.take() {
            file
        } else {
            self.make_folder()?;
            let mut file = options().append(true).create(true).open(self.path())?;
            if self.bytes > 0 {
                // What follows a line that broke off stands on its own.
                file.write_all(b"\n")?;
            }
            file
        };
        // In one piece: a line is there or is not.
        file.write_all(&[line, b"\n"].concat())?;
        self.bytes += line.len() as u64 + 1;
        self.file = Some(file);
        Ok(())
    }

    /// Whether it has grown far beyond what it holds.
    pub(super) const fn is_long(&self) -> bool {
        self.bytes > 4 * self.base + SLACK
    }

    /// Writes it anew: complete or as it was, whenever the process ends.
    pub(super) fn rewrite<'a>(&mut self, entries: impl Iterator<Item = &'a ChatMessage>) -> io::Result<()> {
        let mut lines = Vec::new();
        for entry in entries {
            let message = entry.clone();
            serde_json::to_writer(&mut lines, &Change::Message { message })?;
            lines.push(b'\n');
        }
        let begun = self.folder.join("log.part");
        let mut file = options().write(true).create(true).truncate(true).open(&begun)?;
        file.write_all(&lines)?;
        fs::rename(&begun, self.path())?;
        // What follows goes to the new file.
        self.file = None;
        self.bytes = lines.len() as u64;
        self.base = self.bytes;
        Ok(())
    }

    /// The place of a file of the conversation.
    pub(super) fn file(&self, id: &str) -> PathBuf {
        self.folder.join(id)
    }

    /// Makes the folder where there is none.
    pub(super) fn make_folder(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    /// Removes all files but the log and these.
    pub(super) fn remove_others(&self, names: &BTreeSet<&str>) {
        let Ok(files) = fs::read_dir(&self.folder) else {
            return;
        };
        for file in files.filter_map(Result::ok) {
            let name = file.file_name();
            let is_known = |name| name == NAME || names.contains(name);
            if !name.to_str().is_some_and(is_known) {
                remove_file(&file.path());
            }
        }
    }

    /// Removes the folder with all that is in it.
    pub(super) fn remove(&mut self) {
        self.file = None;
        discard(fs::remove_dir_all(&self.folder), &self.folder);
    }

    fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }
}

/// A file that nobody else can read.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Removes a file; that it is not there is fine.
pub(super) fn remove_file(path: &Path) {
    discard(fs::remove_file(path), path);
}

fn discard(removed: io::Result<()>, path: &Path) {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(%error, path = %path.display(), "this stays behind");
        }
        _ => {}
    }
}
