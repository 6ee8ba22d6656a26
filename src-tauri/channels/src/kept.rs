//! A file of the data folder that its owner alone can read: whole or as it was, whenever the process ends, and on the disk
//! once it is written.

use crate::oauth::digest;
use serde::{Serialize, de::DeserializeOwned};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// One file, which may not be there.
#[derive(Debug, Clone)]
pub(crate) struct KeptFile(PathBuf);

impl KeptFile {
    /// The file of this kind for what is told apart by these parts.
    pub(crate) fn new(folder: &Path, kind: &str, of: &[&[u8]]) -> Self {
        let name = format!("{kind}-{}.json", digest(of));
        Self(folder.join(name))
    }

    /// The file at this path.
    pub(crate) const fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Its content; `None` where there is no such file.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> io::Result<Option<T>> {
        match fs::read(&self.0) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn write<T: Serialize>(&self, what: &T) -> io::Result<()> {
        let begun = self.0.with_extension("part");
        // One of a process that ended may have other rights.
        match fs::remove_file(&begun) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&begun)?;
        file.write_all(&serde_json::to_vec(what)?)?;
        file.sync_all()?;
        fs::rename(&begun, &self.0)?;
        match self.0.parent() {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn it_holds_what_was_written_last_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = KeptFile::new(folder.path(), "x", &[b"a", b"b"]);
        assert_eq!(file.read::<String>().unwrap(), None);
        // Left by a process that ended, for everybody to read.
        fs::write(file.path().with_extension("part"), "half").unwrap();
        file.write(&"one").unwrap();
        file.write(&"two").unwrap();
        assert_eq!(file.read::<String>().unwrap().as_deref(), Some("two"));
        assert_eq!(
            fs::metadata(file.path()).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let other = KeptFile::new(folder.path(), "x", &[b"ab", b""]);
        assert_eq!(other.read::<String>().unwrap(), None);
        fs::write(file.path(), "{").unwrap();
        assert!(file.read::<String>().is_err());
    }
}
