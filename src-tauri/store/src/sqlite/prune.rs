//! Deleting what is old.
//!
//! Everything before the first event that is young enough is looked at once, in the order of the journal, a stretch at a
//! time: each is a transaction of its own among those of the bot, so that nobody waits long. Events of one turn go
//! together: while one of them is young, all stay. What stays for another reason stands in `STRETCH` and `kept`.
//!
//! A clock that was wrong for a moment must cost neither events nor room. What it set back stands behind young events, and
//! stays with them. An event that it stamped ahead of the time that it is now is young by itself, and stays with its turn;
//! it makes nothing behind it young.
//!
//! The pages that become free go back to the system after each stretch, which needs `auto_vacuum`
//! (<https://www.sqlite.org/pragma.html#pragma_auto_vacuum>). A file of an earlier version gets that from
//! [`SqliteJournal::compact`], which writes the whole file anew; until then its free pages are used again.

use super::{
    Limits, SqliteJournal,
    desk::Change,
    fault,
    insert::place_of,
    kept::kept,
    open::connect,
    private::claim,
    rows::{COLUMNS, StoredRow, list, number},
    schema,
    script::Script,
};
use crate::{Journal as _, Mention, StoreError, ledger::Ledger, pairing::VALID};
use foldback_wire::{Seq, Timestamp};
use sqlx::{Connection as _, QueryBuilder, SqliteConnection, query, query_scalar, raw_sql};
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

/// Events of one stretch: a transaction of about 20 ms.
const STRETCH_EVENTS: usize = 2_048;

/// Pages that are given back after a stretch: more than one has, so that what is left over goes soon.
const PAGES: u32 = 4_096;

/// The places of a stretch. `?1` and `?2` are the bounds, `?3` is the first place of processes that are still asked
/// about, `?4` are the turns of the outbox and those with an event that is stamped ahead, and `?8` are the events that stay
/// for a reason of their own. What is older than `?6` goes; of pairing what is older than `?7`, when no code is valid any
/// more, but for who was let in.
///
/// Of no turn, from `?3` on only what a start or the running process folds stays: how the process and its switches stand,
/// and where conversations begin. There are few of these. Of what comes with each event or each connection (hooks, unreadable
/// parts, warnings, states of channels), there may be any number in a process that runs for months.
const STRETCH: &str = "
    SELECT e.seq FROM events e
    WHERE e.seq > ?1 AND e.seq < ?2 AND e.at < ?6
        AND e.seq NOT IN (SELECT value FROM json_each(?8))
        AND (e.kind <> 'pairing' OR e.at < ?7 AND e.seq NOT IN (SELECT seq FROM approvals))
        AND CASE WHEN e.turn IS NULL THEN e.seq < ?3 OR e.kind NOT IN (
                'armed', 'clock_jumped', 'fault_planned', 'fault_removed', 'history_compacted', 'idle',
                'memory_flushed', 'muted', 'session_reset', 'started', 'stopped')
            ELSE e.turn NOT IN (SELECT turn FROM open_turns)
                AND e.turn NOT IN (SELECT value FROM json_each(?4))
                AND NOT EXISTS (SELECT 1 FROM events l WHERE l.turn = e.turn AND l.seq >= ?2)
            END
    ORDER BY e.seq LIMIT ?5";

/// The first event that is young enough, and not stamped ahead.
const YOUNG: &str = "SELECT seq FROM events WHERE at >= ?1 AND at <= ?2 ORDER BY seq LIMIT 1";

/// The turns with an event before the place `?1` that is stamped ahead.
const AHEAD: &str = "SELECT DISTINCT turn FROM events WHERE seq < ?1 AND at >= ?2 AND turn IS NOT NULL";

/// The last start of a process that had nothing left to do: a start reads back to it.
const STARTED: &str = "
    SELECT max(seq) FROM events
    WHERE turn IS NULL AND kind = 'started'
        AND seq < (SELECT max(seq) FROM events WHERE turn IS NULL AND kind = 'idle')";

