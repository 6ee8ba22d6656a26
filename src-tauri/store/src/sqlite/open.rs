//! Opening a file: whose it is, what it is, and what it says about where the numbering stands.

use super::{
    SqliteJournal,
    checkpoints::{Checkpoints, LOG_PAGES},
    desk::Desk,
    fault,
    private::{claim, close_to_others, journal_files, real_journal},
    projections::open_of,
    prune::DeletedBounds,
    recent::RecentEvents,
    schema,
    writer::Writer,
};
use crate::{Numbers, OutboxEntry, StoreError, duration::DurationTracker, ledger::Ledger};
use foldback_wire::{Seq, TurnId};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, SqliteConnection, query_as, query_scalar, raw_sql,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::watch;

/// Connections of readers; the window has a few views, and more would only compete for the disk.
const READERS: u32 = 4;

/// Bytes of a page of the file. <https://www.sqlite.org/pragma.html#pragma_page_size>
const PAGE: u64 = 4_096;

/// What a journal may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Largest file in bytes, cut to whole pages of 4,096; `None` for as large as the disk.
    pub max_bytes: Option<u64>,
    /// Most events that may wait in memory for a slow disk; more are refused with [`StoreError::Behind`].
    pub max_waiting: usize,
    /// How long a full or busy disk is tried again before the journal gives up.
    pub patience: Duration,
}

