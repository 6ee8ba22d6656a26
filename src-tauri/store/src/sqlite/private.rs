//! Whose file it is, in both senses: only this user reads it, and it is locked by its real path.
//!
//! A journal has what people wrote, and the prompts. Its file, and what SQLite puts beside it (`-wal`, `-shm`), may be
//! read and written by their owner alone. SQLite gives the two the rights of the file:
//! <https://www.sqlite.org/src/file?name=src/os_unix.c&ln=findCreateFileMode>.

use crate::StoreError;
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// Rights of a file of the journal.
#[cfg(unix)]
const FILE: u32 = 0o600;

/// Rights of a folder that is made for Foldback's data.
#[cfg(unix)]
const FOLDER: u32 = 0o700;

/// Endings of the files beside the journal.
const BESIDE: [&str; 3] = ["-wal", "-shm", ".lock"];

/// Makes the folder where it is missing, and those above it; what is made may be read by its owner alone. A folder that
/// is there stays as it is: it may be a shared one.
///
/// # Errors
/// The system's, where the folder cannot be made.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, FOLDER);
    builder.create(folder)
}

/// The files of a journal that are there: its own, and those beside it.
pub fn journal_files(path: &Path) -> Vec<PathBuf> {
    let real = real_journal(path);
    let files = std::iter::once(real.clone()).chain(BESIDE.iter().map(|ending| beside(&real, ending)));
    files.filter(|file| file.exists()).collect()
}

/// Takes from everybody but its owner the rights to a file or a folder. Where that cannot be, the log says so: what is
/// in it is as safe as before.
pub fn close_to_others(path: &Path) {
    if let Err(error) = make_private(path) {
        let path = path.display();
        tracing::warn!(%path, %error, "others may read it: its rights cannot be changed");
    }
}

/// Refuses a journal that could get a second writer: one with another name, and one whose lock is a symbolic link, as a
/// lock of another file keeps nobody from this journal. One that is not there yet passes.
///
/// # Errors
/// [`StoreError::HardLinked`], or a sentence about the lock.
pub fn check_links(path: &Path) -> Result<(), StoreError> {
    let real = real_journal(path);
    match has_other_name(&real) {
        Ok(true) => return Err(StoreError::HardLinked(path.to_owned())),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(fault(path, &error)),
        Ok(false) | Err(_) => {}
    }
    let lock = beside(&real, ".lock");
    if lock.is_symlink() {
        let lock = lock.display();
        return Err(StoreError::Database(format!(
            "{lock} is a symbolic link, and a lock must not be one; remove it"
        )));
    }
    Ok(())
}

/// Makes the file if it is missing and locks it: the file, not a name of it, so that a symbolic link gives nobody a
/// second writer. The lock is the operating system's and goes with the process, also when that is killed. SQLite's own
/// exclusive mode would shut out our readers, too.
///
/// Returns the real path, by which the file must be opened: SQLite puts what it writes beside the name it is given.
pub(super) async fn claim(path: &Path) -> Result<(PathBuf, File), StoreError> {
    let path = path.to_owned();
    let claim = move || {
        let fault = |error: io::Error| fault(&path, &error);
        // Opened only where it is missing: whoever closes a file loses SQLite's locks on it.
        // https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
        if !path.exists() {
            open(&path).map_err(fault)?;
        }
        check_links(&path)?;
        let real = real_journal(&path);
        let lock = open_lock(&beside(&real, ".lock")).map_err(fault)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked(path)),
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        Ok((real, lock))
    };
    // The runtime ends before this does only when nobody waits for the answer.
    tokio::task::spawn_blocking(claim)
        .await
        .unwrap_or(Err(StoreError::Closed))
}

/// True while a process writes this journal, and where that cannot be found out. A journal that is not there, and a copy
/// of one, are written by none.
pub fn has_writer(path: &Path) -> bool {
    match File::open(beside(&real_journal(path), ".lock")) {
        Ok(lock) => lock.try_lock_shared().is_err(),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// The system's error about the file, or about what lies beside it.
fn fault(path: &Path, error: &io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly(path.to_owned()),
        _ => StoreError::Database(format!("{}: {error}", path.display())),
    }
}

/// The path of a journal that is there, however it was named. What belongs to it lies beside this one.
pub fn real_journal(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// Opens a file for writing, or makes an empty one.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE);
    options.open(path)
}

/// Opens the file that is locked, or makes it; never through a symbolic link, also where one was put there since
/// [`check_links`].
fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // The bits are those of the system's C header, in which the flag is an int.
        let no_link = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        options.mode(FILE).custom_flags(no_link);
    }
    options.open(path)
}

/// True for a file that is there under more than one name.
#[cfg(unix)]
fn has_other_name(path: &Path) -> io::Result<bool> {
    fs::metadata(path).map(|file| std::os::unix::fs::MetadataExt::nlink(&file) > 1)
}

/// Other systems do not say.
#[cfg(not(unix))]
fn has_other_name(_: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let rights = fs::metadata(path)?.permissions().mode();
    if rights & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(rights & 0o700))?;
    }
    Ok(())
}

/// Other systems keep a person's folders from others by themselves.
#[cfg(not(unix))]
fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}
