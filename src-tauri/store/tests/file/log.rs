//! The write-ahead log beside a journal.

use super::{other_program, place, run, said, sending};
use foldback_store::{Journal, SqliteJournal};
use foldback_wire::Seq;
use sqlx::Connection;
use std::{path::Path, sync::Arc};

/// Commits in a write-ahead log: frames that say how large the database is after them
/// (<https://www.sqlite.org/fileformat2.html#walformat>).
fn commits(path: &Path) -> usize {
    let log = std::fs::read(path.with_extension("sqlite-wal")).unwrap();
    let frames = log[32..].chunks_exact(24 + 4096);
    frames.filter(|frame| frame[4..8] != [0; 4]).count()
}

#[tokio::test]
async fn what_waits_together_is_written_together() {
    const TOGETHER: u64 = 200;
    let (_folder, path) = place();
    let journal = Arc::new(SqliteJournal::open(&path).await.unwrap());
    let before = commits(&path);
    let intents = (1..=TOGETHER).map(|op| {
        let journal = Arc::clone(&journal);
        tokio::spawn(async move { journal.intend(sending(op), vec![said("x")]).await.unwrap() })
    });
    futures::future::try_join_all(intents).await.unwrap();
    let shared = commits(&path) - before;
    assert!(
        (1..=5).contains(&shared),
        "{shared} transactions for {TOGETHER} intents"
    );
    assert_eq!(journal.outbox().await.unwrap().len() as u64, TOGETHER);
}

/// Bytes of the write-ahead log beside a journal; there may be none.
fn log_length(path: &Path) -> u64 {
    std::fs::metadata(path.with_extension("sqlite-wal")).map_or(0, |file| file.len())
}

#[tokio::test]
async fn a_closed_journal_is_one_file_with_everything_in_it() {
    let (folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal.append(vec![said("a"), said("b")]).unwrap();
    journal.intend(sending(1), vec![]).await.unwrap();
    // Readers that looked are there, and one of another process, too.
    assert_eq!(journal.read(Seq(1), 9).await.unwrap().len(), 2);
    let reader = SqliteJournal::open_read_only(&path).await.unwrap();
    assert_eq!(reader.read(Seq(1), 9).await.unwrap().len(), 2);
    assert!(log_length(&path) > 0);
    // Written while it closes.
    journal.append(vec![said("c")]).unwrap();
    journal.close().await.unwrap();
    assert_eq!(log_length(&path), 0);

    let copy = folder.path().join("copy.sqlite");
    std::fs::copy(&path, &copy).unwrap();
    let copy = SqliteJournal::open(&copy).await.unwrap();
    assert_eq!(copy.read(Seq(1), 9).await.unwrap().len(), 3);
    assert_eq!(copy.outbox().await.unwrap(), [sending(1)]);
}

#[tokio::test]
async fn a_reader_in_the_middle_of_the_log_delays_nothing_but_its_emptying() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal.append(vec![said("a")]).unwrap();
    journal.flush().await.unwrap();
    let mut program = other_program(&path).await;
    run(&mut program, "BEGIN; SELECT * FROM events").await;
    journal.append(vec![said("b")]).unwrap();
    journal.close().await.unwrap();
    assert!(log_length(&path) > 0, "it is still being read");
    run(&mut program, "COMMIT").await;
    program.close().await.unwrap();
    let journal = SqliteJournal::open(&path).await.unwrap();
    assert_eq!(journal.read(Seq(1), 9).await.unwrap().len(), 2);
}
