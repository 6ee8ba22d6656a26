//! Folders and the journal: would a start be able to write there?

use super::{
    check::{Answer, Check},
    rights::open_to_others,
    subject::Subject,
};
use foldback_store::{Journal as _, SqliteJournal, journal_files, make_private_folder};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let send_dir = subject.path(&subject.config.files.send_dir);
    let file = subject.journal_file.to_path_buf();
    vec![
        folder("data folder", subject.data.to_path_buf(), true),
        folder("files.send_dir", send_dir, false),
        journal_rights(file.clone()),
        Check::new("journal", format!("to open {}", file.display()), journal(file)),
    ]
}

/// A folder that a start writes in; a private one is nobody else's business.
fn folder(about: &str, folder: PathBuf, private: bool) -> Check {
    let asked = format!("to make a file in {}", folder.display());
    Check::blocking(about, asked, move || match writable(&folder) {
        Ok(()) => match open_to_others(&folder).filter(|_| private) {
            None => Answer::fine(folder.display().to_string()),
            Some(mode) => {
                let found = format!("{}: other users may look into it ({mode})", folder.display());
                Answer::note(found, "chmod 700 it, or start the bot once, which does so")
            }
        },
        Err(error) => Answer::wrong(
            format!("{} cannot be written: {error}", folder.display()),
            "make it a folder that this user may write, or name another",
        ),
    })
}

/// Makes a file in a folder and removes it. The folder is made if need be: a start would make it, too.
fn writable(folder: &Path) -> io::Result<()> {
    make_private_folder(folder)?;
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

/// The journal has what people wrote: nobody else should read it, nor what SQLite puts beside it.
fn journal_rights(path: PathBuf) -> Check {
    let asked = format!("the rights of {} and of what lies beside it", path.display());
    Check::blocking("journal rights", asked, move || {
        let open: Vec<_> = journal_files(&path)
            .iter()
            .filter_map(|file| Some(format!("{} ({})", file.display(), open_to_others(file)?)))
            .collect();
        if open.is_empty() {
            return Answer::fine("no other user may read it");
        }
        let found = format!("other users may read {}", open.join(", "));
        Answer::note(found, "chmod 600 them, or start the bot once, which does so")
    })
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
