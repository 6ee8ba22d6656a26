//! Folders and the journal: would a start be able to write there?

use super::{
    check::{Answer, Check},
    subject::Subject,
};
use foldback_store::{Journal as _, SqliteJournal};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let send_dir = subject.path(&subject.config.files.send_dir);
    let file = subject.journal_file.to_path_buf();
    vec![
        folder("data folder", subject.data.to_path_buf()),
        folder("files.send_dir", send_dir),
        Check::new("journal", format!("to open {}", file.display()), journal(file)),
    ]
}

fn folder(about: &str, folder: PathBuf) -> Check {
    let asked = format!("to make a file in {}", folder.display());
    Check::blocking(about, asked, move || match writable(&folder) {
        Ok(()) => Answer::fine(folder.display().to_string()),
        Err(error) => Answer::wrong(
            format!("{} cannot be written: {error}", folder.display()),
            "make it a folder that this user may write, or name another",
        ),
    })
}

/// Makes a file in a folder and removes it. The folder is made if need be: a start would make it, too.
fn writable(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

/// Opens the journal's file for writing, if it exists, and makes a file beside it.
fn opens(path: &Path) -> io::Result<()> {
    writable(path.parent().unwrap_or(Path::new(".")))?;
    if path.exists() {
        fs::OpenOptions::new().append(true).open(path)?;
    }
    Ok(())
}

async fn journal(path: PathBuf) -> Answer {
    if let Err(error) = opens(&path) {
        let found = format!("{} cannot be written: {error}", path.display());
        let todo = "mend the rights, or choose another file with --db or store.file";
        return Answer::wrong(found, todo);
    }
    if !path.exists() {
        return Answer::fine(format!("{} will be begun", path.display()));
    }
    match SqliteJournal::open_read_only(&path).await {
        Ok(journal) => {
            let open = journal.outbox().await.map_or(0, |outbox| outbox.len());
            let (head, path) = (journal.head(), path.display());
            Answer::fine(format!("{path}, {head} events, {open} operations open"))
        }
        Err(error) => Answer::wrong(error.to_string(), "choose another file with --db or store.file"),
    }
}
