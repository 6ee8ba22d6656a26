//! The folder files are sent from. A file is opened relative to a handle of the folder, and everything is asked of
//! the open file that is then read. Between its check and its sending an operation may wait for days, so what was
//! checked is remembered ([`FileIdentity`]), and another file at the same path is refused.

use crate::{Refusal, size_limit};
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};
use foldback_wire::{Capabilities, FileIdentity, FileKind, RefusalCode};
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The setting that says how large a file may be.
const MAX_SIZE: &str = "files.max_size";

/// A folder from which regular files can be opened, and nothing else.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    max_size: u64,
}

/// A file that may be sent. It stays the same file, whatever its path means by now.
#[derive(Debug)]
pub struct OpenFile {
    /// Its last name, as the recipient sees it.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Which file it is, for whoever opens it again later.
    pub identity: FileIdentity,
    /// The file itself, opened for reading.
    pub file: std::fs::File,
}

/// A file that was found in a folder of our own.
#[derive(Debug)]
pub struct Left {
    /// Its path below the folder that files are sent from.
    pub path: String,
    /// How long ago it was written.
    pub age: Duration,
}

/// The file that an operation sends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meant<'a> {
    /// Its path below the folder.
    pub(crate) path: &'a str,
    /// How it goes, which says how large it may be.
    pub(crate) kind: FileKind,
    /// The file that was checked, where that is known.
    pub(crate) checked: Option<FileIdentity>,
}

impl<'a> Meant<'a> {
    pub(crate) const fn file(path: &'a str, kind: FileKind, checked: Option<FileIdentity>) -> Self {
        Self { path, kind, checked }
    }

    pub(crate) const fn voice(path: &'a str, checked: Option<FileIdentity>) -> Self {
        Self::file(path, FileKind::Audio, checked)
    }
}

/// Why a file is not sent. Paths are as they were written.
#[derive(Debug, thiserror::Error)]
pub enum FileRefusal {
    /// The folder cannot be opened.
    #[error("the folder files.send_dir = {dir} cannot be opened: {source}", dir = dir.display())]
    NoFolder {
        /// Which one.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It lies, or leads, outside the folder.
    #[error("{path} is not below the folder files.send_dir")]
    Outside {
        /// The path.
        path: String,
    },
    /// It is, or goes through, a symbolic link, which could lead anywhere.
    #[error("{path} is a link, or goes through one")]
    Link {
        /// The path.
        path: String,
    },
    /// It has another name too, so whose file it is cannot be told.
    #[error("{path} has {names} names (hard links)")]
    ManyNames {
        /// The path.
        path: String,
        /// How many.
        names: u64,
    },
    /// It lies where what was spoken waits, maybe for somebody else.
    #[error("{path} lies in the folder that voice notes are sent from, which is not for directives")]
    Spoken {
        /// The path.
        path: String,
    },
    /// There is no file of this name.
    #[error("there is no file {path} in the folder for outgoing files")]
    Missing {
        /// The path.
        path: String,
    },
    /// It cannot be opened.
    #[error("{path} cannot be opened: {source}")]
    Unreadable {
        /// The path.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// It is a folder, a device, a pipe or a socket.
    #[error("{path} is not a regular file")]
    NotRegular {
        /// The path.
        path: String,
    },
    /// Another file has taken its place, or it was written over.
    #[error("{path} was changed after it was checked")]
    Changed {
        /// The path.
        path: String,
    },
    /// It is too large.
    #[error("{path} has {size} bytes, more than {limit} ({by})")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        size: u64,
        /// Most bytes allowed.
        limit: u64,
        /// What sets the limit.
        by: &'static str,
    },
}

impl FileRefusal {
    /// True where this process, or the machine, had no descriptor left to open it with: that passes, and says nothing
    /// about the file.
    fn is_no_descriptor(&self) -> bool {
        let (Self::NoFolder { source, .. } | Self::Unreadable { source, .. }) = self else {
            return false;
        };
        let out_of = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE];
        let code = source.raw_os_error();
        out_of.iter().any(|errno| code == Some(errno.raw_os_error()))
    }

    /// The setting that would change it; `None` where the file itself, the platform or the machine would have to change.
    pub fn setting(&self) -> Option<&'static str> {
        match self {
            _ if self.is_no_descriptor() => None,
            Self::TooLarge { by, .. } => (*by == MAX_SIZE).then_some(MAX_SIZE),
            Self::Missing { .. } | Self::Spoken { .. } => None,
            _ => Some("files.send_dir"),
        }
    }
}

impl From<FileRefusal> for Refusal {
    fn from(refusal: FileRefusal) -> Self {
        if refusal.is_no_descriptor() {
            return Self::new(RefusalCode::Transient, refusal.to_string()).never_sent();
        }
        let code = match refusal {
            FileRefusal::TooLarge { .. } => RefusalCode::TooLong,
            _ => RefusalCode::Rejected,
        };
        Self::new(code, refusal.to_string())
    }
}

