//! Who may read a journal, and who may write it.
#![cfg(unix)]

use foldback_store::{Journal as _, SqliteJournal, StoreError, journal_files, make_private_folder};
use foldback_wire::{Draft, Kind, Timestamp};
use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

fn rights(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn said() -> Draft {
    Draft {
        at: Timestamp(0),
        turn: None,
        session: None,
        channel: None,
        kind: Kind::Stopped,
    }
}

/// Names and rights of everything in a folder.
fn all_rights(folder: &Path) -> Vec<(String, u32)> {
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                rights(&path),
            )
        })
        .collect();
    all.sort();
    all
}

fn private(names: [&str; 4]) -> Vec<(String, u32)> {
    names.map(|name| (name.to_owned(), 0o600)).to_vec()
}

const NAMES: [&str; 4] = [
    "journal.sqlite",
    "journal.sqlite-shm",
    "journal.sqlite-wal",
    "journal.sqlite.lock",
];

#[tokio::test]
async fn only_its_owner_may_read_a_new_journal_and_what_lies_beside_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("data/foldback");
    make_private_folder(&folder).unwrap();
    assert_eq!(
        (rights(&folder), rights(folder.parent().unwrap())),
        (0o700, 0o700)
    );
    let journal = SqliteJournal::open(folder.join(NAMES[0])).await.unwrap();
    journal.append(vec![said()]).unwrap();
    journal.flush().await.unwrap();
    assert_eq!(all_rights(&folder), private(NAMES));
    let mut files = journal_files(&folder.join(NAMES[0]));
    files.sort();
    assert_eq!(files, NAMES.map(|name| folder.join(name)));
}

#[tokio::test]
async fn a_journal_that_others_could_read_is_closed_to_them_when_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(NAMES[0]);
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal.append(vec![said()]).unwrap();
    journal.flush().await.unwrap();
    // It ends without an end in order: log and index stay.
    let copy = tempfile::tempdir().unwrap();
    for name in NAMES {
        fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
        fs::set_permissions(copy.path().join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let again = SqliteJournal::open(copy.path().join(NAMES[0])).await.unwrap();
    assert_eq!(again.head().0, 1);
    assert_eq!(all_rights(copy.path()), private(NAMES));
}

#[tokio::test]
async fn a_database_of_another_program_keeps_its_rights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.sqlite");
    fs::write(&path, "notes").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let opened = SqliteJournal::open(&path).await.map(drop);
    assert!(
        matches!(opened, Err(StoreError::DamagedFile { .. })),
        "{opened:?}"
    );
    assert_eq!(rights(&path), 0o644);
}

#[tokio::test]
async fn a_hard_link_to_a_journal_gets_no_second_writer() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (path, link) = (folder.path().join(NAMES[0]), other.path().join("link.sqlite"));
    let journal = SqliteJournal::open(&path).await.unwrap();
    fs::hard_link(&path, &link).unwrap();
    for name in [&link, &path] {
        assert_eq!(
            SqliteJournal::open(name).await.map(drop),
            Err(StoreError::HardLinked(name.clone()))
        );
    }
    assert_eq!(
        fs::read_dir(other.path()).unwrap().count(),
        1,
        "nothing lies beside the link"
    );
    journal.append(vec![said()]).unwrap();
    journal.close().await.unwrap();
    fs::remove_file(link).unwrap();
    assert_eq!(SqliteJournal::open(&path).await.unwrap().head().0, 1);
}

#[tokio::test]
async fn a_lock_that_is_a_symbolic_link_is_neither_followed_nor_made() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (path, target) = (folder.path().join(NAMES[0]), other.path().join("target"));
    symlink(&target, folder.path().join("journal.sqlite.lock")).unwrap();
    let refused = SqliteJournal::open(&path).await.map(drop).unwrap_err();
    assert!(refused.to_string().contains("is a symbolic link"), "{refused}");
    assert!(!target.exists());
}

#[tokio::test]
async fn a_symbolic_link_to_a_journal_gets_no_second_writer() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (path, link) = (folder.path().join(NAMES[0]), other.path().join("link.sqlite"));
    symlink(&path, &link).unwrap();
    // Begun through the link: where it leads, there is nothing yet.
    let journal = SqliteJournal::open(&link).await.unwrap();
    assert_eq!(
        SqliteJournal::open(&path).await.map(drop),
        Err(StoreError::Locked(path.clone()))
    );
    let linked_folder = other.path().join("folder");
    symlink(folder.path(), &linked_folder).unwrap();
    let through = linked_folder.join(NAMES[0]);
    assert_eq!(
        SqliteJournal::open(&through).await.map(drop),
        Err(StoreError::Locked(through))
    );
    journal.append(vec![said()]).unwrap();
    journal.close().await.unwrap();
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.head().0, 1);
    assert_eq!(
        SqliteJournal::open(&link).await.map(drop),
        Err(StoreError::Locked(link))
    );
    assert_eq!(
        fs::read_dir(other.path()).unwrap().count(),
        2,
        "nothing lies beside the link"
    );
}
