//! The one task that writes. It takes what lies on the desk, writes it in one transaction, and only then
//! says so: to the callers who wait and to those who watch the head.

use super::{
    Limits,
    checkpoints::Checkpoints,
    desk::{Batch, Change, Desk},
    fault,
    insert::insert,
    outbox::OutboxChanges,
    projections::Projections,
    prune,
    recent::RecentEvents,
    rows::list,
    script::{Script, Value},
};
use crate::{StoreError, duration::DurationTracker};
use sqlx::{Connection, SqliteConnection, SqlitePool, query_as, raw_sql};
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};

/// How long events nobody waits for are gathered: fsync of a batch costs as much as of one event.
const GATHER: Duration = Duration::from_millis(4);

/// How long to wait before a disk that refused is tried again.
const AGAIN: Duration = Duration::from_millis(100);

pub(super) struct Writer {
    pub(super) desk: Arc<Desk>,
    /// Holds the lock of the file.
    pub(super) conn: SqliteConnection,
    pub(super) readers: SqlitePool,
    pub(super) path: PathBuf,
    pub(super) limits: Limits,
    /// What the events so far left open.
    pub(super) durations: DurationTracker,
    /// The events that were written last.
    pub(super) recent: Arc<RecentEvents>,
    /// Dropped last: who waits for the end sees the file free.
    pub(super) gone: watch::Sender<()>,
}

impl Writer {
    /// Writes until the desk is closed and empty, or the disk refuses for good.
    pub(super) async fn run(mut self, checkpoints: Checkpoints) {
        while let Some(mut batch) = self.desk.next(GATHER).await {
            let result = if batch.is_empty() {
                Ok(())
            } else {
                let events = batch.rows().into_iter().map(|row| &row.event);
                let projections = Projections::of(&mut self.durations, events);
                self.write_patiently(&batch, &projections).await
            };
            let head = batch.head().filter(|_| result.is_ok());
            if let Some(head) = head {
                // Before the head is told, as whoever follows it reads them then.
                self.recent.add(batch.take_events());
                self.desk.head.send_replace(head);
            }
            if result.is_ok() && batch.changes().any(|change| matches!(change, Change::Prune(_))) {
                self.recent.clear();
                prune::give_back(&mut self.conn).await;
            }
            batch.answer(&result);
            if let Err(why) = result {
                // After a failed write nobody knows what the disk kept: stop here, with everything confirmed
                // intact, rather than go on with a hole.
                tracing::error!(error = %why, "the journal has stopped");
                self.desk.fail(&why);
                checkpoints.end().await;
                return self.let_go().await;
            }
        }
        // A reader in the middle of the log would keep it, and so would a checkpoint.
        checkpoints.end().await;
        self.readers.close().await;
        self.empty_log().await;
        self.let_go().await;
    }

    /// Brings what stands in the write-ahead log into the file itself, so that a copy of the file has it, too.
    /// Another program that reads may prevent it; then the log goes with the last one who closes, or stays.
    async fn empty_log(&mut self) {
        // https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
        let emptied: Result<(bool, i64, i64), _> = query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&mut self.conn)
            .await;
        match emptied {
            Ok((false, _, _)) => {}
            Ok((true, _, _)) => {
                let log = self.path.display();
                tracing::warn!(
                    "another program reads the journal: whoever copies {log} needs {log}-wal, too"
                );
            }
            Err(error) => {
                tracing::warn!(%error, "the journal's log stays beside it; nothing confirmed is lost");
            }
        }
    }

    async fn let_go(self) {
        if let Err(error) = self.conn.close().await {
            tracing::warn!(%error, "the journal was not closed cleanly; nothing confirmed is lost");
        }
        drop(self.gone);
    }

    /// A disk that is full, or busy for another program, is given some time.
    async fn write_patiently(&mut self, batch: &Batch, projections: &Projections) -> Result<(), StoreError> {
        let until = Instant::now() + self.limits.patience;
        loop {
            let Err(error) = write(&mut self.conn, batch, projections).await else {
                return Ok(());
            };
            if !fault::passes(&error) || Instant::now() >= until {
                return Err(fault::of(&self.path, &error));
            }
            tracing::warn!(%error, "the journal cannot be written; trying again");
            sleep(AGAIN).await;
        }
    }
}