impl Folder {
    /// The folder at `root`, with files of at most `max_size` bytes.
    pub fn new(root: impl Into<PathBuf>, max_size: u64) -> Self {
        Self {
            root: root.into(),
            max_size,
        }
    }

    /// Where the files are.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Refuses what is larger than files here may be.
    pub fn check_size(&self, path: &str, size: u64) -> Result<(), FileRefusal> {
        check_size(path, size, self.max_size, MAX_SIZE)
    }

    /// Opens a file by its path below the folder.
    pub fn open(&self, path: &str) -> Result<OpenFile, FileRefusal> {
        let (_, open) = self.open_in(path)?;
        self.check_size(path, open.size)?;
        Ok(open)
    }

    /// The size of a file and which one it is, by its path below the folder. Where no descriptor is left to open it with,
    /// its name alone is looked at, which needs none; whoever opens it later to send it refuses every link.
    pub fn identify(&self, path: &str) -> Result<FileIdentity, FileRefusal> {
        match self.open(path) {
            Ok(open) => Ok(open.identity),
            Err(refusal) if refusal.is_no_descriptor() => self.identify_unopened(path),
            Err(refusal) => Err(refusal),
        }
    }

    fn identify_unopened(&self, path: &str) -> Result<FileIdentity, FileRefusal> {
        let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(path).components().all(is_below) {
            return Err(FileRefusal::Outside {
                path: path.to_owned(),
            });
        }
        let found = std::fs::symlink_metadata(self.root.join(path)).map_err(|e| unopened(path, e))?;
        if found.is_symlink() {
            return Err(FileRefusal::Link {
                path: path.to_owned(),
            });
        }
        let meta = Metadata::from_just_metadata(found);
        check_regular(path, &meta)?;
        self.check_size(path, meta.len())?;
        Ok(identity(&meta))
    }

    /// Opens a file by its path below the folder, if it still is the one that was checked.
    pub fn open_checked(&self, path: &str, checked: FileIdentity) -> Result<OpenFile, FileRefusal> {
        let open = self.open(path)?;
        check_same(path, &open, checked)?;
        Ok(open)
    }

    /// Opens the file that an operation sends: the one that was checked, and no larger than the channel takes.
    pub(crate) fn open_to_send(&self, meant: Meant<'_>, can: &Capabilities) -> Result<OpenFile, Refusal> {
        let Meant { path, kind, checked } = meant;
        let open = match checked {
            Some(checked) => self.open_checked(path, checked)?,
            None => self.open(path)?,
        };
        check_size(path, open.size, size_limit(can, kind), "the channel's limit")?;
        Ok(open)
    }

    /// Deletes a file of any size by its path below the folder, if it still is the one that was checked, where that is
    /// known.
    /// No system removes an open file, only a name: between the look and the removal lies nothing but a moment.
    pub fn remove(&self, path: &str, checked: Option<FileIdentity>) -> Result<(), FileRefusal> {
        let (dir, name) = match checked {
            Some(checked) => {
                let (dir, open) = self.open_in(path)?;
                check_same(path, &open, checked)?;
                (dir, open.name)
            }
            None => self.place(path)?,
        };
        dir.remove_file(&name).map_err(|e| unopened(path, e))
    }