/// Events that may be deleted together.
#[derive(Debug)]
pub(super) struct Stretch {
    after: Seq,
    /// The first event that is young enough.
    end: Seq,
    /// The time that makes it so.
    before: Timestamp,
    /// The time since which a code of pairing may still be valid.
    valid_since: Timestamp,
    started: i64,
    /// Turns of the outbox, and those with an event that is stamped ahead, as a list of JSON.
    kept_turns: String,
    /// Events that stay for a reason of their own, as a list of JSON.
    kept: String,
    deleted: Arc<Mutex<Deleted>>,
}

/// Result of a stretch.
#[derive(Debug, Clone, Copy, Default)]
struct Deleted {
    events: usize,
    last: Seq,
    /// The time up to which events were ever deleted.
    before: i64,
}

/// How far events were ever deleted.
#[derive(Debug)]
pub(super) struct DeletedBounds {
    /// The first place from which on nothing was deleted.
    pub(super) whole_from: AtomicU64,
    /// The time up to which events were deleted, 0 where none ever was.
    pub(super) before: AtomicI64,
    /// Events deleted since the journal was opened.
    pub(super) events: AtomicU64,
}

impl DeletedBounds {
    pub(super) fn new(whole_from: i64, before: i64) -> Self {
        Self {
            whole_from: AtomicU64::new(whole_from as u64),
            before: AtomicI64::new(before),
            events: AtomicU64::new(0),
        }
    }
}

impl Default for DeletedBounds {
    fn default() -> Self {
        Self::new(1, 0)
    }
}

impl SqliteJournal {
    pub(super) async fn delete_before(&self, before: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
        let fault = |error| self.fault(&error);
        // What waits for the disk is not seen below, and is none of what is old.
        let head = self.desk.ledger(Ledger::head);
        self.flush().await?;
        let young: Option<i64> = query_scalar(YOUNG)
            .bind(before.0)
            .bind(now.0)
            .fetch_optional(&self.readers)
            .await
            .map_err(fault)?;
        // The last event stays, however old: the next one gets the place after it.
        let end = young.map_or(head, |seq| Seq(seq as u64));
        let ahead: Vec<i64> = query_scalar(AHEAD)
            .bind(number(end.0))
            .bind(before.0)
            .fetch_all(&self.readers)
            .await
            .map_err(fault)?;
        let started: Option<i64> = query_scalar(STARTED)
            .fetch_one(&self.readers)
            .await
            .map_err(fault)?;
        let started = started.unwrap_or(0);
        let kept = kept(&self.readers, before, started).await.map_err(fault)?;
        let kept = list(kept);
        let deleted = Arc::new(Mutex::new(Deleted::default()));
        let (mut after, mut events) = (Seq(0), 0);
        loop {
            let outbox = self.desk.ledger(Ledger::outbox);
            let of_outbox = outbox.iter().map(|entry| number(entry.turn.0));
            let kept_turns: Vec<i64> = of_outbox.chain(ahead.iter().copied()).collect();
            let stretch = Stretch {
                after,
                end,
                before,
                valid_since: now.minus(VALID).min(before),
                started,
                kept_turns: list(kept_turns),
                kept: kept.clone(),
                deleted: Arc::clone(&deleted),
            };
            self.confirmed(vec![], |_| Ok(Some(Change::Prune(stretch))))
                .await?;
            let done = *deleted.lock().unwrap_or_else(PoisonError::into_inner);
            if done.events > 0 {
                self.deleted.whole_from.fetch_max(end.0, Ordering::Relaxed);
                self.deleted.before.fetch_max(done.before, Ordering::Relaxed);
                self.deleted
                    .events
                    .fetch_add(done.events as u64, Ordering::Relaxed);
                // The head is where it was; who shows what is gone looks again.
                self.desk.head.send_modify(|_| ());
            }
            events += done.events as u64;
            after = done.last;
            if done.events < STRETCH_EVENTS {
                return Ok(events);
            }
        }
    }