/// One transaction. Said in plain SQL: after some errors (a full disk) SQLite has rolled back already, and a
/// transaction object would count wrongly from then on.
async fn write(
    conn: &mut SqliteConnection,
    batch: &Batch,
    projections: &Projections,
) -> Result<(), sqlx::Error> {
    let written = async {
        let mut script = Script::default();
        script.add("BEGIN IMMEDIATE", []);
        insert(&mut *conn, &mut script, &batch.rows()).await?;
        projections.insert(&mut script);
        outbox_changes(batch).write(&mut script);
        for change in batch.changes() {
            apply(&mut *conn, &mut script, change).await?;
        }
        let numbers = [batch.numbers.turn, batch.numbers.op, batch.numbers.run].map(|number| number as i64);
        script.add(
            "UPDATE numbers SET turn = new.turn, op = new.op, run = new.run
            FROM (SELECT ? AS turn, ? AS op, ? AS run) AS new
            WHERE numbers.turn < new.turn OR numbers.op < new.op OR numbers.run < new.run",
            numbers.map(Value::from),
        );
        script.add("COMMIT", []);
        script.execute(&mut *conn).await
    }
    .await;
    if written.is_err() {
        // Fails where SQLite has rolled back by itself, or has not begun.
        let _ = raw_sql("ROLLBACK").execute(conn).await;
    }
    written
}

/// Changes of the outbox, which are written together.
fn outbox_changes(batch: &Batch) -> OutboxChanges<'_> {
    let mut outbox = OutboxChanges::default();
    for change in batch.changes() {
        match change {
            Change::Intend(entries) => entries.iter().for_each(|entry| outbox.put(entry)),
            Change::InFlight(op, in_flight) => outbox.mark(*op, *in_flight),
            Change::Settle(op) => outbox.remove(*op),
            Change::SettleAndIntend(op, next) => {
                outbox.remove(*op);
                outbox.put(next);
            }
            Change::Session(_) | Change::Chat(_) | Change::AgentSession(..) | Change::Prune(_) => {}
        }
    }
    outbox
}

async fn apply(
    conn: &mut SqliteConnection,
    script: &mut Script<'_>,
    change: &Change,
) -> Result<(), sqlx::Error> {
    match change {
        // Written before, with all others.
        Change::Intend(_) | Change::InFlight(..) | Change::Settle(_) | Change::SettleAndIntend(..) => {}
        Change::Session(record) => {
            let values = [record.id.as_str().to_owned(), list(record)].map(Value::from);
            script.add("INSERT OR REPLACE INTO sessions VALUES (?, ?)", values);
        }
        Change::Chat(chat) => {
            let values = [
                chat.channel.as_str().to_owned().into(),
                chat.chat.as_str().to_owned().into(),
                chat.used.0.into(),
                list(chat).into(),
            ];
            script.add(
                "INSERT INTO chats (channel, chat, used, record) VALUES (?, ?, ?, ?)
                ON CONFLICT (channel, chat) DO UPDATE SET used = excluded.used, record = excluded.record",
                values,
            );
        }
        Change::AgentSession(of, Some(kept)) => {
            let values = [of.as_str().to_owned(), kept.backend.clone(), list(kept)].map(Value::from);
            script.add("INSERT OR REPLACE INTO agent_sessions VALUES (?, ?, ?)", values);
        }
        Change::AgentSession(of, None) => {
            let values = [of.as_str().to_owned().into()];
            script.add("DELETE FROM agent_sessions WHERE session = ?", values);
        }
        Change::Prune(stretch) => {
            script.execute(&mut *conn).await?;
            prune::delete(conn, stretch).await?;
        }
    }
    Ok(())
}
