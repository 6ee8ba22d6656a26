//! Which files may be sent. Everything is opened below one folder and asked of the open handle, never of a
//! path that could mean another file a moment later: links, `..` and absolute paths lead nowhere else.

use crate::{
    config::FilesConfig,
    rules::{Rule, Rules},
};
use cap_std::{ambient_authority, fs::Dir};
use foldback_wire::{Capabilities, FileKind};
use std::path::{Path, PathBuf};

/// Why a file is not sent.
#[derive(Debug, thiserror::Error)]
pub enum FileRefusal {
    /// The configured folder cannot be opened.
    #[error("the folder files.send_dir = {dir} cannot be opened: {source}", dir = dir.display())]
    NoFolder {
        /// Which one.
        dir: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It lies, or leads, outside the folder.
    #[error("{path} is not below the folder files.send_dir")]
    Outside {
        /// The path as written.
        path: String,
    },
    /// It cannot be opened.
    #[error("{path} cannot be opened: {source}")]
    Unreadable {
        /// The path as written.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is a folder, a device, a pipe or a socket.
    #[error("{path} is not a regular file")]
    NotRegular {
        /// The path as written.
        path: String,
    },
    /// It is too large.
    #[error("{path} has {size} bytes, more than {limit} ({by})")]
    TooLarge {
        /// The path as written.
        path: String,
        /// Its size.
        size: u64,
        /// Most bytes allowed.
        limit: u64,
        /// What sets the limit.
        by: &'static str,
    },
}

/// The folder below which files may be sent.
#[derive(Debug, Clone)]
pub struct SendDir {
    /// As the configuration names it, and so the directives; never opened where another one stands for it.
    named: PathBuf,
    /// Where the files are.
    root: PathBuf,
    max_size: u64,
    allow_cleanup: bool,
    rules: Rules,
}

/// A file that may be sent.
#[derive(Debug)]
pub struct Sendable {
    /// Its path below the folder.
    pub relative: String,
    /// Its size in bytes.
    pub size: u64,
}

impl SendDir {
    /// The folder of a configuration; a relative one lies below `base`. With a `stand_in` the configured
    /// folder is only a name: whatever lies below it is looked for below the other one, and nowhere else.
    pub fn new(config: &FilesConfig, base: &Path, stand_in: Option<&Path>, rules: Rules) -> Self {
        let named = base.join(&config.send_dir);
        Self {
            root: stand_in.map_or_else(|| named.clone(), Path::to_owned),
            named,
            max_size: config.max_size.0,
            allow_cleanup: config.allow_cleanup,
            rules,
        }
    }

    /// Where the files are.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a sent file may be deleted.
    pub const fn may_clean_up(&self) -> bool {
        self.allow_cleanup
    }

    fn open(&self) -> Result<Dir, FileRefusal> {
        Dir::open_ambient_dir(&self.root, ambient_authority()).map_err(|source| FileRefusal::NoFolder {
            dir: self.root.clone(),
            source,
        })
    }

    /// Checks that the file a directive names may be sent on a channel.
    pub fn check(&self, path: &str, kind: FileKind, can: &Capabilities) -> Result<Sendable, FileRefusal> {
        let dir = self.open()?;
        let relative = self.relative(path)?;
        let named = |source: std::io::Error| {
            // cap-std tells an escape by this kind; the operating system by the same for a file without rights.
            if source.kind() == std::io::ErrorKind::PermissionDenied && source.raw_os_error().is_none() {
                FileRefusal::Outside {
                    path: path.to_owned(),
                }
            } else {
                FileRefusal::Unreadable {
                    path: path.to_owned(),
                    source,
                }
            }
        };
        let regular = |is_file: bool| {
            if is_file || !self.rules.holds(Rule::FilesRegular) {
                Ok(())
            } else {
                Err(FileRefusal::NotRegular {
                    path: path.to_owned(),
                })
            }
        };
        // Before it is opened: opening a pipe would wait for somebody to write into it.
        regular(dir.metadata(&relative).map_err(named)?.is_file())?;
        let file = dir.open(&relative).map_err(named)?.metadata().map_err(named)?;
        regular(file.is_file())?;
        let (limit, by) = self.limit(kind, can);
        if file.len() > limit && self.rules.holds(Rule::FilesSize) {
            return Err(FileRefusal::TooLarge {
                path: path.to_owned(),
                size: file.len(),
                limit,
                by,
            });
        }
        let relative = relative.to_string_lossy().into_owned();
        Ok(Sendable {
            relative,
            size: file.len(),
        })
    }

    /// Deletes a file that was sent.
    pub fn clean_up(&self, relative: &str) -> Result<(), FileRefusal> {
        self.open()?
            .remove_file(relative)
            .map_err(|source| FileRefusal::Unreadable {
                path: relative.to_owned(),
                source,
            })
    }

    /// The path below the folder; an absolute one must name the folder as configured or as it really is.
    fn relative(&self, path: &str) -> Result<PathBuf, FileRefusal> {
        let written = Path::new(path);
        if !written.is_absolute() {
            return Ok(written.to_owned());
        }
        let real = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let below = written
            .strip_prefix(&self.named)
            .or_else(|_| written.strip_prefix(&real));
        match below {
            Ok(below) if !below.as_os_str().is_empty() => Ok(below.to_owned()),
            Ok(_) => Err(FileRefusal::NotRegular {
                path: path.to_owned(),
            }),
            Err(_) => Err(FileRefusal::Outside {
                path: path.to_owned(),
            }),
        }
    }

    fn limit(&self, kind: FileKind, can: &Capabilities) -> (u64, &'static str) {
        let special = match kind {
            FileKind::Image => can.image_limit,
            FileKind::Audio => can.audio_limit,
            FileKind::File => None,
        };
        let channel = special.or(can.file_limit).unwrap_or(u64::MAX);
        if channel < self.max_size {
            (channel, "the channel's limit")
        } else {
            (self.max_size, "files.max_size")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ByteSize;
    use foldback_channels::profile;
    use foldback_wire::Platform;

    struct Place {
        _dir: tempfile::TempDir,
        outside: PathBuf,
        send: SendDir,
    }

    fn place(max: u64) -> Place {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("out");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(root.join("a.txt"), "hello").unwrap();
        std::fs::write(root.join("sub/b.png"), "png").unwrap();
        let outside = dir.path().join("secret");
        std::fs::write(&outside, "s").unwrap();
        let config = FilesConfig {
            send_dir: "out".into(),
            max_size: ByteSize(max),
            allow_cleanup: true,
        };
        let send = SendDir::new(&config, dir.path(), None, Rules::all());
        Place {
            _dir: dir,
            outside,
            send,
        }
    }

    fn check(place: &Place, path: &str) -> Result<String, FileRefusal> {
        let can = profile(Platform::Whatsapp);
        place.send.check(path, FileKind::File, &can).map(|f| f.relative)
    }

    #[test]
    fn a_file_below_the_folder_by_relative_or_absolute_path() {
        let place = place(5);
        assert_eq!(check(&place, "a.txt").unwrap(), "a.txt");
        let absolute = place.send.root().join("sub/b.png");
        assert_eq!(check(&place, absolute.to_str().unwrap()).unwrap(), "sub/b.png");
    }

    #[test]
    fn nothing_outside_by_dots_absolute_path_or_link() {
        let place = place(5);
        let outside = place.outside.to_str().unwrap();
        for path in ["../secret", outside, "sub/../../secret", "/etc/passwd"] {
            assert!(
                matches!(check(&place, path), Err(FileRefusal::Outside { .. })),
                "{path}"
            );
        }
    }

    #[test]
    fn a_folder_that_stands_for_the_configured_one_is_the_only_one_touched() {
        let dir = tempfile::tempdir().unwrap();
        let (named, stand_in) = (dir.path().join("real"), dir.path().join("stand-in"));
        for folder in [&named, &stand_in] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("a.txt"), "a").unwrap();
        }
        std::fs::write(named.join("real-only.txt"), "r").unwrap();
        let config = FilesConfig {
            send_dir: named.clone(),
            max_size: ByteSize(5),
            allow_cleanup: true,
        };
        let send = SendDir::new(&config, dir.path(), Some(&stand_in), Rules::all());
        let can = profile(Platform::Whatsapp);
        let check = |path: &Path| send.check(path.to_str().unwrap(), FileKind::File, &can);
        assert_eq!(check(&named.join("a.txt")).unwrap().relative, "a.txt");
        assert!(matches!(
            check(&named.join("real-only.txt")),
            Err(FileRefusal::Unreadable { .. })
        ));
        send.clean_up("a.txt").unwrap();
        assert!(named.join("a.txt").exists() && !stand_in.join("a.txt").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_files_inside_only() {
        let place = place(5);
        let link =
            |to: &Path, name: &str| std::os::unix::fs::symlink(to, place.send.root().join(name)).unwrap();
        link(&place.outside, "evil.txt");
        link(Path::new("../secret"), "evil2.txt");
        link(Path::new("a.txt"), "good.txt");
        assert!(matches!(
            check(&place, "evil.txt"),
            Err(FileRefusal::Outside { .. })
        ));
        assert!(matches!(
            check(&place, "evil2.txt"),
            Err(FileRefusal::Outside { .. })
        ));
        assert_eq!(check(&place, "good.txt").unwrap(), "good.txt");
    }

    #[test]
    fn no_folders_no_missing_files_nothing_too_large() {
        let place = place(4);
        assert!(matches!(
            check(&place, "sub"),
            Err(FileRefusal::NotRegular { .. })
        ));
        assert!(matches!(
            check(&place, "nothing"),
            Err(FileRefusal::Unreadable { .. })
        ));
        assert!(matches!(
            check(&place, "a.txt"),
            Err(FileRefusal::TooLarge {
                size: 5,
                limit: 4,
                ..
            })
        ));
        let root = place.send.root().to_str().unwrap().to_owned();
        assert!(matches!(
            check(&place, &root),
            Err(FileRefusal::NotRegular { .. })
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_or_a_socket_is_no_file() {
        let place = place(5);
        let socket = place.send.root().join("s");
        let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(matches!(check(&place, "s"), Err(FileRefusal::NotRegular { .. })));
    }

    #[test]
    fn the_channel_may_take_less() {
        let can = profile(Platform::Whatsapp);
        let send = place(500_000_000).send;
        assert_eq!(
            send.limit(FileKind::Image, &can),
            (5_000_000, "the channel's limit")
        );
        assert_eq!(
            send.limit(FileKind::Audio, &can),
            (16_000_000, "the channel's limit")
        );
        assert_eq!(
            send.limit(FileKind::File, &can),
            (100_000_000, "the channel's limit")
        );
        assert_eq!(place(5).send.limit(FileKind::File, &can), (5, "files.max_size"));
    }
}
