//! Files that people keep, fixtures and recordings, are written whole or not at all.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};
use tempfile::{Builder, NamedTempFile};

/// Rights of a file that only its owner reads and writes.
const PRIVATE: u32 = 0o600;

/// A file in the making: it lies beside the one it replaces, takes its place at [`Replacement::done`], and is
/// gone when that never comes.
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    out: Out,
}

#[derive(Debug)]
enum Out {
    Beside(BufWriter<NamedTempFile>),
    /// A pipe or a device, which nothing can replace.
    Through(BufWriter<File>),
}

impl Replacement {
    /// Begins one. The folder must be there; a file that nobody may write stays as it is.
    pub fn of(path: &Path) -> io::Result<Self> {
        // As for any other new file, of which the person's mask takes its part.
        Self::begin(path, 0o666)
    }

    /// Begins one that no other user may read, as what people wrote is nobody else's business; one that is there is closed
    /// to them.
    pub fn private(path: &Path) -> io::Result<Self> {
        let replacement = Self::begin(path, PRIVATE)?;
        #[cfg(unix)]
        if let Out::Beside(out) = &replacement.out {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(PRIVATE);
            out.get_ref().as_file().set_permissions(mode)?;
        }
        Ok(replacement)
    }

    /// Begins one; a new file has these rights, but for what the person's mask takes. Other systems have no such rights.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there are none"))]
    fn begin(path: &Path, mode: u32) -> io::Result<Self> {
        // A link stays a link: what it leads to is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            let out = Out::Through(BufWriter::new(File::options().write(true).open(&target)?));
            return Ok(Self { target, out });
        }
        let permissions = old.map(|old| old.permissions());
        if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file is read-only",
            ));
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = Builder::new();
        builder.prefix(".foldback-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        let out = Out::Beside(BufWriter::new(file));
        Ok(Self { target, out })
    }

    /// Puts it in place. On an error the old file is still there.
    pub fn done(self) -> io::Result<()> {
        match self.out {
            Out::Beside(out) => {
                let file = out.into_inner()?;
                file.as_file().sync_all()?;
                file.persist(&self.target)?;
                Ok(())
            }
            Out::Through(mut out) => out.flush(),
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Beside(out) => out.write(bytes),
            Out::Through(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Beside(out) => out.flush(),
            Out::Through(out) => out.flush(),
        }
    }
}

/// Replaces a file by this text.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut file = Replacement::of(path)?;
    file.write_all(text.as_bytes())?;
    file.done()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_file_is_there_until_the_new_one_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        replace(&path, "old").unwrap();
        let mut given_up = Replacement::of(&path).unwrap();
        given_up.write_all(b"ne").unwrap();
        given_up.flush().unwrap();
        drop(given_up);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        replace(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(dir.path()), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("a"), dir.path().join("link"));
        let plain = dir.path().join("plain");
        fs::write(&path, "old").unwrap();
        fs::write(&plain, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(mode(&path), 0o640);

        let fresh = dir.path().join("fresh");
        replace(&fresh, "").unwrap();
        assert_eq!(mode(&fresh), mode(&plain));
        fs::set_permissions(&path, PermissionsExt::from_mode(0o440)).unwrap();
        assert!(replace(&path, "newer").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_replaced_is_written_through_or_refused() {
        replace(Path::new("/dev/null"), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let dir = tempfile::tempdir().unwrap();
        assert!(replace(dir.path(), "x").is_err());
        assert!(replace(&dir.path().join("no/such"), "x").is_err());
    }
}