impl Default for Limits {
    /// No limit on disk; 262,144 waiting events (about 100 MB); 5 seconds.
    fn default() -> Self {
        Self {
            max_bytes: None,
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
        let (real, lock) = claim(&path).await?;
        let mut conn = connect(&real, &limits, lock).await.map_err(fault)?;
        let (ledger, deleted, durations) = match begin(&mut conn, &path).await {
            Ok(begun) => begun,
            Err(error) => {
                // Nothing was written that closing could lose; who is told of the error finds the file free.
                let _ = conn.close().await;
                return Err(error);
            }
        };
        // Only now: another program's database is left as it is.
        for file in journal_files(&real) {
            close_to_others(&file);
        }
        let desk = Arc::new(Desk::new(ledger, limits.max_waiting));
        let (gone, writer) = watch::channel(());
        let readers = readers(&real);
        let recent = Arc::new(RecentEvents::default());
        let task = Writer {
            desk: Arc::clone(&desk),
            conn,
            readers: readers.clone(),
            path: path.clone(),
            limits,
            durations,
            recent: Arc::clone(&recent),
            gone,
        };
        tokio::spawn(task.run(Checkpoints::of(&real, desk.head.subscribe())));
        Ok(Self {
            path,
            real,
            desk,
            readers,
            recent,
            writer,
            deleted,
            projected: true,
            has_approvals: true,
            damaged: Mutex::default(),
        })
    }

    /// Opens a file that another process may be writing, as it is now. Every change is refused with
    /// [`StoreError::ReadOnly`], and the head stands still.
    pub async fn open_read_only(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let real = real_journal(&path);
        let readers = readers(&real);
        let fault = |error| fault::of(&path, &error);
        let mut conn = readers.acquire().await.map_err(fault)?;
        let format = schema::format(&mut conn, &path).await?;
        if format == 0 {
            return Err(StoreError::Foreign(path));
        }
        let ledger = find(&mut conn, &path).await?;
        // One of an earlier format does not know both; whoever only reads does not ask for the time.
        let deleted = match deleted_bounds(&mut conn).await {
            Ok(deleted) => deleted,
            Err(_) => query_scalar("SELECT seq FROM whole_from")
                .fetch_one(&mut *conn)
                .await
                .map_or_else(|_| DeletedBounds::default(), |seq| DeletedBounds::new(seq, 0)),
        };
        drop(conn);
        let desk = Arc::new(Desk::new(ledger, 0));
        desk.fail(&StoreError::ReadOnly(path.clone()));
        let (_, writer) = watch::channel(());
        Ok(Self {
            path,
            real,
            desk,
            readers,
            recent: Arc::default(),
            writer,
            deleted,
            projected: schema::has_projections(format),
            has_approvals: schema::has_approvals(format),
            damaged: Mutex::default(),
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

/// The connection that writes. It owns the lock: whoever drops a connection does not wait for SQLite's thread, which may
/// be in the middle of a transaction and commits it all the same. The next writer must not count before that.
pub(super) async fn connect(
    path: &Path,
    limits: &Limits,
    lock: File,
) -> Result<SqliteConnection, sqlx::Error> {
    let mut options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        // Ours is the only writer; this is for a person with a database tool.
        .busy_timeout(limits.patience.min(Duration::from_secs(1)))
        .disable_statement_logging();
    if let Some(bytes) = limits.max_bytes {
        options = options.pragma("max_page_count", (bytes / PAGE).to_string());
    }
    let mut conn = SqliteConnection::connect_with(&options).await?;
    // What is asked before every commit is let go of when no more can come, on SQLite's thread.
    // https://www.sqlite.org/c3ref/commit_hook.html
    conn.lock_handle().await?.set_commit_hook(move || {
        let _held = &lock;
        true
    });
    Ok(conn)
}

/// Makes the file a journal of today, and finds what is in it.
async fn begin(
    conn: &mut SqliteConnection,
    path: &Path,
) -> Result<(Ledger, DeletedBounds, DurationTracker), StoreError> {
    let fault = |error| fault::of(path, &error);
    // Whose it is comes first: the modes are written into the file. That of freed pages counts for a new file only.
    schema::format(conn, path).await?;
    // What SQLite notes down to undo half a statement must be in no file: such files lie in the system's folder.
    let modes = format!(
        "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = {LOG_PAGES};"
    );
    raw_sql(AssertSqlSafe(modes))
        .execute(&mut *conn)
        .await
        .map_err(fault)?;
    schema::prepare(conn, path).await?;
    let ledger = find(conn, path).await?;
    let open: Vec<i64> = query_scalar("SELECT turn FROM open_turns")
        .fetch_all(&mut *conn)
        .await
        .map_err(fault)?;
    let waiting = ledger.outbox().into_iter().map(|entry| entry.turn);
    let turns = open.into_iter().map(|turn| TurnId(turn as u64)).chain(waiting);
    let durations = open_of(conn, turns).await.map_err(fault)?;
    Ok((ledger, deleted_bounds(conn).await.map_err(fault)?, durations))
}

async fn deleted_bounds(conn: &mut SqliteConnection) -> Result<DeletedBounds, sqlx::Error> {
    let (seq, before): (i64, i64) = query_as("SELECT seq, before FROM whole_from")
        .fetch_one(conn)
        .await?;
    Ok(DeletedBounds::new(seq, before))
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

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::Executor as _;
    use std::sync::mpsc;
    use tokio::runtime::Builder;

    fn runtime() -> tokio::runtime::Runtime {
        Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn who_was_dropped_in_the_middle_of_a_write_holds_the_file_until_that_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.sqlite");
        let (began, begun) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let dropped = runtime();
        dropped.block_on(async {
            let (real, lock) = claim(&path).await.unwrap();
            let mut conn = connect(&real, &Limits::default(), lock).await.unwrap();
            conn.execute("CREATE TABLE words (word TEXT)").await.unwrap();
            conn.lock_handle().await.unwrap().set_update_hook(move |_| {
                began.send(()).unwrap();
                ended.recv().unwrap();
            });
            tokio::spawn(async move { conn.execute("INSERT INTO words VALUES ('x')").await });
            tokio::task::spawn_blocking(move || begun.recv().unwrap())
                .await
                .unwrap();
        });
        drop(dropped);
        let next = || runtime().block_on(SqliteJournal::open(&path)).map(drop);
        assert_eq!(next(), Err(StoreError::Locked(path.clone())));
        end.send(()).unwrap();
        let file = File::open(path.with_extension("sqlite.lock")).unwrap();
        file.lock().unwrap();
        file.unlock().unwrap();
        assert_eq!(next(), Err(StoreError::Foreign(path.clone())), "it may look");
        let words = runtime().block_on(async {
            let options = SqliteConnectOptions::new().filename(&path);
            let mut conn = SqliteConnection::connect_with(&options).await.unwrap();
            query_scalar::<_, String>("SELECT word FROM words")
                .fetch_all(&mut conn)
                .await
        });
        assert_eq!(words.unwrap(), ["x".to_owned()]);
    }
}
