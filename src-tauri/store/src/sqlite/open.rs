//! Opening a file: whose it is, what it is, and what it says about where the numbering stands.

use super::{SqliteJournal, desk::Desk, fault, schema, writer::Writer};
use crate::{Numbers, OutboxEntry, StoreError, ledger::Ledger};
use foldback_wire::Seq;
use sqlx::{
    ConnectOptions, Connection, SqliteConnection, query_as, query_scalar,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{
    ffi::OsString,
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::sync::watch;

/// Connections of readers; the window has a few views, and more would only compete for the disk.
const READERS: u32 = 4;

/// What a journal may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Largest file, in pages of 4,096 bytes; `None` for as large as the disk.
    pub max_pages: Option<u32>,
    /// Most events that may wait in memory for a slow disk; more are refused with [`StoreError::Behind`].
    pub max_waiting: usize,
    /// How long a full or busy disk is tried again before the journal gives up.
    pub patience: Duration,
}

impl Default for Limits {
    /// No limit on disk; 262,144 waiting events (about 100 MB); 5 seconds.
    fn default() -> Self {
        Self {
            max_pages: None,
            max_waiting: 1 << 18,
            patience: Duration::from_secs(5),
        }
    }
}

impl SqliteJournal {
    /// Opens a file, or begins one; its folder must exist. At most one process at a time writes a journal:
    /// another one gets [`StoreError::Locked`].
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Self::open_with(path, Limits::default()).await
    }

    /// Opens a file with these limits.
    pub async fn open_with(path: impl Into<PathBuf>, limits: Limits) -> Result<Self, StoreError> {
        let path = path.into();
        let fault = |error| fault::of(&path, &error);
        let lock = lock(&path).await?;
        let mut options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            // Ours is the only writer; this is for a person with a database tool.
            .busy_timeout(limits.patience.min(Duration::from_secs(1)))
            .disable_statement_logging();
        if let Some(pages) = limits.max_pages {
            options = options.pragma("max_page_count", pages.to_string());
        }
        let mut conn = SqliteConnection::connect_with(&options).await.map_err(fault)?;
        schema::prepare(&mut conn, &path).await?;
        let ledger = find(&mut conn, &path).await?;
        let desk = Arc::new(Desk::new(ledger, limits.max_waiting));
        let (gone, writer) = watch::channel(());
        let readers = readers(&path);
        let task = Writer {
            desk: Arc::clone(&desk),
            conn,
            readers: readers.clone(),
            path: path.clone(),
            limits,
            lock,
            gone,
        };
        tokio::spawn(task.run());
        Ok(Self {
            path,
            desk,
            readers,
            writer,
        })
    }

    /// Opens a file that another process may be writing, as it is now. Every change is refused with
    /// [`StoreError::ReadOnly`], and the head stands still.
    pub async fn open_read_only(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let readers = readers(&path);
        let fault = |error| fault::of(&path, &error);
        let mut conn = readers.acquire().await.map_err(fault)?;
        if schema::format(&mut conn, &path).await? == 0 {
            return Err(StoreError::Foreign(path));
        }
        let ledger = find(&mut conn, &path).await?;
        drop(conn);
        let desk = Arc::new(Desk::new(ledger, 0));
        desk.fail(&StoreError::ReadOnly(path.clone()));
        let (_, writer) = watch::channel(());
        Ok(Self {
            path,
            desk,
            readers,
            writer,
        })
    }
}

fn readers(path: &Path) -> sqlx::SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .row_buffer_size(512)
        .disable_statement_logging();
    SqlitePoolOptions::new()
        .max_connections(READERS)
        .connect_lazy_with(options)
}

/// A lock of the operating system beside the file: it goes with the process, also when that is killed.
/// SQLite's own exclusive mode would shut out our readers, too.
async fn lock(path: &Path) -> Result<File, StoreError> {
    let path = path.to_owned();
    let locking = move || {
        let mut name = OsString::from(&path);
        name.push(".lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(name);
        let file = file.map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly(path.clone()),
            _ => StoreError::Database(format!("{}: {error}", path.display())),
        })?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked(path)),
            Err(TryLockError::Error(error)) => {
                Err(StoreError::Database(format!("{}: {error}", path.display())))
            }
        }
    };
    // The runtime ends before this does only when nobody waits for the answer.
    tokio::task::spawn_blocking(locking)
        .await
        .unwrap_or(Err(StoreError::Closed))
}

/// Where the numbering stands and what is in the outbox.
async fn find(conn: &mut SqliteConnection, path: &Path) -> Result<Ledger, StoreError> {
    let fault = |error| fault::of(path, &error);
    let head: i64 = query_scalar("SELECT coalesce(max(seq), 0) FROM events")
        .fetch_one(&mut *conn)
        .await
        .map_err(fault)?;
    let (turn, op, run): (i64, i64, i64) = query_as("SELECT turn, op, run FROM numbers")
        .fetch_one(&mut *conn)
        .await
        .map_err(fault)?;
    let numbers = Numbers {
        turn: turn as u64,
        op: op as u64,
        run: run as u64,
    };
    let rows: Vec<(i64, bool, String)> = query_as("SELECT op, in_flight, entry FROM outbox ORDER BY op")
        .fetch_all(&mut *conn)
        .await
        .map_err(fault)?;
    let outbox = rows.into_iter().map(|(op, in_flight, entry)| {
        let entry: OutboxEntry = serde_json::from_str(&entry).map_err(|error| StoreError::DamagedFile {
            path: path.to_owned(),
            detail: format!("operation {op} of the outbox: {error}"),
        })?;
        Ok(OutboxEntry { in_flight, ..entry })
    });
    Ok(Ledger::found(
        Seq(head as u64),
        numbers,
        outbox.collect::<Result<_, StoreError>>()?,
    ))
}
