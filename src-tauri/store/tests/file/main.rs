//! What a file and a disk can do to a journal, and what a person then reads.

mod formats;
mod log;
mod prune;

use foldback_store::{
    Journal, Limits, OutboxEntry, SessionRecord, SessionSettings, SqliteJournal, StoreError, Then,
};
use foldback_wire::{
    Draft, Kind, OpId, Operation, Outcome, OutcomeCode, Seq, Target, Timestamp, TurnId, rpc::AgentSession,
};
use sqlx::{Connection, SqliteConnection};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;

pub(crate) fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    (folder, path)
}

pub(crate) fn said(detail: impl Into<String>) -> Draft {
    let kind = Kind::Warned {
        detail: detail.into(),
    };
    Draft {
        at: Timestamp(0),
        turn: None,
        session: None,
        channel: None,
        kind,
    }
}

pub(crate) fn sending(op: u64) -> OutboxEntry {
    OutboxEntry {
        op: OpId(op),
        turn: TurnId(1),
        session: "s".into(),
        channel: "c".into(),
        target: Target {
            chat: "42".into(),
            thread: None,
        },
        operation: Operation::Typing,
        key: op.to_string(),
        at: Timestamp(0),
        in_flight: false,
        dry_run: false,
        live: false,
        not_before: None,
        part_of: None,
        since: None,
        then: Then::default(),
    }
}

#[tokio::test]
async fn it_is_known_by_its_file_however_that_is_named() {
    let (folder, path) = place();
    let journal = SqliteJournal::open(folder.path().join("./journal.sqlite"))
        .await
        .unwrap();
    assert_eq!(journal.kept_in(), Some(path.canonicalize().unwrap().as_path()));
    let looking = SqliteJournal::open_read_only(&path).await.unwrap();
    assert_eq!(looking.kept_in(), journal.kept_in());
}

/// The database, as another program opens it.
pub(crate) async fn other_program(path: &Path) -> SqliteConnection {
    SqliteConnection::connect(&format!("sqlite://{}?mode=rwc", path.display()))
        .await
        .unwrap()
}

pub(crate) async fn run(program: &mut SqliteConnection, sql: &'static str) {
    sqlx::raw_sql(sql).execute(program).await.unwrap();
}

#[tokio::test]
async fn one_process_writes_and_others_may_read() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    let second = SqliteJournal::open(&path).await.map(drop);
    assert_eq!(second, Err(StoreError::Locked(path.clone())));
    journal.append(vec![said("a")]).unwrap();
    journal.intend(sending(1), vec![]).await.unwrap();

    let reader = SqliteJournal::open_read_only(&path).await.unwrap();
    assert_eq!(reader.head(), Seq(1));
    assert_eq!(reader.read(Seq(1), 9).await.unwrap().len(), 1);
    assert_eq!(reader.outbox().await.unwrap(), [sending(1)]);
    let read_only = StoreError::ReadOnly(path.clone());
    assert_eq!(reader.append(vec![said("b")]), Err(read_only.clone()));
    assert_eq!(
        reader
            .settle(OpId(1), Outcome::new(OutcomeCode::Sent), vec![])
            .await,
        Err(read_only)
    );

    journal.close().await.unwrap();
    assert_eq!(journal.read(Seq(1), 9).await, Err(StoreError::Closed));
    let reader = SqliteJournal::open_read_only(&path).await.unwrap();
    assert_eq!(reader.read(Seq(1), 9).await.unwrap().len(), 1);
    SqliteJournal::open(&path).await.unwrap();
}

#[tokio::test]
async fn what_was_appended_is_written_when_the_journal_is_dropped() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal.append(vec![said("a")]).unwrap();
    drop(journal);
    let journal = loop {
        match SqliteJournal::open(&path).await {
            Ok(journal) => break journal,
            Err(error) => assert_eq!(error, StoreError::Locked(path.clone())),
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(journal.head(), Seq(1));
}

#[tokio::test]
async fn a_file_that_is_no_journal_is_left_alone_and_named() {
    let (_folder, path) = place();
    let text = "certainly not a database ".repeat(1_000);
    std::fs::write(&path, &text).unwrap();
    for opened in [
        SqliteJournal::open(&path).await,
        SqliteJournal::open_read_only(&path).await,
    ] {
        let error = opened.map(drop).unwrap_err();
        assert!(
            matches!(&error, StoreError::DamagedFile { path: p, .. } if *p == path),
            "{error:?}"
        );
        assert!(error.to_string().contains("journal.sqlite is damaged"));
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);

    let (_folder, path) = place();
    let mut program = other_program(&path).await;
    run(&mut program, "PRAGMA journal_mode = DELETE").await;
    run(&mut program, "CREATE TABLE tunes (name TEXT)").await;
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(
        SqliteJournal::open(&path).await.map(drop),
        Err(StoreError::Foreign(path.clone()))
    );
    assert_eq!(
        SqliteJournal::open_read_only(&path).await.map(drop),
        Err(StoreError::Foreign(path.clone()))
    );
    assert_eq!(std::fs::read(&path).unwrap(), bytes);

    let missing = PathBuf::from("/nowhere/journal.sqlite");
    let error = SqliteJournal::open(&missing).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("/nowhere/journal.sqlite"), "{error}");
}