    /// Writes a new file of our own into a folder below this one; all are made, for nobody else to read. A file of that
    /// name is replaced, a link is not followed. What is written is on the disk when this ends.
    pub fn put(&self, dir: &str, name: &str, bytes: &[u8]) -> Result<FileIdentity, FileRefusal> {
        let path = format!("{dir}/{name}");
        let failed = |e| unopened(&path, e);
        std::fs::create_dir_all(&self.root).map_err(failed)?;
        let mut below = self.handle()?;
        for folder in dir.split('/') {
            match below.create_dir_with(folder, DirBuilder::new().mode(0o700)) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(failed(e)),
                _ => {}
            }
            below = step(&below, folder, &path)?;
        }
        let (dir, name) = self.place(&path)?;
        match dir.remove_file(&name) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(e)),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .follow(FollowSymlinks::No);
        let mut file = dir.open_with(&name, &options).map_err(failed)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        if let Err(e) = written {
            // Half a file is of no use to anybody; that it cannot be removed either changes nothing.
            let _ = dir.remove_file(&name);
            return Err(failed(e));
        }
        file.metadata().map(|meta| identity(&meta)).map_err(failed)
    }

    /// Deletes the files that lie directly in a folder of our own, but those that `keep` wants.
    pub fn sweep(&self, dir: &str, keep: impl Fn(&Left) -> bool) -> Result<(), FileRefusal> {
        let failed = |e| unopened(dir, e);
        let Ok(mut below) = self.handle() else {
            // Nothing was ever put there.
            return Ok(());
        };
        for folder in dir.split('/') {
            below = match below.open_dir_nofollow(OsStr::new(folder)) {
                Ok(below) => below,
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(e) => return Err(failed(e)),
            };
        }
        for entry in below.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let meta = entry.metadata().map_err(failed)?;
            if meta.is_dir() {
                continue;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            let written = meta.modified().map_err(failed)?.into_std();
            let left = Left {
                path: format!("{dir}/{name}"),
                // What is from the future is new.
                age: written.elapsed().unwrap_or_default(),
            };
            if !keep(&left) {
                below.remove_file(&name).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// The folder itself.
    fn handle(&self) -> Result<Dir, FileRefusal> {
        Dir::open_ambient_dir(&self.root, ambient_authority()).map_err(|source| FileRefusal::NoFolder {
            dir: self.root.clone(),
            source,
        })
    }

    /// Opens a file, and the folder in which it lies.
    fn open_in(&self, path: &str) -> Result<(Dir, OpenFile), FileRefusal> {
        let (dir, name) = self.place(path)?;
        let mut options = OpenOptions::new();
        // Without it, opening a pipe would wait for somebody to write into it.
        let no_wait = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        options
            .read(true)
            .follow(FollowSymlinks::No)
            .custom_flags(no_wait);
        let file = dir.open_with(&name, &options).map_err(|e| unopened(path, e))?;
        let meta = file.metadata().map_err(|e| unopened(path, e))?;
        check_regular(path, &meta)?;
        let open = OpenFile {
            name,
            size: meta.len(),
            identity: identity(&meta),
            file: file.into_std(),
        };
        Ok((dir, open))
    }

    /// The folder in which the last part of a path lies, reached through folders only, and that part.
    fn place(&self, path: &str) -> Result<(Dir, String), FileRefusal> {
        let outside = || FileRefusal::Outside {
            path: path.to_owned(),
        };
        let mut dir = self.handle()?;
        let mut names = Vec::new();
        for part in Path::new(path).components() {
            match part {
                Component::Normal(name) => names.push(name.to_str().ok_or_else(outside)?),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        let Some(last) = names.pop() else {
            return Err(FileRefusal::NotRegular {
                path: path.to_owned(),
            });
        };
        for name in names {
            dir = step(&dir, name, path)?;
        }
        Ok((dir, last.to_owned()))
    }
}

/// A folder directly below another one, on the way to a path.
fn step(from: &Dir, name: &str, path: &str) -> Result<Dir, FileRefusal> {
    match from.open_dir_nofollow(OsStr::new(name)) {
        Ok(below) => Ok(below),
        // Refused as no folder; a look tells the person why.
        Err(_) if from.symlink_metadata(name).is_ok_and(|m| m.is_symlink()) => Err(FileRefusal::Link {
            path: path.to_owned(),
        }),
        Err(e) => Err(unopened(path, e)),
    }
}

/// Refuses what is larger than `limit` bytes; `by` says what sets it.
pub fn check_size(path: &str, size: u64, limit: u64, by: &'static str) -> Result<(), FileRefusal> {
    if size <= limit {
        return Ok(());
    }
    Err(FileRefusal::TooLarge {
        path: path.to_owned(),
        size,
        limit,
        by,
    })
}

/// Refuses what is no file, or has another name too.
fn check_regular(path: &str, meta: &Metadata) -> Result<(), FileRefusal> {
    if !meta.is_file() {
        return Err(FileRefusal::NotRegular {
            path: path.to_owned(),
        });
    }
    match meta.nlink() {
        0 | 1 => Ok(()),
        names => Err(FileRefusal::ManyNames {
            path: path.to_owned(),
            names,
        }),
    }
}

fn identity(meta: &Metadata) -> FileIdentity {
    FileIdentity {
        device: meta.dev(),
        inode: meta.ino(),
        size: meta.len(),
        // Enough until the year 2262, and the same for the same file after it.
        modified_ns: meta
            .mtime()
            .saturating_mul(1_000_000_000)
            .saturating_add(meta.mtime_nsec()),
    }
}

/// Refuses a file that is another one than was checked, or was written to since.
fn check_same(path: &str, open: &OpenFile, checked: FileIdentity) -> Result<(), FileRefusal> {
    if open.identity == checked {
        return Ok(());
    }
    Err(FileRefusal::Changed {
        path: path.to_owned(),
    })
}

fn unopened(path: &str, source: io::Error) -> FileRefusal {
    let path = path.to_owned();
    // What is left of a name that leads outside is told by this kind, without an error of the system.
    if source.kind() == io::ErrorKind::PermissionDenied && source.raw_os_error().is_none() {
        return FileRefusal::Outside { path };
    }
    let code = source.raw_os_error();
    if code == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return FileRefusal::Link { path };
    }
    if matches!(
        source.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    ) {
        return FileRefusal::Missing { path };
    }
    // A socket cannot be opened at all.
    if code == Some(rustix::io::Errno::NXIO.raw_os_error()) {
        return FileRefusal::NotRegular { path };
    }
    FileRefusal::Unreadable { path, source }
}
