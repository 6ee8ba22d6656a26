//! The files that directives may name: those of one folder ([`Folder`]), by a path below it or by the folder's own.

mod spoken;

pub use spoken::is_own_file;

use crate::{
    config::FilesConfig,
    rules::{Rule, Rules},
};
use foldback_channels::{FileRefusal, Folder, check_size, size_limit};
use foldback_wire::{Capabilities, FileIdentity, FileKind};
use std::path::{Path, PathBuf};

/// The folder below which files may be sent.
#[derive(Debug, Clone)]
pub struct SendDir {
    /// As the configuration names it, and so the directives; never opened where another one stands for it.
    named: PathBuf,
    /// The folder of the files.
    folder: Folder,
    /// The folder below it in which spoken files wait for their outcome.
    spoken: String,
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
    /// The identity of the file, so that no other one is sent, or deleted, in its place; `None` where what is no file
    /// is let through.
    pub identity: Option<FileIdentity>,
}

impl SendDir {
    /// The folder of a configuration; a relative one lies below `base`. With a `stand_in` the configured
    /// folder is only a name: whatever lies below it is looked for below the other one, and nowhere else. What is
    /// spoken for the operations of a journal, known by its file, lies apart from what is for those of another one.
    pub fn new(
        config: &FilesConfig,
        base: &Path,
        stand_in: Option<&Path>,
        journal: Option<&Path>,
        rules: Rules,
    ) -> Self {
        let named = base.join(&config.send_dir);
        let most = if rules.holds(Rule::FilesSize) {
            config.max_size.0
        } else {
            u64::MAX
        };
        Self {
            folder: Folder::new(stand_in.unwrap_or(&named), most),
            named,
            spoken: spoken::folder_of(journal),
            allow_cleanup: config.allow_cleanup,
            rules,
        }
    }

    /// The folder of the files.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// True where a sent file may be deleted.
    pub const fn may_clean_up(&self) -> bool {
        self.allow_cleanup
    }

    /// Checks that the file a directive names may be sent on a channel: also none of what was spoken, which belongs to
    /// the conversation it was spoken in. The adapter opens it again, maybe much later, and sends it only if it is
    /// still this one.
    pub fn check(&self, path: &str, kind: FileKind, can: &Capabilities) -> Result<Sendable, FileRefusal> {
        let below = self.relative(path)?;
        if spoken::is_below(&below) {
            return Err(FileRefusal::Spoken {
                path: path.to_owned(),
            });
        }
        let relative = below.to_string_lossy().into_owned();
        let (size, identity) = match self.folder.identify(&relative) {
            Ok(identity) => (identity.size, Some(identity)),
            Err(FileRefusal::NotRegular { .. }) if !self.rules.holds(Rule::FilesRegular) => (0, None),
            Err(refusal) => return Err(refusal),
        };
        if self.rules.holds(Rule::FilesSize) {
            check_size(path, size, size_limit(can, kind), "the channel's limit")?;
        }
        Ok(Sendable {
            relative,
            size,
            identity,
        })
    }

    /// Deletes a file that was sent, and no other one that has taken its place.
    pub fn clean_up(&self, path: &str, checked: Option<FileIdentity>) -> Result<(), FileRefusal> {
        self.folder.remove(path, checked)
    }

    /// The path below the folder; an absolute one must name the folder as configured or as it really is.
    fn relative(&self, path: &str) -> Result<PathBuf, FileRefusal> {
        let written = Path::new(path);
        if !written.is_absolute() {
            return Ok(written.to_owned());
        }
        let root = self.root();
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ByteSize;
    use foldback_channels::{platform, profile};

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
        let send = SendDir::new(&config, dir.path(), None, None, Rules::all());
        Place {
            _dir: dir,
            outside,
            send,
        }
    }

    fn check(place: &Place, path: &str) -> Result<String, FileRefusal> {
        let can = profile(platform::WHATSAPP);
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
        let send = SendDir::new(&config, dir.path(), Some(&stand_in), None, Rules::all());
        let can = profile(platform::WHATSAPP);
        let check = |path: &Path| send.check(path.to_str().unwrap(), FileKind::File, &can);
        let sendable = check(&named.join("a.txt")).unwrap();
        assert_eq!(sendable.relative, "a.txt");
        assert!(matches!(
            check(&named.join("real-only.txt")),
            Err(FileRefusal::Missing { .. })
        ));
        send.clean_up(&sendable.relative, sendable.identity).unwrap();
        assert!(named.join("a.txt").exists() && !stand_in.join("a.txt").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere() {
        let place = place(5);
        let link =
            |to: &Path, name: &str| std::os::unix::fs::symlink(to, place.send.root().join(name)).unwrap();
        link(&place.outside, "evil.txt");
        link(Path::new("../secret"), "evil2.txt");
        link(Path::new("a.txt"), "good.txt");
        for link in ["evil.txt", "evil2.txt", "good.txt"] {
            assert!(
                matches!(check(&place, link), Err(FileRefusal::Link { .. })),
                "{link}"
            );
        }
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
            Err(FileRefusal::Missing { .. })
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
        let can = profile(platform::WHATSAPP);
        assert_eq!(size_limit(&can, FileKind::Image), 5_000_000);
        assert_eq!(size_limit(&can, FileKind::Audio), 16_000_000);
        assert_eq!(size_limit(&can, FileKind::File), 100_000_000);
        let place = place(6_000_000);
        let large = place.send.root().join("large");
        std::fs::File::create(large).unwrap().set_len(5_000_001).unwrap();
        let size = |kind| place.send.check("large", kind, &can);
        assert!(matches!(
            size(FileKind::Image),
            Err(FileRefusal::TooLarge {
                limit: 5_000_000,
                by: "the channel's limit",
                ..
            })
        ));
        assert_eq!(size(FileKind::File).unwrap().size, 5_000_001);
    }
}