#[tokio::test]
async fn a_damaged_entry_is_named_and_the_others_can_be_read() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal.append(vec![said("a"), said("b"), said("c")]).unwrap();
    journal.flush().await.unwrap();
    run(
        &mut other_program(&path).await,
        "UPDATE bodies SET body = '{\"type\":\"nonsense\"}' WHERE seq = 2",
    )
    .await;
    let error = journal.read(Seq(1), 9).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { seq: 2, .. }), "{error:?}");
    assert_eq!(journal.read(Seq(3), 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_damaged_record_of_a_conversation_hides_no_other() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    for (used, id) in [(1, "a"), (2, "b"), (3, "c")] {
        let record = SessionRecord {
            id: id.into(),
            channel: "slack".into(),
            turns: 1,
            created: Timestamp(0),
            used: Timestamp(used),
            chat: None,
            sender: String::new(),
            latest_turn: None,
            settings: SessionSettings::default(),
            began: None,
            said: None,
            notices: Vec::new(),
        };
        journal.put_session(record, vec![]).await.unwrap();
    }
    for backend in ["acp", "letta"] {
        let kept = AgentSession {
            backend: backend.to_owned(),
            id: "s".to_owned(),
            since: Timestamp(0),
        };
        let of = "a".into();
        journal.put_agent_session(&of, Some(kept), vec![]).await.unwrap();
    }
    let mut other = other_program(&path).await;
    run(&mut other, "UPDATE sessions SET record = '{' WHERE id = 'b'").await;
    run(
        &mut other,
        "UPDATE sessions SET record = '{\"used\":9}' WHERE id = 'c'",
    )
    .await;
    run(
        &mut other,
        "UPDATE agent_sessions SET record = 'x' WHERE backend = 'acp'",
    )
    .await;
    let (found, total) = journal.sessions(9).await.unwrap();
    let keys: Vec<_> = found.iter().map(|record| record.id.as_str()).collect();
    assert_eq!((keys, total), (vec!["a"], 3));
    let kept = journal.agent_sessions(&"a".into()).await.unwrap();
    assert_eq!(
        kept.iter().map(|kept| kept.backend.as_str()).collect::<Vec<_>>(),
        ["letta"]
    );
}

#[tokio::test]
async fn damaged_pages_are_an_error_and_not_a_panic() {
    let (_folder, path) = place();
    let journal = SqliteJournal::open(&path).await.unwrap();
    journal
        .append((0..2_000).map(|n| said(n.to_string().repeat(50))).collect())
        .unwrap();
    journal.close().await.unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 4096 / 2 * 4096;
    bytes[middle..middle + 4096].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let error = match SqliteJournal::open(&path).await {
        Err(error) => error,
        Ok(journal) => journal.read(Seq(1), usize::MAX).await.unwrap_err(),
    };
    assert!(matches!(error, StoreError::DamagedFile { .. }), "{error:?}");
}

#[tokio::test]
async fn a_full_disk_is_said_and_loses_nothing_that_was_confirmed() {
    let (_folder, path) = place();
    let limits = Limits {
        max_bytes: Some(40 * 4_096),
        patience: Duration::from_millis(50),
        ..Limits::default()
    };
    let journal = SqliteJournal::open_with(&path, limits).await.unwrap();
    let mut confirmed = 0;
    let error = loop {
        let op = confirmed + 1;
        let events = vec![said(op.to_string().repeat(1_000))];
        match journal.intend(sending(op), events).await {
            Ok(()) => confirmed = op,
            Err(error) => break error,
        }
    };
    assert_eq!(error, StoreError::Full(path.clone()));
    assert!(confirmed > 10);
    // From now on the same answer at once, and reading goes on.
    assert_eq!(journal.append(vec![said("x")]), Err(error.clone()));
    assert_eq!(journal.flush().await, Err(error.clone()));
    assert_eq!(
        journal.read(Seq(1), usize::MAX).await.unwrap().len() as u64,
        confirmed
    );
    assert_eq!(journal.head(), Seq(confirmed));
    assert_eq!(journal.ended().await, error);
    assert_eq!(journal.close().await, Err(error));

    let journal = SqliteJournal::open(&path).await.unwrap();
    let outbox = journal.outbox().await.unwrap();
    assert!(outbox.iter().map(|entry| entry.op.0).eq(1..=confirmed));
    assert_eq!(
        journal.append(vec![said("room again")]).unwrap(),
        [Seq(confirmed + 1)]
    );
    journal.flush().await.unwrap();
}

#[tokio::test]
async fn a_disk_that_is_full_for_a_while_only_delays() {
    let (_folder, path) = place();
    let limits = Limits {
        patience: Duration::from_mins(1),
        ..Limits::default()
    };
    let journal = Arc::new(SqliteJournal::open_with(&path, limits).await.unwrap());
    let mut program = other_program(&path).await;
    run(&mut program, "BEGIN IMMEDIATE").await;
    let writer = Arc::clone(&journal);
    let intended = tokio::spawn(async move { writer.intend(sending(1), vec![said("a")]).await });
    // One thread runs all of this test: were it blocked, none of these would come back.
    for _ in 0..20 {
        assert_eq!(journal.append(vec![said("b")]).unwrap().len(), 1);
        assert!(journal.read(Seq(1), 9).await.unwrap().is_empty());
        assert!(!intended.is_finished());
    }
    run(&mut program, "ROLLBACK").await;
    intended.await.unwrap().unwrap();
    journal.flush().await.unwrap();
    assert_eq!(journal.read(Seq(1), 99).await.unwrap().len(), 21);
}

#[tokio::test]
async fn memory_is_bounded_when_the_disk_cannot_keep_up() {
    let (_folder, path) = place();
    let limits = Limits {
        max_waiting: 10,
        ..Limits::default()
    };
    let journal = SqliteJournal::open_with(&path, limits).await.unwrap();
    journal.append(vec![said("x"); 10]).unwrap();
    assert_eq!(journal.append(vec![said("x")]), Err(StoreError::Behind(10)));
    journal.flush().await.unwrap();
    assert_eq!(
        journal.append(vec![said("x")]).unwrap(),
        [Seq(11)],
        "what was refused has no place"
    );
}