    /// Writes the file anew, so that free pages go back to the system, now and after every pruning. It needs as much room
    /// again for the time it takes. Does nothing to a file that gives pages back already.
    ///
    /// # Errors
    /// As [`Self::open`]; in particular [`StoreError::Locked`] while a bot runs on it.
    pub async fn compact(path: impl Into<PathBuf>) -> Result<(), StoreError> {
        let path = path.into();
        let (real, lock) = claim(&path).await?;
        let fault = |error| fault::of(&path, &error);
        let mut conn = connect(&real, &Limits::default(), lock).await.map_err(fault)?;
        let compacted = async {
            schema::format(&mut conn, &path).await?;
            let mode: i64 = query_scalar("PRAGMA auto_vacuum")
                .fetch_one(&mut conn)
                .await
                .map_err(fault)?;
            if mode == 0 {
                let anew = raw_sql("PRAGMA auto_vacuum = INCREMENTAL; VACUUM;");
                anew.execute(&mut conn).await.map_err(fault)?;
            }
            Ok(())
        };
        let compacted = compacted.await;
        conn.close().await.map_err(fault)?;
        compacted
    }
}

/// Deletes a stretch, inside the writer's transaction.
pub(super) async fn delete(conn: &mut SqliteConnection, stretch: &Stretch) -> Result<(), sqlx::Error> {
    let places: Vec<i64> = query_scalar(STRETCH)
        .bind(number(stretch.after.0))
        .bind(number(stretch.end.0))
        .bind(stretch.started)
        .bind(&stretch.kept_turns)
        .bind(number(STRETCH_EVENTS as u64))
        .bind(stretch.before.0)
        .bind(stretch.valid_since.0)
        .bind(&stretch.kept)
        .fetch_all(&mut *conn)
        .await?;
    let mut deleted = Deleted {
        events: places.len(),
        last: stretch.after,
        before: 0,
    };
    if let Some(last) = places.last() {
        deleted.last = Seq(*last as u64);
        let places = list(&places);
        // Not the asked time alone: a clock that was wrong for once would say that years to come were deleted.
        deleted.before = query_scalar(
            "UPDATE whole_from SET seq = max(seq, ?1), before = max(before, min(?2,
                (SELECT max(at) + 1 FROM events WHERE seq IN (SELECT value FROM json_each(?3)))))
            RETURNING before",
        )
        .bind(number(stretch.end.0))
        .bind(stretch.before.0)
        .bind(&places)
        .fetch_one(&mut *conn)
        .await?;
        forget_mentions(conn, &places).await?;
        for table in [
            // All events of a turn go together, so that this one tells of the whole turn.
            "DELETE FROM unknown_turns WHERE seq IN (SELECT value FROM json_each(?))",
            "DELETE FROM durations WHERE seq IN (SELECT value FROM json_each(?))",
            "DELETE FROM errors WHERE seq IN (SELECT value FROM json_each(?))",
            "DELETE FROM bodies WHERE seq IN (SELECT value FROM json_each(?))",
            "DELETE FROM events WHERE seq IN (SELECT value FROM json_each(?))",
        ] {
            query(table).bind(&places).execute(&mut *conn).await?;
        }
    }
    *stretch.deleted.lock().unwrap_or_else(PoisonError::into_inner) = deleted;
    Ok(())
}

/// Deletes where messages are told of, by their keys: the table has no other order.
async fn forget_mentions(conn: &mut SqliteConnection, places: &str) -> Result<(), sqlx::Error> {
    let mut sql = QueryBuilder::new(COLUMNS);
    sql.push(" WHERE e.kind IN ('received', 'ended', 'undelivered', 'receipt') AND e.seq IN (SELECT value FROM json_each(")
        .push_bind(places)
        .push("))");
    let rows: Vec<StoredRow> = sql.build_query_as().fetch_all(&mut *conn).await?;
    // One that cannot be read is told of nowhere, either.
    let mut script = Script::default();
    for event in rows.into_iter().filter_map(|row| row.event().ok()) {
        for mention in Mention::all(event.channel.as_ref(), &event.kind) {
            let one = "DELETE FROM mentions WHERE channel = ? AND message = ? AND chat = ? AND seq = ?";
            script.add(one, place_of(&mention, event.seq));
        }
    }
    script.execute(conn).await
}

/// Gives free pages back to the system, where the file can; nobody loses anything where it fails.
pub(super) async fn give_back(conn: &mut SqliteConnection) {
    let vacuum = format!("PRAGMA incremental_vacuum({PAGES})");
    if let Err(error) = raw_sql(sqlx::AssertSqlSafe(vacuum)).execute(conn).await {
        tracing::warn!(%error, "the journal's free pages stay in its file");
    }
}
