//! The folder files are sent from. A file is opened once, relative to a handle of the folder, and everything is
//! asked of the open file: no path is looked at twice, so none can mean another file a moment later.

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt, OpenOptions, OpenOptionsExt};
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

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
    /// The file itself, opened for reading.
    pub file: std::fs::File,
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

    /// Opens a file by its path below the folder.
    pub fn open(&self, path: &str) -> Result<OpenFile, FileRefusal> {
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
        if !meta.is_file() {
            return Err(FileRefusal::NotRegular {
                path: path.to_owned(),
            });
        }
        if meta.nlink() > 1 {
            return Err(FileRefusal::ManyNames {
                path: path.to_owned(),
                names: meta.nlink(),
            });
        }
        check_size(path, meta.len(), self.max_size, "files.max_size")?;
        Ok(OpenFile {
            name,
            size: meta.len(),
            file: file.into_std(),
        })
    }

    /// Deletes a file by its path below the folder.
    pub fn remove(&self, path: &str) -> Result<(), FileRefusal> {
        let (dir, name) = self.place(path)?;
        dir.remove_file(&name).map_err(|e| unopened(path, e))
    }

    /// The folder in which the last part of a path lies, reached through folders only, and that part.
    fn place(&self, path: &str) -> Result<(Dir, String), FileRefusal> {
        let outside = || FileRefusal::Outside {
            path: path.to_owned(),
        };
        let mut dir = Dir::open_ambient_dir(&self.root, ambient_authority()).map_err(|source| {
            FileRefusal::NoFolder {
                dir: self.root.clone(),
                source,
            }
        })?;
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
            dir = match dir.open_dir_nofollow(OsStr::new(name)) {
                Ok(below) => below,
                // Refused as no folder; a look tells the person why.
                Err(_) if dir.symlink_metadata(name).is_ok_and(|m| m.is_symlink()) => {
                    return Err(FileRefusal::Link {
                        path: path.to_owned(),
                    });
                }
                Err(e) => return Err(unopened(path, e)),
            };
        }
        Ok((dir, last.to_owned()))
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
    // A socket cannot be opened at all.
    if code == Some(rustix::io::Errno::NXIO.raw_os_error()) {
        return FileRefusal::NotRegular { path };
    }
    FileRefusal::Unreadable { path, source }
}
