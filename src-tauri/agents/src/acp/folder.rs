//! Where the files of users lie that an agent is given as links.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;

/// How the folders begin.
const PREFIX: &str = "foldback-agent-";
/// Most bytes that stay of earlier messages.
const KEPT_BYTES: usize = 100_000_000;
/// Most files that stay of earlier messages.
const KEPT_FILES: usize = 100;
/// Longest name in bytes. File systems take 255; a number may come before it.
const NAME_BYTES: usize = 200;
/// What is longer is no extension.
const EXTENSION_BYTES: usize = 20;
/// A folder that changed more recently may be one that is not locked yet.
const YOUNG: Duration = Duration::from_hours(1);

/// The files of one conversation, gone with this.
pub(super) struct Folder {
    dir: TempDir,
    /// Keeps [`sweep`] away as long as this process lives.
    _lock: File,
    /// What lies there with its length in bytes, the oldest first.
    files: VecDeque<(PathBuf, usize)>,
    bytes: usize,
}

impl Folder {
    /// An empty one, in the system's folder for temporary files.
    pub(super) fn new() -> io::Result<Self> {
        let dir = TempDir::with_prefix(PREFIX)?;
        let lock = File::open(dir.path())?;
        lock.lock()?;
        Ok(Self {
            dir,
            _lock: lock,
            files: VecDeque::new(),
            bytes: 0,
        })
    }

    /// Its place.
    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Lets the oldest files go, where more lie than are kept. For the beginning of a message: its own files all stay.
    pub(super) fn make_room(&mut self) {
        while self.bytes > KEPT_BYTES || self.files.len() > KEPT_FILES {
            let Some((path, bytes)) = self.files.pop_front() else {
                return;
            };
            self.bytes -= bytes;
            // The agent may have taken it away.
            let _ = fs::remove_file(path);
        }
    }

    /// Where a file of so many bytes is to be written.
    pub(super) fn place(&mut self, name: &str, bytes: usize) -> PathBuf {
        let path = free(self.dir.path(), &plain_name(name));
        self.files.push_back((path.clone(), bytes));
        self.bytes += bytes;
        path
    }
}

/// Removes the folders below `base` that a process left which was killed: what lives is locked.
pub(super) fn sweep(base: &Path) {
    let ours = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with(PREFIX) && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    let all = fs::read_dir(base).into_iter().flatten().flatten();
    for entry in all.filter(ours) {
        let modified = entry.metadata().and_then(|about| about.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        let lock = File::open(entry.path())
            .ok()
            .filter(|lock| lock.try_lock().is_ok());
        if lock.is_none() || age.is_none_or(|age| age < YOUNG) {
            continue;
        }
        if let Err(error) = fs::remove_dir_all(entry.path()) {
            tracing::warn!("{} cannot be removed: {error}", entry.path().display());
        }
    }
}

/// A name that stays in its folder, whatever a platform calls the file.
fn plain_name(name: &str) -> String {
    let kept = |c: char| {
        if c.is_alphanumeric() || "._- ".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(kept).collect();
    let name = name.trim_start_matches(['.', ' ']).trim_end();
    if name.is_empty() {
        return "file".to_owned();
    }
    if name.len() <= NAME_BYTES {
        return name.to_owned();
    }
    let extension = name.rfind('.').map(|at| &name[at..]);
    let extension = extension
        .filter(|extension| extension.len() <= EXTENSION_BYTES)
        .unwrap_or_default();
    let stem = &name[..name.floor_char_boundary(NAME_BYTES - extension.len())];
    format!("{stem}{extension}")
}

/// A path that is not taken yet: two files may have one name.
fn free(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.join(name);
    let mut number = 1;
    while path.exists() {
        number += 1;
        path = folder.join(format!("{number}-{name}"));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn names_stay_in_their_folder() {
        for (name, plain) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "_.._etc_passwd"),
            ("...", "file"),
            ("a/b\\c\0d", "a_b_c_d"),
            ("Grüße 1.txt", "Grüße 1.txt"),
        ] {
            assert_eq!(plain_name(name), plain);
        }
    }

    #[test]
    fn a_long_name_is_cut_to_what_a_file_system_takes_and_keeps_its_extension() {
        let folder = TempDir::new().unwrap();
        for (name, bytes) in [
            ("x".repeat(500), 200),
            (format!("{}.pdf", "報告書".repeat(30)), 200 - 1),
            (format!("{}.{}", "x".repeat(150), "y".repeat(150)), 200),
        ] {
            let plain = plain_name(&name);
            assert_eq!(plain.len(), bytes, "{plain}");
            let extension = |name: &str| Path::new(name).extension() == Some("pdf".as_ref());
            assert_eq!(extension(&plain), extension(&name));
            fs::write(free(folder.path(), &plain), "1").unwrap();
            fs::write(free(folder.path(), &plain), "2").unwrap();
        }
    }

    #[test]
    fn two_files_of_one_name_lie_beside_each_other() {
        let folder = TempDir::new().unwrap();
        fs::write(free(folder.path(), "a"), "1").unwrap();
        fs::write(free(folder.path(), "a"), "2").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn the_oldest_files_make_room_and_those_of_one_message_stay() {
        let mut folder = Folder::new().unwrap();
        let mut lay = |name: &str, bytes| {
            let path = folder.place(name, bytes);
            fs::write(&path, "").unwrap();
            path
        };
        let first = [lay("a", KEPT_BYTES), lay("b", 1)];
        assert!(first.iter().all(|path| path.exists()), "of one message");
        folder.make_room();
        assert_eq!(first.map(|path| path.exists()), [false, true]);
        for number in 0..KEPT_FILES {
            let path = folder.place(&number.to_string(), 0);
            fs::write(path, "").unwrap();
        }
        folder.make_room();
        assert_eq!(fs::read_dir(folder.dir.path()).unwrap().count(), KEPT_FILES);
    }

    #[test]
    fn folders_that_a_killed_process_left_are_swept_and_no_others() {
        let base = TempDir::new().unwrap();
        let make = |name: &str, age: Duration| {
            let path = base.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("report.pdf"), "x").unwrap();
            let folder = File::open(&path).unwrap();
            folder.set_modified(SystemTime::now() - age).unwrap();
            (path, folder)
        };
        let old = 2 * YOUNG;
        let (left, _) = make("foldback-agent-left", old);
        let (lives, lock) = make("foldback-agent-lives", old);
        lock.try_lock().unwrap();
        let (begins, _) = make("foldback-agent-begins", Duration::ZERO);
        let (strange, _) = make("somebody-else", old);
        sweep(base.path());
        assert_eq!(
            [left, lives, begins, strange].map(|path| path.exists()),
            [false, true, true, true]
        );
    }
}
