//! Folders and the journal: would a start be able to write there?

use super::{
    check::{Answer, Check, State},
    rights::open_to_others,
    subject::Subject,
};
use foldback_api::check_send_dir;
use foldback_pipeline::config::{ByteSize, FilesConfig};
use foldback_store::{Journal as _, SqliteJournal, check_links, journal_files};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Bytes of a page of the journal, the least by which it grows (<https://www.sqlite.org/pragma.html#pragma_page_size>).
const PAGE: u64 = 4_096;

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let file = subject.journal_file.to_path_buf();
    let max_size = subject.config.store.max_size;
    vec![
        data_folder(subject.data.to_path_buf()),
        send_dir(subject),
        journal_rights(file.clone()),
        Check::new(
            "journal",
            format!("to open {}", file.display()),
            journal(file, max_size),
        ),
    ]
}

/// A folder that a start writes in; what it has is nobody else's business.
fn data_folder(folder: PathBuf) -> Check {
    let asked = format!("to make a file in {}", folder.display());
    Check::blocking("data folder", asked, move || {
        let answer = written_in(&folder);
        match open_to_others(&folder) {
            Some(mode) if answer.state == State::Fine => {
                let found = format!("{}: other users may look into it ({mode})", folder.display());
                Answer::note(found, "chmod 700 it, or start the bot once, which does so")
            }
            _ => answer,
        }
    })
}

/// The folder that files are sent from. A start refuses one with a file of the bot in it, and makes none that somebody
/// named: one that is not there may be a mistake.
fn send_dir(subject: &Subject) -> Check {
    let Subject {
        config,
        base,
        file,
        journal_file,
        ..
    } = subject.clone();
    let path = subject.path(&config.files.send_dir);
    let asked = format!(
        "to make a file in {}, with none of the bot's there",
        path.display()
    );
    Check::blocking("files.send_dir", asked, move || {
        if let Err(exposed) = check_send_dir(&config, &base, file.as_deref(), &journal_file) {
            return Answer::wrong(
                exposed.to_string(),
                "make a folder for what is sent, and name that",
            );
        }
        if path.exists() || config.files.send_dir == FilesConfig::default().send_dir {
            return written_in(&path);
        }
        let found = match writable(&path) {
            Ok(()) => format!("{} is not there, so that no file can be sent", path.display()),
            Err(error) => format!("{} is not there and cannot be made: {error}", path.display()),
        };
        Answer::wrong(found, "make it, or name another")
    })
}

/// Whether a file can be made in the folder.
fn written_in(folder: &Path) -> Answer {
    match writable(folder) {
        Ok(()) => Answer::fine(folder.display().to_string()),
        Err(error) => Answer::wrong(
            format!("{} cannot be written: {error}", folder.display()),
            "make it a folder that this user may write, or name another",
        ),
    }
}

/// Makes a file in a folder and removes it. Of one that is not there, the nearest folder above is asked, in which a start
/// would make it: whoever only asks leaves nothing behind.
fn writable(folder: &Path) -> io::Result<()> {
    let there = folder
        .ancestors()
        .find(|above| fs::symlink_metadata(above).is_ok());
    tempfile::tempfile_in(
        there
            .filter(|above| *above != Path::new(""))
            .unwrap_or(Path::new(".")),
    )
    .map(drop)
}

/// Opens the journal's file for writing, if it exists, and makes a file beside it.
fn opens(path: &Path) -> io::Result<()> {
    writable(path.parent().unwrap_or(Path::new(".")))?;
    match fs::OpenOptions::new().append(true).open(path) {
        // It will be begun. A link that leads nowhere, or round in a circle, is none of these.
        Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
            Ok(())
        }
        opened => opened.map(drop),
    }
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

async fn journal(path: PathBuf, max_size: Option<ByteSize>) -> Answer {
    if let Err(error) = opens(&path) {
        let found = format!("{} cannot be written: {error}", path.display());
        let todo = "mend the rights, or choose another file with --db or store.file";
        return Answer::wrong(found, todo);
    }
    if let Err(error) = check_links(&path) {
        let todo = "remove the link, or choose another file with --db or store.file";
        return Answer::wrong(error.to_string(), todo);
    }
    if !path.exists() {
        return Answer::fine(format!("{} will be begun", path.display()));
    }
    let size = fs::metadata(&path).map_or(0, |file| file.len());
    if size == 0 {
        let found = format!("{} is empty; it will be begun anew", path.display());
        return Answer::note(found, "put a copy in its place, if there was anything in it");
    }
    match SqliteJournal::open_read_only(&path).await {
        Ok(_) if max_size.is_some_and(|most| size.saturating_add(PAGE) > most.0) => {
            let most = max_size.map_or_else(String::new, |most| most.to_string());
            let found = format!(
                "{} has {size} bytes of {most}, so that the bot stops",
                path.display()
            );
            Answer::wrong(
                found,
                "raise store.max_size, or delete with `foldback journal prune`",
            )
        }
        Ok(journal) => {
            let open = journal.outbox().await.map_or(0, |outbox| outbox.len());
            let (head, path) = (journal.head(), path.display());
            Answer::fine(format!("{path}, {head} events, {open} operations open"))
        }
        Err(error) => Answer::wrong(error.to_string(), "choose another file with --db or store.file"),
    }
}
