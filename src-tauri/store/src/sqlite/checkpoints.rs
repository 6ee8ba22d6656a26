//! Bringing what the write-ahead log has into the file, beside the writer.
//!
//! SQLite can do it as part of a commit, which then takes ten times as long, seven times a second with 200 conversations:
//! every answer that waits for the disk waits for that. A checkpoint that runs on a connection of its own lets the writer
//! go on (<https://www.sqlite.org/wal.html#concurrency>). Only the log does not begin anew while somebody writes all the
//! time; then, at [`LOG_PAGES`], a commit does what is left.

use foldback_wire::Seq;
use sqlx::{ConnectOptions, Connection, SqliteConnection, raw_sql, sqlite::SqliteConnectOptions};
use std::{path::Path, time::Duration};
use tokio::{
    select,
    sync::{oneshot, watch},
    task::JoinHandle,
    time::sleep,
};

/// Pages of the log, 64 MB, at which a commit brings them into the file itself. A start after a crash reads the log.
pub(super) const LOG_PAGES: u32 = 16_384;

/// Most time between two checkpoints while events are written.
const PAUSE: Duration = Duration::from_secs(1);

/// Events after which the next one comes at once: some six megabytes of the file. Each checkpoint syncs the file, which a
/// commit that comes meanwhile waits for, some milliseconds with so many; and at [`LOG_PAGES`] little is left to a commit.
const EVENTS: u64 = 2_048;

/// Checkpoints while events are written.
#[derive(Debug)]
pub(super) struct Checkpoints {
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Checkpoints {
    /// Begins with the next event.
    pub(super) fn of(path: &Path, mut head: watch::Receiver<Seq>) -> Self {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .disable_statement_logging();
        let (end, mut ended) = oneshot::channel();
        let task = tokio::spawn(async move {
            let mut conn = None;
            while select! { changed = head.changed() => changed.is_ok(), _ = &mut ended => false } {
                if let Err(error) = checkpoint(&mut conn, &options).await {
                    tracing::warn!(%error, "the journal's log is brought into its file by commits from now on");
                    break;
                }
                // From its end on, so that commits have the disk for themselves in between.
                let next = head.borrow().0 + EVENTS;
                select! {
                    () = sleep(PAUSE) => {}
                    () = grow_to(&mut head, next) => {}
                    _ = &mut ended => break,
                }
            }
            if let Some(conn) = conn {
                // What it read is nobody's loss.
                let _ = SqliteConnection::close(conn).await;
            }
        });
        Self { end, task }
    }

    /// Ends when no checkpoint runs any more.
    pub(super) async fn end(self) {
        // Both fail only where the task is over already.
        let _ = self.end.send(());
        let _ = self.task.await;
    }
}

/// Returns once the head is at `next`, which is news all the same, or nothing more comes.
async fn grow_to(head: &mut watch::Receiver<Seq>, next: u64) {
    if head.wait_for(|head| head.0 >= next).await.is_ok() {
        head.mark_changed();
    }
}

async fn checkpoint(
    conn: &mut Option<SqliteConnection>,
    options: &SqliteConnectOptions,
) -> Result<(), sqlx::Error> {
    let conn = match conn {
        Some(conn) => conn,
        none => none.insert(SqliteConnection::connect_with(options).await?),
    };
    // https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
    raw_sql("PRAGMA wal_checkpoint(PASSIVE)")
        .execute(conn)
        .await
        .map(drop)
}
